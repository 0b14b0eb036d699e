// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/events.h"

#include <algorithm>
#include <cerrno>

#include "trace/recorder.h"

namespace xomp::trace {
namespace {

void record(Track& track, int64_t begin, int64_t end, uint64_t task, uint64_t other, uint64_t place,
            Label label) {
  if (listening(kRecorder))
    track.pen.write(begin, end, task, other, place, label);
}

void point(Track& track, uint64_t task, uint64_t other, uint64_t place, Label label) {
  int64_t now = sys::ticks();
  record(track, now, now, task, other, place, label);
}

/// What the processor has counted on this thread.
void record_hardware(Track& track) {
  if (!track.hardware.are_open()) [[likely]]
    return;
  int saved = errno;
  for (int event = 0; event < kHardwareEvents; ++event) {
    uint64_t value;
    if (track.hardware.read(event, value))
      point(track, static_cast<uint64_t>(event), value, 0, {Kind::kHardware});
  }
  errno = saved;
}

uint8_t thread_flags(const Track& track) { return track.programs_own ? kProgramsThread : 0; }

Label label_of(const TaskTrace& task, uint8_t flags) {
  return {Kind::kTask, static_cast<uint8_t>(task.flags | flags), task.creator_domain,
          task.data_domain, task.creator};
}

} // namespace

Track& thread_begins(bool programs_own) {
  Track& track = take_track(programs_own);
  if (int64_t since = recorder.since(track.kernel_thread))
    track.begin = since;
  Label label{Kind::kThread, static_cast<uint8_t>(thread_flags(track) | kThreadBegins)};
  label.worker = track.kernel_thread;
  record(track, track.begin, track.begin, 0, 0, 0, label);
  if (listening(kRecorder)) {
    int saved = errno;
    track.hardware.open(); // the record has opened the log, which knows what there is
    errno = saved;
  }
  return track;
}

void thread_ends(Track& track) {
  Label label{Kind::kThread, thread_flags(track)};
  label.worker = track.kernel_thread;
  record(track, track.begin, sys::ticks(), 0, 0, 0, label);
  give_back(track);
}

void region_begins(Track& track, RegionTrace& trace, uint32_t region, Code body) {
  trace.id = track.next_id();
  trace.region = region;
  trace.body = address(body);
  trace.begin = sys::ticks();
}

void region_ends(Track& track, const RegionTrace& trace, int threads) {
  Label label{Kind::kRegion};
  label.worker = static_cast<uint32_t>(threads);
  record(track, trace.begin, trace.joined.load(std::memory_order_relaxed), track.task(), trace.id,
         trace.body, label);
}

void implicit_begins(Track& track, TaskTrace& task, TaskTrace* outer, uint64_t body) {
  task = TaskTrace{};
  task.id = track.next_id();
  task.body = body;
  task.outer = outer;
  task.creator = track.number;
  task.creator_domain = track.domain;
  task.data_domain = kNoDomain;
  track.current = &task;
  record_hardware(track);
  task.begin = sys::ticks();
}

void implicit_ends(Track& track, TaskTrace& task, uint64_t region, int member) {
  Label label{Kind::kImplicit, 0, task.creator_domain, kNoDomain, static_cast<uint32_t>(member)};
  record(track, task.begin, sys::ticks(), task.id, region, task.body, label);
  record_hardware(track);
}

void implicit_left(Track& track, const TaskTrace& task) {
  if (track.current == &task)
    track.current = task.outer;
}

void task_deferred(Track& track, const TaskTrace& task) {
  if (track.current)
    track.current->notable = true;
  record(track, task.created, sys::ticks(), task.id, task.parent, task.place,
         {Kind::kCreate, task.flags, task.creator_domain, task.data_domain, task.creator});
}

void task_depends(Track& track, const TaskTrace& task, const void* item, uint8_t kind) {
  point(track, task.id, address(item), 0, {Kind::kDependence, kind});
}

void task_discarded(Track& track, const TaskTrace& task, uint8_t flags) {
  point(track, task.id, task.parent, task.body,
        label_of(task, static_cast<uint8_t>(flags | kTaskDiscarded)));
}

void task_met(Track& track, TaskTrace& task, Code body) {
  task.id = track.next_id();
  task.body = address(body);
  task.creator_domain = task.data_domain = kNoDomain;
}

void mutex_acquired(Track& track, const void* mutex, MutexKind kind, Code place, int64_t asked,
                    bool waited) {
  int64_t now = sys::ticks();
  auto flags = static_cast<uint8_t>(static_cast<uint8_t>(kind) | (waited ? kContended : 0));
  record(track, asked, now, track.task(), address(mutex), address(place),
         {Kind::kMutexWait, flags});
  if (track.held_count < Track::kMostHeld)
    track.held[track.held_count++] = {mutex, now, address(place), flags};
}

void mutex_released(Track& track, const void* mutex) {
  for (int i = track.held_count - 1; i >= 0; --i) {
    Held held = track.held[i];
    if (held.mutex != mutex)
      continue;
    track.held[i] = track.held[--track.held_count];
    return record(track, held.since, sys::ticks(), track.task(), address(mutex), held.place,
                  {Kind::kMutexHeld, held.flags});
  }
}

void work_begins(Track& track, WorkTrace& work, Kind kind, uint64_t trips, uint8_t flags,
                 Code place) {
  work_ends(track, work);
  work.kind = kind;
  work.flags = flags;
  work.in_chunk = false;
  work.trips = trips;
  work.place = address(place);
  work.begin = sys::ticks();
}

void chunk_begins(Track&, WorkTrace& work, uint64_t first, uint64_t count) {
  work.first = first;
  work.count = count;
  work.in_chunk = true;
  work.chunk_begin = sys::ticks();
}

void chunk_ends(Track& track, WorkTrace& work) {
  if (!work.in_chunk)
    return;
  work.in_chunk = false;
  record(track, work.chunk_begin, sys::ticks(), track.task(), work.first, work.count,
         {work.kind == Kind::kLoop ? Kind::kChunk : Kind::kSection});
}

void work_ends(Track& track, WorkTrace& work) {
  if (work.kind == Kind::kNone)
    return;
  chunk_ends(track, work);
  record(track, work.begin, sys::ticks(), track.task(), work.trips, work.place,
         {work.kind, work.flags});
  work.kind = Kind::kNone;
}

void single_met(Track& track, bool executes, Code place) {
  point(track, track.task(), 0, address(place), {Kind::kSingle, executes});
}

void tasks_stolen(Track& track, uint32_t other, uint64_t tasks, uint8_t flags) {
  Label label{tasks ? Kind::kSteal : Kind::kStealFailed, flags};
  label.worker = other;
  point(track, track.task(), tasks, 0, label);
}

void Waiting::begin(Kind what, uint64_t where, uint64_t with, uint8_t how,
                    const std::atomic<int64_t>* joined_at) {
  kind = what;
  place = where;
  other = with;
  flags = how;
  joined = joined_at;
  outer = track->wait;
  track->wait = this;
  since = sys::ticks();
  if (track->current)
    track->current->notable = true;
}

void Waiting::end() {
  track->wait = outer;
  record(*track, since, end_of_wait(), track->task(), other, place, {kind, flags});
}

int64_t Waiting::end_of_wait() const {
  int64_t now = sys::ticks();
  // Relaxed: an earlier region's, which was before this wait began, or this one's.
  int64_t over = joined ? joined->load(std::memory_order_relaxed) : 0;
  return over >= since ? std::min(over, now) : now;
}

void Stalling::begin() { since = sys::ticks(); }

void Stalling::end(Track& track) {
  const Waiting* wait = track.wait;
  int64_t now = wait ? wait->end_of_wait() : sys::ticks();
  if (now > since)
    record(track, since, now, track.task(),
           static_cast<uint64_t>(wait ? wait->what() : Kind::kNone), 0,
           {Kind::kStall, static_cast<uint8_t>(slept ? kSlept : 0)});
  since = 0;
  slept = false;
}

} // namespace xomp::trace
