// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is kept for a tool (OMPT: OpenMP 5.2, chapter 19) of regions, tasks and threads. All of it
// is set only where a tool is there; the words that belong to the tool are 0 at first.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "omp-tools.h"
#include "sys/brief_lock.h"

namespace xomp {
struct PlacePartition; // place/places.h
}

namespace xomp::trace {

struct TaskTrace; // trace/task_trace.h
struct Track;     // trace/track.h

/// ompt_enumerate_mutex_impls: the only kind of mutex that there is.
inline constexpr unsigned kToolMutex = 1;

/// Where the program has called the runtime.
struct CallSite {
  const void* code = nullptr;  ///< the return address
  const void* frame = nullptr; ///< the caller's end of the stack, its canonical frame address
  /// The program's function, where the body of a region is one of ours that calls it; else null.
  const void* calls = nullptr;
};

/// What a tool keeps of a parallel region. It lies in the team, whose next region uses it again.
struct ToolRegion {
  ompt_data_t data;
  ToolRegion* outer;      ///< null: it is that of an initial task
  TaskTrace* encountered; ///< the task that has come to it, or null
  int threads;
  int flags;        ///< ompt_parallel_flag_t
  const void* code; ///< behind the construct
  /// Changes when it begins and when it ends. Relaxed: a thread that is in the region looks, or has
  /// been and wants to know whether it still is there.
  std::atomic<uint32_t> turn{0};
};

/// How it stands with a detachable task.
enum class Fate : uint8_t {
  kOpen,      ///< its body runs or is yet to run, its event is open
  kFulfilled, ///< its event came before the end of its body
  kLeft,      ///< the other way around
  kOver,
};

struct ToolTask {
  ompt_data_t data;
  ompt_frame_t frame;
  ToolRegion* region;  ///< in which it runs
  uint32_t turn;       ///< of that
  int flags;           ///< ompt_task_flag_t
  int thread_num;      ///< of the thread that is in it
  unsigned index;      ///< of an implicit task, as it is told: also of a team in its league
  ompt_state_t before; ///< what that thread did before
  bool enters;         ///< its beginning has set the enter_frame of what the thread was in
  bool at_join;        ///< its thread waits at the end of a region that another thread ends
  void* memory;        ///< its arguments
  std::size_t bytes;
  ompt_dispatch_chunk_t chunk; ///< of a taskloop; no iterations: of none
  /// Held while its end or its fulfilment is told, so that a tool hears of them in one order.
  sys::BriefLock lock;
  Fate fate;
};

struct ToolThread {
  ompt_data_t data{};
  ompt_state_t state = ompt_state_undefined;
  ompt_wait_id_t wait_id = 0;
  ompt_task_status_t leaves = ompt_task_switch; ///< why it leaves the task that it is in next
  const PlacePartition* places = nullptr;
  ompt_dispatch_chunk_t chunk{}; ///< of the next task that it creates
  const void* base = nullptr;    ///< frame of the function that calls a worker's implicit tasks
  Track* beside = nullptr; ///< the system's thread has this one as well, and stands in for another
};

} // namespace xomp::trace
