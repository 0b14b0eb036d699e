// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios: what a task begins and ends while it runs, and mutual exclusion.
#include "acts.h"
#include "scenarios.h"

namespace fake {
namespace {

const Scenario kAll[] = {
    // waits
    {"taskwait_leaves_a_child", "waits", "of its children are not over",
     [] {
       begin();
       create(a);
       wait_at(ompt_sync_region_taskwait);
       state = ompt_state_work_serial;
       run(a);
       finish();
     }},
    {"taskgroup_leaves_a_descendant", "waits", "tasks in it are not over",
     [] {
       begin();
       sync_region(ompt_sync_region_taskgroup, ompt_scope_begin);
       create(a);
       schedule(initial, ompt_task_switch, a);
       create(b);
       schedule(a, ompt_task_complete, initial);
       sync_region(ompt_sync_region_taskgroup, ompt_scope_end);
       run(b);
       finish();
     }},
    {"barrier_leaves_a_task", "waits", "leaves a barrier",
     [] {
       begin();
       into_region();
       create(a);
       wait_at(ompt_sync_region_barrier_explicit);
       run(a);
       out_of_region();
       finish();
     }},
    {"barrier_of_a_cancelled_region", "", "",
     [] {
       begin();
       into_region();
       create(a);
       CALL(cancel, &implicit_task.data, ompt_cancel_parallel | ompt_cancel_activated, here);
       wait_at(ompt_sync_region_barrier_explicit);
       run(a);
       out_of_region();
       finish();
     }},
    {"region_leaves_a_task", "ends+waits", "of its tasks are not over",
     [] {
       begin();
       into_region();
       create(a);
       out_of_region();
     }},
    {"barrier_leaves_a_detached_task", "waits", "leaves a barrier",
     [] {
       begin();
       into_region();
       create(a);
       schedule(implicit_task, ompt_task_switch, a);
       schedule(a, ompt_task_detach, implicit_task);
       wait_at(ompt_sync_region_barrier_explicit);
       CALL(task_schedule, &a.data, ompt_task_late_fulfill, nullptr);
       out_of_region();
       finish();
     }},

    // nesting
    {"work_not_begun", "nesting", "which it has not begun",
     [] {
       begin();
       work(ompt_work_loop, ompt_scope_end);
       finish();
     }},
    {"work_ends_as_another", "nesting", "which it has not begun",
     [] {
       begin();
       work(ompt_work_loop_static, ompt_scope_begin);
       work(ompt_work_loop_dynamic, ompt_scope_end);
       work(ompt_work_loop_static, ompt_scope_end);
       finish();
     }},
    {"constructs_overlap", "nesting", "that it began later",
     [] {
       begin();
       work(ompt_work_sections, ompt_scope_begin);
       CALL(masked, ompt_scope_begin, &initial_region_data, &initial.data, here);
       work(ompt_work_sections, ompt_scope_end);
       finish();
     }},
    {"task_ends_inside_a_construct", "nesting", "are open",
     [] {
       begin();
       create(a);
       schedule(initial, ompt_task_switch, a);
       sync_region(ompt_sync_region_taskgroup, ompt_scope_begin);
       schedule(a, ompt_task_complete, initial);
       finish();
     }},
    {"wait_outside_of_a_synchronization", "nesting", "outside of such a synchronization",
     [] {
       begin();
       wait_region(ompt_sync_region_taskwait, ompt_scope_begin);
       state = ompt_state_overhead;
       wait_region(ompt_sync_region_taskwait, ompt_scope_end);
       state = ompt_state_work_serial;
       finish();
     }},
    {"barrier_in_an_explicit_task", "nesting", "explicit task",
     [] {
       begin();
       create(a);
       schedule(initial, ompt_task_switch, a);
       sync_region(ompt_sync_region_barrier_explicit, ompt_scope_begin);
       schedule(a, ompt_task_cancel, initial);
       finish();
     }},
    {"dispatch_outside_of_work", "nesting", "has begun no worksharing",
     [] {
       begin();
       CALL(dispatch, &initial_region_data, &initial.data, ompt_dispatch_iteration,
            ompt_data_t{.value = 1});
       finish();
     }},
    {"reduction_not_ended", "nesting", "are open",
     [] {
       begin();
       CALL(reduction, ompt_sync_region_reduction, ompt_scope_begin, &initial_region_data,
            &initial.data, here);
       finish();
     }},

    // mutexes
    {"acquired_without_asking", "mutexes", "was not asked for",
     [] {
       begin();
       acquired(ompt_mutex_critical, 5);
       released(ompt_mutex_critical, 5);
       finish();
     }},
    {"asked_and_never_acquired", "mutexes", "has not been told to have it",
     [] {
       begin();
       acquire(ompt_mutex_critical, 5);
       create(a);
       run(a);
       finish();
     }},
    {"another_one_acquired", "mutexes", "was not asked for",
     [] {
       begin();
       acquire(ompt_mutex_critical, 5);
       acquired(ompt_mutex_critical, 6);
       released(ompt_mutex_critical, 6);
       finish();
     }},
    {"released_without_having", "mutexes", "which it does not have",
     [] {
       begin();
       released(ompt_mutex_atomic, 5);
       finish();
     }},
    {"asks_for_what_it_has", "mutexes", "which it has",
     [] {
       begin();
       acquire(ompt_mutex_ordered, 5);
       acquired(ompt_mutex_ordered, 5);
       acquire(ompt_mutex_ordered, 5);
       acquired(ompt_mutex_ordered, 5);
       released(ompt_mutex_ordered, 5);
       finish();
     }},
    {"task_ends_in_a_critical", "mutexes", "and has critical",
     [] {
       begin();
       create(a);
       schedule(initial, ompt_task_switch, a);
       acquire(ompt_mutex_critical, 5);
       acquired(ompt_mutex_critical, 5);
       schedule(a, ompt_task_complete, initial);
       finish();
     }},
    {"lock_not_initialized", "mutexes", "has not been initialized",
     [] {
       begin();
       acquire(ompt_mutex_lock, 5);
       acquired(ompt_mutex_lock, 5);
       released(ompt_mutex_lock, 5);
       finish();
     }},
    {"lock_destroyed_twice", "mutexes", "was not initialized",
     [] {
       begin();
       CALL(lock_init, ompt_mutex_nest_lock, 0, 0, 5, here);
       CALL(lock_destroy, ompt_mutex_nest_lock, 5, here);
       CALL(lock_destroy, ompt_mutex_nest_lock, 5, here);
       finish();
     }},
    {"nest_lock_released_inside", "mutexes", "inner rounds are open",
     [] {
       begin();
       CALL(lock_init, ompt_mutex_nest_lock, 0, 0, 5, here);
       acquire(ompt_mutex_nest_lock, 5);
       acquired(ompt_mutex_nest_lock, 5);
       acquire(ompt_mutex_nest_lock, 5);
       CALL(nest_lock, ompt_scope_begin, 5, here);
       released(ompt_mutex_nest_lock, 5);
       finish();
     }},
    {"nest_lock_round_too_many", "mutexes", "the last round",
     [] {
       begin();
       CALL(lock_init, ompt_mutex_nest_lock, 0, 0, 5, here);
       acquire(ompt_mutex_nest_lock, 5);
       acquired(ompt_mutex_nest_lock, 5);
       CALL(nest_lock, ompt_scope_end, 5, here);
       finish();
     }},
};

} // namespace

const Scenarios sync_scenarios = scenarios_of(kAll);

} // namespace fake
