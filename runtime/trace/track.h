// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A track: what listeners keep of one thread of the system, which may act in several teams. The
// track of a thread that has ended is the next new thread's: there are as many as there were
// threads at a time.
#pragma once
#include <cstdint>

#include "sys/inspection.h"
#include "trace/hardware.h"
#include "trace/log_format.h"
#include "trace/task_trace.h"
#include "trace/writer.h"

namespace xomp::trace {

class Waiting;

/// A mutex that the thread holds.
struct Held {
  const void* mutex;
  int64_t since;
  uint64_t place;
  uint8_t flags;
};

struct Track {
  explicit Track(uint32_t number) : number(number), writer(number) {}

  /// By its own thread. For assertions: asks the system.
  bool is_own() const { return kernel_thread == static_cast<uint32_t>(sys::kernel_thread_id()); }
  uint64_t next_id() { return uint64_t{number} << 40 | ++ids; }
  uint64_t task() const { return current ? current->id : 0; }

  uint32_t number; ///< from 1 on
  uint32_t kernel_thread = 0;
  uint64_t ids = 0;             ///< of tasks and regions, so far
  TaskTrace* current = nullptr; ///< the task that the thread is in; null: unknown
  uint8_t domain = kNoDomain;
  Waiting* wait = nullptr;   ///< the innermost wait (events/events.h)
  bool programs_own = false; ///< of the program's threads
  int64_t begin = 0;         ///< ticks when the thread was met
  int held_count = 0;
  static constexpr int kMostHeld = 16; ///< of more, only the waits are told
  Held held[kMostHeld];
  HardwareCounters hardware;
  static constexpr int kClosed = -2, kNoTimes = -1;
  int times = kClosed; ///< file of what the kernel counts of it
  int64_t looked = 0;  ///< nanoseconds when that was last recorded
  ToolThread tool;
  Track* next_free = nullptr;
  Writer writer;
};

/// The calling thread's, from here on. `programs_own`: it is none that the runtime made.
Track& take_track(bool programs_own);
/// Its thread ends.
void return_track(Track& track);

/// In the child after fork: of all threads there is the calling one, with `own` or without a track.
void keep_track_after_fork(Track* own);

} // namespace xomp::trace
