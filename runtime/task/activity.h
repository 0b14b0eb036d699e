// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a worker is doing, for whoever looks at a program that does not go on (team/watchdog.h).
// Only slow waits and deferred tasks leave a note, a relaxed store each; a task that is run at once
// does not.
#pragma once
#include <atomic>
#include <cstdint>

#include "task/worker.h"

namespace xomp {

enum class ActivityKind : uint8_t {
  kProgram, ///< what the program wrote: the implicit task, tasks run at once in it
  kTask,    ///< a deferred task
  kBarrier,
  kJoin,          ///< the region's end, on its master
  kWaitForRegion, ///< the region's end on another member: it helps, and waits for the next region
  kTaskwait,
  kTaskgroup,
  kDependence, ///< taskwait depend; a task that is not deferred, and its predecessors
  kOrdered,
  kDoacross,
  kLock,      ///< omp locks, critical, atomic
  kConstruct, ///< a worksharing construct that is not open yet, or too far ahead
  kParked,    ///< stopped helping; waits for the next region
  kParking,   ///< the master, until all members have parked
  kStart,     ///< a new thread, until its first region
};
inline constexpr int kActivityBits = 4;

/// One thing that the worker does, inside what it did before. `Worker::activity` holds the
/// innermost sixteen, the innermost in its low bits.
class Activity {
public:
  Activity(Worker& worker, ActivityKind doing)
      // Relaxed: written by this worker only; whoever reads it wants a picture, and orders nothing
      // by it.
      : word(worker.activity), before(word.load(std::memory_order_relaxed)) {
    word.store(before << kActivityBits | static_cast<uint64_t>(doing), std::memory_order_relaxed);
  }
  ~Activity() { word.store(before, std::memory_order_relaxed); }
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

private:
  std::atomic<uint64_t>& word;
  uint64_t before;
};

} // namespace xomp
