// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ompt/callbacks.h"

#include "ompt/tool_events.h"
#include "sys/assert.h"
#include "sys/clock.h"
#include "sys/short_wait.h"

namespace xomp::trace {

constinit std::atomic<ompt_callback_t> callbacks[kCallbacks] = {};

namespace {

constexpr uint32_t kSpread = 64;
constinit Running all_running[kSpread] = {};
constinit __thread uint32_t own_callbacks = 0; ///< that the calling thread is in

bool others_run() {
  uint32_t sum = 0;
  // Sequentially consistent: see `quiesce`. Acquires what the callbacks did.
  for (const Running& running : all_running)
    sum += running.count.load(std::memory_order_seq_cst);
  return sum != own_callbacks;
}

/// How often an event is told when it happens (19.2.4). What a compiler's code does without a call
/// the runtime cannot tell: docs/ompt.md.
ompt_set_result_t promise(int event) {
  switch (event) {
  case ompt_callback_thread_begin:
  case ompt_callback_thread_end:
  case ompt_callback_parallel_begin:
  case ompt_callback_parallel_end:
  case ompt_callback_task_create:
  case ompt_callback_task_schedule:
  case ompt_callback_implicit_task:
  case ompt_callback_control_tool:
  case ompt_callback_sync_region_wait:
  case ompt_callback_sync_region:
  case ompt_callback_mutex_released:
  case ompt_callback_mutex_acquire:
  case ompt_callback_mutex_acquired:
  case ompt_callback_nest_lock:
  case ompt_callback_lock_init:
  case ompt_callback_lock_destroy:
  case ompt_callback_dependences:
  case ompt_callback_task_dependence:
  case ompt_callback_cancel:
  case ompt_callback_error:
    return ompt_set_always;
  case ompt_callback_work:
  case ompt_callback_masked:
    return ompt_set_sometimes_paired;
  case ompt_callback_dispatch:
  case ompt_callback_flush:
    return ompt_set_sometimes;
  default:
    return ompt_set_never;
  }
}

bool exists(int event) { return event > 0 && event < kCallbacks; }

} // namespace

ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback) {
  if (!exists(event))
    return ompt_set_error;
  ompt_set_result_t result = promise(event);
  if (result != ompt_set_never)
    callbacks[event].store(callback, std::memory_order_release);
  return result;
}

int get_callback(ompt_callbacks_t event, ompt_callback_t* callback) {
  if (!exists(event))
    return 0;
  *callback = callbacks[event].load(std::memory_order_acquire);
  return *callback != nullptr;
}

Running& begin_callback() {
  Running& running = all_running[own_track ? own_track->number % kSpread : 0];
  // Sequentially consistent: see `Asked`.
  running.count.fetch_add(1, std::memory_order_seq_cst);
  ++own_callbacks;
  return running;
}

void end_callback(Running& running) {
  XOMP_ASSERT(own_callbacks > 0);
  --own_callbacks;
  // Release: a thread that waits for it sees what it did.
  running.count.fetch_sub(1, std::memory_order_release);
}

void clear_callbacks() {
  // Sequentially consistent: see `quiesce`.
  for (auto& callback : callbacks)
    callback.store(nullptr, std::memory_order_seq_cst);
}

void quiesce() {
  constexpr double kPatience = 1; // seconds
  // Either a thread that counts itself finds no callback, or it is seen to be counted.
  clear_callbacks();
  sys::ShortWait wait;
  for (double begin = sys::seconds(); others_run() && sys::seconds() - begin < kPatience;)
    wait.once();
}

} // namespace xomp::trace
