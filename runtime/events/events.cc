// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "events/events.h"

#include <algorithm>

#include "ompt/tool.h"
#include "sys/assert.h"
#include "sys/clock.h"
#include "sys/inspection.h"
#include "trace/apart.h"
#include "trace/recorder.h"

namespace xomp::trace {
namespace {

void record(Track& track, int64_t begin, int64_t end, uint64_t task, uint64_t other, uint64_t place,
            Label label) {
  XOMP_ASSERT(track.is_own());
  if (listening(kRecorder))
    track.writer.write(begin, end, task, other, place, label);
}

void point(Track& track, uint64_t task, uint64_t other, uint64_t place, Label label) {
  int64_t now = sys::ticks();
  record(track, now, now, task, other, place, label);
}

/// What the processor has counted on this thread.
void record_hardware(Track& track) {
  if (!track.hardware.are_open()) [[likely]]
    return;
  Apart apart;
  for (int event = 0; event < kHardwareEvents; ++event) {
    uint64_t value;
    if (track.hardware.read(event, value))
      point(track, static_cast<uint64_t>(event), value, 0, {Kind::kHardware});
  }
}

/// Nanoseconds. What it costs, a microsecond, is nothing beside sleep, but much beside a short
/// region.
constexpr int64_t kBetweenReadings = 1000000;
/// What takes longer was interrupted, at a system call's end as a rule: the counts are those of
/// before, and the moment is that after. It is done again.
constexpr int64_t kReading = 100000;

void record_processor(Track& track, int64_t when, const sys::ProcessorTimes& times, uint8_t flags) {
  record(track, when, when, static_cast<uint64_t>(times.ran), static_cast<uint64_t>(times.kept_off),
         0, {Kind::kProcessor, flags});
}

/// For how long the thread had a processor, and wanted one in vain.
void look_at_processor(Track& track, uint8_t flags = 0) {
  if (!listening(kRecorder) || track.times == Track::kNoTimes)
    return;
  Apart apart;
  if (track.times == Track::kClosed)
    track.times = std::max(sys::open_processor_times(), Track::kNoTimes);
  sys::ProcessorTimes times;
  bool known = true, whole = false;
  for (int left = 3; known && !whole && left > 0; --left) {
    track.looked = sys::nanoseconds();
    known = sys::read_processor_times(track.times, times);
    whole = sys::nanoseconds() - track.looked < kReading;
  }
  if (known)
    record_processor(track, sys::ticks(), times, flags);
}

/// Looks at the processor again if the last look is a while ago.
void glance_at_processor(Track& track) {
  if (listening(kRecorder) && sys::nanoseconds() - track.looked >= kBetweenReadings)
    look_at_processor(track);
}

uint8_t thread_flags(const Track& track) { return track.programs_own ? kThreadFlagOwn : 0; }

ompt_mutex_t tool_mutex(MutexKind kind, bool tries) {
  switch (kind) {
  case MutexKind::kCritical:
    return ompt_mutex_critical;
  case MutexKind::kAtomic:
    return ompt_mutex_atomic;
  case MutexKind::kOrdered:
    return ompt_mutex_ordered;
  case MutexKind::kNestLock:
    return tries ? ompt_mutex_test_nest_lock : ompt_mutex_nest_lock;
  default:
    return tries ? ompt_mutex_test_lock : ompt_mutex_lock;
  }
}

ompt_work_t tool_work_of(const WorkTrace& work) {
  if (work.kind == Kind::kSingle)
    return ompt_work_single_executor;
  if (work.kind == Kind::kSections)
    return ompt_work_sections;
  if (work.flags & kLoopFlagDistribute)
    return ompt_work_distribute;
  switch (work.flags & kScheduleBits) {
  case kLoopFlagStatic:
    return ompt_work_loop_static;
  case kLoopFlagDynamic:
    return ompt_work_loop_dynamic;
  case kLoopFlagGuided:
    return ompt_work_loop_guided;
  default:
    return ompt_work_loop_other;
  }
}

Code code_of(const WorkTrace& work) { return reinterpret_cast<Code>(work.place); }

Label label_of(const TaskTrace& task, uint8_t flags) {
  return {Kind::kTask, static_cast<uint8_t>(task.flags | flags), task.creator_domain,
          task.data_domain, task.creator};
}

} // namespace

Track& thread_begins(bool programs_own) {
  Track& track = take_track(programs_own);
  sys::ProcessorTimes times;
  int64_t since = recorder.since(track.kernel_thread, times);
  if (since)
    track.begin = since;
  Label label{Kind::kThread, static_cast<uint8_t>(thread_flags(track) | kThreadFlagBegins)};
  label.worker = track.kernel_thread;
  record(track, track.begin, track.begin, 0, 0, 0, label);
  if (times.ran)
    record_processor(track, since, times, kProcessorFlagFirst);
  else
    look_at_processor(track, kProcessorFlagFirst);
  if (listening(kTool))
    tool_thread_begins(track);
  if (listening(kRecorder)) {
    Apart apart;
    track.hardware.open(); // the record has opened the log, which knows what there is
  }
  return track;
}

void thread_ends(Track& track) {
  look_at_processor(track);
  Label label{Kind::kThread, thread_flags(track)};
  label.worker = track.kernel_thread;
  record(track, track.begin, sys::ticks(), 0, 0, 0, label);
  if (listening(kTool))
    tool_thread_ends(track);
  return_track(track);
}

void region_begins(Track& track, RegionTrace& trace, uint64_t region, Code body, int threads,
                   const RegionCall& call) {
  trace.id = track.next_id();
  trace.region = region;
  trace.body = address(body);
  trace.codeptr = call.site.code;
  if (listening(kTool))
    tool_region_begins(track, trace.tool, threads, call.threads,
                       ompt_parallel_team |
                           unsigned{call.runs_itself ? ompt_parallel_invoker_program
                                                     : ompt_parallel_invoker_runtime},
                       call.site);
  trace.begin = sys::ticks();
}

void region_ends(Track& track, RegionTrace& trace, int threads) {
  Label label{Kind::kRegion};
  label.worker = static_cast<uint32_t>(threads);
  record(track, trace.begin, trace.joined.load(std::memory_order_relaxed), track.task(), trace.id,
         trace.body, label);
  if (listening(kTool))
    tool_region_ends(track, trace.tool);
}

void implicit_begins(Track& track, TaskTrace& task, TaskTrace* outer, uint64_t body,
                     const Part& part) {
  task.parent = 0;
  task.created = 0;
  task.place = 0;
  task.flags = 0;
  task.notable = false;
  task.id = track.next_id();
  task.body = body;
  task.outer = outer;
  task.creator = track.number;
  task.creator_domain = track.domain;
  task.data_domain = kNoDomain;
  if (listening(kTool))
    tool_implicit_begins(track, task.tool, part.region.tool, part.number, part.initial);
  track.current = &task;
  record_hardware(track);
  glance_at_processor(track);
  task.begin = sys::ticks();
}

void implicit_ends(Track& track, TaskTrace& task, uint64_t region, int member) {
  Label label{Kind::kImplicit, 0, task.creator_domain, kNoDomain, static_cast<uint32_t>(member)};
  record(track, task.begin, sys::ticks(), task.id, region, task.body, label);
  record_hardware(track);
  glance_at_processor(track);
}

void implicit_left(Track& track, TaskTrace& task) {
  if (track.current != &task)
    return;
  if (listening(kTool))
    tool_implicit_ends(track, task.tool);
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

void task_discarded(Track& track, TaskTrace& task, uint8_t flags, bool by_region) {
  point(track, task.id, task.parent, task.body,
        label_of(task, static_cast<uint8_t>(flags | kTaskFlagCancelled)));
  if (listening(kTool))
    tool_task_discarded(track, task.tool, by_region ? ompt_cancel_parallel : ompt_cancel_taskgroup);
}

void task_met(Track& track, TaskTrace& task, Code body) {
  task.id = track.next_id();
  task.body = address(body);
  task.creator_domain = task.data_domain = kNoDomain;
}

void group_begins(Track& track, Code codeptr) {
  if (listening(kTool))
    tool_group_begins(track, codeptr);
}

void mutex_asked(Track& track, const void* mutex, MutexKind kind, bool tries, Code codeptr) {
  if (listening(kTool))
    tool_mutex_asked(track, mutex, tool_mutex(kind, tries), codeptr);
}

void mutex_missed(Track& track) {
  if (listening(kTool))
    tool_waits_no_more(track);
}

void mutex_acquired(Track& track, const void* mutex, MutexKind kind, bool tries, Code codeptr,
                    int64_t asked, bool waited) {
  int64_t now = sys::ticks();
  if (listening(kTool))
    tool_mutex_acquired(track, mutex, tool_mutex(kind, tries), codeptr);
  auto flags =
      static_cast<uint8_t>(static_cast<uint8_t>(kind) | (waited ? kMutexFlagContended : 0));
  record(track, asked, now, track.task(), address(mutex), address(codeptr),
         {Kind::kMutexWait, flags});
  if (track.held_count < Track::kMostHeld)
    track.held[track.held_count++] = {mutex, now, address(codeptr), flags};
}

void mutex_released(Track& track, const void* mutex, MutexKind kind, Code codeptr) {
  Held held{};
  for (int i = track.held_count - 1; i >= 0; --i) {
    if (track.held[i].mutex != mutex)
      continue;
    held = track.held[i];
    track.held[i] = track.held[--track.held_count];
    break;
  }
  if (listening(kTool))
    tool_mutex_released(track, mutex, tool_mutex(kind, false), codeptr);
  if (held.mutex)
    record(track, held.since, sys::ticks(), track.task(), address(mutex), held.place,
           {Kind::kMutexHeld, held.flags});
}

void ordered_begins(Track& track, const void* loop, Code codeptr) {
  if (listening(kTool))
    tool_mutex_acquired(track, loop, ompt_mutex_ordered, codeptr);
}

void ordered_ends(Track& track, const void* loop, Code codeptr) {
  if (listening(kTool))
    tool_mutex_released(track, loop, ompt_mutex_ordered, codeptr);
}

void lock_entered_again(Track& track, const void* mutex, Code codeptr) {
  mutex_missed(track); // it has not waited
  if (listening(kTool))
    tool_nest_lock(track, mutex, ompt_scope_begin, codeptr);
}

void lock_left_once(Track& track, const void* mutex, Code codeptr) {
  if (listening(kTool))
    tool_nest_lock(track, mutex, ompt_scope_end, codeptr);
}

void work_begins(Track& track, WorkTrace& work, Kind kind, uint64_t trips, uint8_t flags,
                 Code codeptr) {
  work_ends(track, work);
  work.kind = kind;
  work.flags = flags;
  work.in_chunk = false;
  work.trips = trips;
  work.place = address(codeptr);
  work.begin = sys::ticks();
  if (listening(kTool))
    tool_work(track, tool_work_of(work), ompt_scope_begin, trips, codeptr);
}

void dispatch_begins(Track& track, const WorkTrace& work, uint64_t first, uint64_t count) {
  if (!listening(kTool))
    return;
  if (work.kind == Kind::kSections)
    return tool_dispatch(track, ompt_dispatch_section, {.ptr = const_cast<void*>(code_of(work))});
  ompt_dispatch_chunk_t chunk{first, count};
  tool_dispatch(track,
                work.flags & kLoopFlagDistribute ? ompt_dispatch_distribute_chunk
                                                 : ompt_dispatch_ws_loop_chunk,
                {.ptr = &chunk});
}

void chunk_begins(Track& track, WorkTrace& work, uint64_t first, uint64_t count) {
  dispatch_begins(track, work, first, count);
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
  if (work.kind != Kind::kSingle)
    record(track, work.begin, sys::ticks(), track.task(), work.trips, work.place,
           {work.kind, work.flags});
  if (listening(kTool))
    tool_work(track, tool_work_of(work), ompt_scope_end, work.trips, code_of(work));
  work.kind = Kind::kNone;
}

void taskloop_begins(Track& track, uint64_t trips, Code codeptr, bool grouped) {
  if (!listening(kTool))
    return;
  tool_work(track, ompt_work_taskloop, ompt_scope_begin, trips, codeptr);
  if (grouped)
    tool_group_begins(track, codeptr);
}

void taskloop_ends(Track& track, uint64_t trips, Code codeptr) {
  if (listening(kTool))
    tool_work(track, ompt_work_taskloop, ompt_scope_end, trips, codeptr);
}

void single_met(Track& track, WorkTrace& work, bool executes, Code codeptr) {
  point(track, track.task(), 0, address(codeptr), {Kind::kSingle, executes});
  if (!listening(kTool))
    return;
  if (executes)
    return work_begins(track, work, Kind::kSingle, 1, 0, codeptr);
  work_ends(track, work);
  tool_work(track, ompt_work_single_other, ompt_scope_begin, 1, codeptr);
  tool_work(track, ompt_work_single_other, ompt_scope_end, 1, codeptr);
}

void doacross_traced(Track& track, ompt_dependence_type_t kind, const uint64_t* iteration,
                     unsigned rank) {
  if (listening(kTool))
    tool_doacross(track, kind, iteration, rank);
}

void cancel_traced(Track& track, int flags, Code codeptr) {
  if (listening(kTool))
    tool_cancel(track, flags, codeptr);
}

void error_traced(ompt_severity_t severity, const char* message, std::size_t length, Code codeptr) {
  if (listening(kTool))
    tool_error(severity, message, length, codeptr);
}

int control_tool(uint64_t command, uint64_t modifier, void* argument, const CallSite& site) {
  constexpr int kNoTool = -2; // omp_control_tool_notool
  return tool_is_there() ? tool_control(command, modifier, argument, site) : kNoTool;
}

void tasks_stolen(Track& track, uint32_t other, uint64_t tasks, uint8_t flags) {
  Label label{tasks ? Kind::kSteal : Kind::kStealFailed, flags};
  label.worker = other;
  point(track, track.task(), tasks, 0, label);
}

void tasks_requested(Track& track, uint32_t other, uint8_t flags) {
  Label label{Kind::kRequest, flags};
  label.worker = other;
  point(track, track.task(), 0, 0, label);
}

void Waiting::begin(Kind what, const CallSite& where, uint64_t with, uint8_t how,
                    const std::atomic<int64_t>* joined_at) {
  kind = what;
  codeptr = where.code;
  other = with;
  flags = how;
  joined = joined_at;
  XOMP_ASSERT(track->is_own());
  outer = track->wait;
  track->wait = this;
  since = sys::ticks();
  if (track->current)
    track->current->notable = true;
  ompt_sync_region_t region;
  if (listening(kTool) && as_sync_region(region))
    tool_waiting_begins(*track, region, where);
  if (joined) // see `stalls`
    trace_stall(true);
}

void Waiting::end() {
  if (joined)
    trace_stall(false);
  ompt_sync_region_t region;
  if (listening(kTool) && as_sync_region(region))
    tool_waiting_ends(*track, region, joins(), codeptr);
  XOMP_ASSERT(track->is_own() && track->wait == this);
  track->wait = outer;
  record(*track, since, end_of_wait(), track->task(), other, joins() ? 0 : address(codeptr),
         {kind, flags});
}

/// For a tool. A thread that cannot know when its wait is over waits all the time: the region may
/// be over when there is nothing to run for the first time.
void Waiting::stalls(bool begins) const {
  if (!joined)
    trace_stall(begins);
}

void Waiting::trace_stall(bool begins) const {
  ompt_sync_region_t region;
  if (listening(kTool) && as_sync_region(region))
    tool_stalls(*track, region, begins ? ompt_scope_begin : ompt_scope_end, !begins && joins(),
                codeptr);
}

/// False: OMPT has no such region.
bool Waiting::as_sync_region(ompt_sync_region_t& region) const {
  switch (kind) {
  case Kind::kBarrier:
    region = flags & kBarrierFlagJoin       ? ompt_sync_region_barrier_implicit_parallel
             : flags & kBarrierFlagImplicit ? ompt_sync_region_barrier_implicit_workshare
                                            : ompt_sync_region_barrier_explicit;
    return true;
  case Kind::kTaskwait:
    region = ompt_sync_region_taskwait;
    return !(flags & kTaskwaitFlagDependences);
  case Kind::kTaskgroup:
    region = ompt_sync_region_taskgroup;
    return true;
  default:
    return false;
  }
}

int64_t Waiting::end_of_wait() const {
  int64_t now = sys::ticks();
  // Relaxed: an earlier region's, which was before this wait began, or this one's.
  int64_t over = joined ? joined->load(std::memory_order_relaxed) : 0;
  return over >= since ? std::min(over, now) : now;
}

void Stalling::begin(Track& track) {
  since = sys::ticks();
  if (track.wait)
    track.wait->stalls(true);
}

/// Apart from what was before: a thread that sleeps wants no processor.
void Stalling::falls_asleep(Track& track) {
  slept = true;
  look_at_processor(track);
}

void Stalling::end(Track& track) {
  const Waiting* wait = track.wait;
  if (wait)
    wait->stalls(false);
  if (slept)
    look_at_processor(track);
  int64_t now = wait ? wait->end_of_wait() : sys::ticks();
  if (now > since)
    record(track, since, now, track.task(),
           static_cast<uint64_t>(wait ? wait->what() : Kind::kNone), 0,
           {Kind::kStall, static_cast<uint8_t>(slept ? kStallFlagSlept : 0)});
  since = 0;
  slept = false;
}

} // namespace xomp::trace
