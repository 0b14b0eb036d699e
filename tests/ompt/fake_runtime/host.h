// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host: what its entry points say, and which callbacks the checker has given it. Scenarios set
// the variables.
#pragma once
#include <cstdint>

#include "omp-tools.h"

namespace fake {

struct Fake {
  ompt_data_t data = {0};
  ompt_frame_t frame = {{0}, {0}, 0, 0};
  int flags = 0;
  int index = 0;
};

inline ompt_callback_t callbacks[64];
inline ompt_data_t region_data, initial_region_data;
inline int team_size = 1;
inline Fake initial, implicit_task;
inline Fake other_implicit; ///< of the second thread

inline thread_local Fake* current;
inline thread_local ompt_data_t thread_data;
inline thread_local int state = ompt_state_work_serial;
inline thread_local uint64_t state_mutex;
inline thread_local ompt_data_t* told_region = &initial_region_data;

// What the entry points do wrong.
inline bool forget_task, another_thread_data, enumerates_nothing, ids_repeat;
inline bool forgets_callbacks, refuses_callbacks;
inline const char* missing = "";

inline ompt_start_tool_result_t* tool;
inline void (*look)(); ///< xomp_ompt_check_here
/// An address in this program that is not taken for the runtime's: the runtime is where the entry
/// points are.
inline const void* here;
/// One in the "runtime".
const void* inside();

/// The checker is loaded and asked. False: it cannot be.
bool load(const char* path);
/// It is started.
void initialize();

template <class P> struct Pointed;
template <class F> struct Pointed<F*> {
  using type = F;
};
template <class P> using function_of = typename Pointed<P>::type;
template <class F> F* to(ompt_callbacks_t event) { return reinterpret_cast<F*>(callbacks[event]); }

#define CALL(event, ...)                                                                           \
  to<function_of<ompt_callback_##event##_t>>(ompt_callback_##event)(__VA_ARGS__)
using ompt_callback_sync_region_wait_t = ompt_callback_sync_region_t;
using ompt_callback_reduction_t = ompt_callback_sync_region_t;
using ompt_callback_lock_init_t = ompt_callback_mutex_acquire_t;
using ompt_callback_lock_destroy_t = ompt_callback_mutex_t;
using ompt_callback_mutex_acquired_t = ompt_callback_mutex_t;
using ompt_callback_mutex_released_t = ompt_callback_mutex_t;

} // namespace fake
