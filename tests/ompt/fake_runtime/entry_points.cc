// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios: one in which all is right, also played with entry points that are wrong.
#include "acts.h"
#include "scenarios.h"

namespace fake {
namespace {

const Setting kAll[] = {
    {"entry_point_missing", "no ompt_get_state", [] { missing = "ompt_get_state"; }},
    {"states_not_enumerated", "does not know of work in parallel",
     [] { enumerates_nothing = true; }},
    {"ids_repeat", "is not unique", [] { ids_repeat = true; }},
    {"callbacks_forgotten", "not what was set", [] { forgets_callbacks = true; }},
    {"callbacks_refused", "error for thread_begin", [] { refuses_callbacks = true; }},
};

} // namespace

const Settings entry_point_settings = {kAll, sizeof kAll / sizeof *kAll};

void all_right() {
  begin();
  into_region();
  look();
  create(a);
  create(b, ompt_task_explicit | ompt_task_undeferred);
  run(b);
  enter(ompt_sync_region_taskwait);
  state = ompt_state_work_parallel;
  run(a);
  state = ompt_state_wait_taskwait;
  leave(ompt_sync_region_taskwait);
  work(ompt_work_loop_dynamic, ompt_scope_begin);
  CALL(dispatch, &region_data, &current->data, ompt_dispatch_iteration, ompt_data_t{.value = 3});
  work(ompt_work_loop_dynamic, ompt_scope_end);
  CALL(lock_init, ompt_mutex_lock, 0, 0, 8, here);
  acquire(ompt_mutex_lock, 8);
  acquired(ompt_mutex_lock, 8);
  acquire(ompt_mutex_test_lock, 8);
  released(ompt_mutex_lock, 8);
  CALL(lock_destroy, ompt_mutex_lock, 8, here);
  wait_at(ompt_sync_region_barrier_explicit);
  out_of_region();
  finish();
}

} // namespace fake
