// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/track.h"

#include <utility>

#include <unistd.h>

#include "sys/assert.h"
#include "sys/brief_lock.h"
#include "sys/inspection.h"
#include "sys/memory.h"
#include "sys/ticks.h"

namespace xomp::trace {
namespace {

constinit sys::BriefLock lock;
constinit Track* free_tracks = nullptr;
constinit uint32_t tracks = 0;

Track& any_track() {
  lock.lock();
  Track* track = free_tracks;
  uint32_t number = tracks + !track;
  if (track)
    free_tracks = track->next_free;
  tracks = number > tracks ? number : tracks;
  lock.unlock();
  return track ? *track : *sys::create<Track>(number);
}

/// A program that closes all its files may have given the number to another one.
void close_times(Track& track) {
  sys::ProcessorTimes times;
  if (sys::read_processor_times(track.times, times))
    close(track.times);
  track.times = Track::kClosed;
  track.looked = 0;
}

} // namespace

Track& take_track(bool programs_own) {
  Track& track = any_track();
  track.kernel_thread = static_cast<uint32_t>(sys::kernel_thread_id());
  track.current = nullptr;
  track.wait = nullptr;
  track.programs_own = programs_own;
  track.held_count = 0;
  track.tool = {};
  track.begin = sys::ticks();
  track.writer.take(-1, track.kernel_thread);
  return track;
}

void return_track(Track& track) {
  XOMP_ASSERT(track.is_own());
  track.hardware.close();
  close_times(track);
  lock.lock();
  track.next_free = free_tracks;
  free_tracks = &track;
  lock.unlock();
}

void keep_track_after_fork(Track* own) {
  lock.free_after_fork();
  // The others are lost: their writers may have been in the middle of anything.
  free_tracks = nullptr;
  if (!own)
    return;
  own->kernel_thread = static_cast<uint32_t>(sys::kernel_thread_id());
  own->hardware.close(); // they count the parent's thread
  close_times(*own);     // of the parent's thread, too
  own->writer.reset();
  // The parent's time is not the child's. Within a region spans that are open begin where they did.
  bool sequential = !own->wait && (!own->current || !own->current->outer);
  if (sequential)
    own->begin = sys::ticks();
  if (sequential && own->current)
    own->current->begin = own->begin;
  own->writer.take(own->domain == kNoDomain ? -1 : own->domain, own->kernel_thread);
}

} // namespace xomp::trace
