// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios: explicit tasks.
#include "acts.h"
#include "scenarios.h"

namespace fake {
namespace {

const Scenario kAll[] = {
    // schedule
    {"created_by_another_task", "schedule", "the thread is in task",
     [] {
       begin();
       into_region();
       create(a);
       CALL(sync_region, ompt_sync_region_taskwait, ompt_scope_beginend, &region_data, &a.data,
            here);
       run(a);
       out_of_region();
       finish();
     }},
    {"prior_is_not_current", "schedule", "the prior task is",
     [] {
       begin();
       into_region();
       create(a);
       create(b);
       schedule(implicit_task, ompt_task_switch, a);
       CALL(task_schedule, &implicit_task.data, ompt_task_switch, &b.data);
       CALL(task_schedule, &b.data, ompt_task_complete, &a.data);
     }},
    {"completed_twice", "data", "names no task",
     [] {
       begin();
       create(a);
       run(a);
       CALL(task_schedule, &a.data, ompt_task_complete, &initial.data);
       finish();
     }},
    {"runs_twice_at_once", "schedule", "runs already",
     [] {
       begin();
       team_size = 2;
       region_begins(2);
       implicit_begins();
       create(a);
       schedule(implicit_task, ompt_task_switch, a);
       on_another_thread([] {
         implicit_begins(other_implicit, 1);
         CALL(task_schedule, &other_implicit.data, ompt_task_switch, &a.data);
         CALL(task_schedule, &a.data, ompt_task_complete, &other_implicit.data);
         wait_at(ompt_sync_region_barrier_explicit);
         implicit_ends(other_implicit);
       });
       current = &implicit_task;
       told_region = &region_data;
     }},
    {"tied_task_moves", "schedule", "goes on on another thread",
     [] {
       begin();
       team_size = 2;
       region_begins(2);
       implicit_begins();
       create(a);
       schedule(implicit_task, ompt_task_switch, a);
       schedule(a, ompt_task_yield, implicit_task);
       on_another_thread([] {
         implicit_begins(other_implicit, 1);
         schedule(other_implicit, ompt_task_switch, a);
         schedule(a, ompt_task_complete, other_implicit);
         wait_at(ompt_sync_region_barrier_explicit);
         implicit_ends(other_implicit);
       });
       wait_at(ompt_sync_region_barrier_explicit);
       out_of_region();
       finish();
     }},
    {"implicit_task_completed", "schedule", "is completed by scheduling",
     [] {
       begin();
       into_region();
       create(a);
       CALL(task_schedule, &implicit_task.data, ompt_task_complete, &a.data);
       current = &a;
       schedule(a, ompt_task_complete, implicit_task);
     }},
    {"late_event_of_running_task", "schedule", "its code is not over",
     [] {
       begin();
       create(a);
       schedule(initial, ompt_task_switch, a);
       CALL(task_schedule, &a.data, ompt_task_late_fulfill, nullptr);
       schedule(a, ompt_task_complete, initial);
       finish();
     }},
    {"early_event_of_detached_task", "schedule", "its code is over",
     [] {
       begin();
       create(a);
       schedule(initial, ompt_task_switch, a);
       schedule(a, ompt_task_detach, initial);
       CALL(task_schedule, &a.data, ompt_task_early_fulfill, nullptr);
       CALL(task_schedule, &a.data, ompt_task_late_fulfill, nullptr);
       finish();
     }},
    {"from_a_task_to_itself", "schedule", "to itself",
     [] {
       begin();
       CALL(task_schedule, &initial.data, ompt_task_switch, &initial.data);
       finish();
     }},
    {"taskwait_that_is_none", "schedule", "is no taskwait",
     [] {
       begin();
       create(a);
       CALL(task_schedule, &a.data, ompt_taskwait_complete, nullptr);
       finish();
     }},

    {"task_left_behind_by_a_thread", "", "",
     [] {
       begin();
       create(a);
       finish();
       on_another_thread([] {
         static ompt_data_t region;
         told_region = &region;
         other_implicit.flags = ompt_task_initial;
         CALL(implicit_task, ompt_scope_begin, &region, &other_implicit.data, 1, 1,
              ompt_task_initial);
         run(a);
         CALL(implicit_task, ompt_scope_end, nullptr, &other_implicit.data, 0, 1,
              ompt_task_initial);
       });
     }},

    // constraint
    {"unrelated_task_in_a_taskwait", "constraint", "does not descend",
     [] {
       begin();
       into_region();
       create(a);
       create(b);
       schedule(implicit_task, ompt_task_switch, a);
       enter(ompt_sync_region_taskwait);
       state = ompt_state_work_parallel;
       run(b);
       state = ompt_state_wait_taskwait;
       leave(ompt_sync_region_taskwait);
       schedule(a, ompt_task_complete, implicit_task);
       out_of_region();
       finish();
     }},

    // dependences
    {"begins_before_its_source", "dependences", "begins before task",
     [] {
       begin();
       create(a, ompt_task_explicit, 1);
       ompt_dependence_t out = {{0}, ompt_dependence_type_out};
       CALL(dependences, &a.data, &out, 1);
       create(b, ompt_task_explicit, 1);
       CALL(dependences, &b.data, &out, 1);
       CALL(task_dependence, &a.data, &b.data);
       run(b);
       run(a);
       finish();
     }},
    {"dependences_not_told", "dependences", "have not been told",
     [] {
       begin();
       create(a, ompt_task_explicit, 1);
       run(a);
       finish();
     }},
    {"dependences_not_announced", "dependences", "created without dependences",
     [] {
       begin();
       create(a);
       ompt_dependence_t out = {{0}, ompt_dependence_type_out};
       CALL(dependences, &a.data, &out, 1);
       run(a);
       finish();
     }},
    {"dependences_told_twice", "dependences", "are told again",
     [] {
       begin();
       create(a, ompt_task_explicit, 1);
       ompt_dependence_t out = {{0}, ompt_dependence_type_out};
       CALL(dependences, &a.data, &out, 1);
       CALL(dependences, &a.data, &out, 1);
       run(a);
       finish();
     }},
    {"dependence_told_late", "dependences", "told after its begin",
     [] {
       begin();
       create(a, ompt_task_explicit, 1);
       create(b, ompt_task_explicit, 1);
       ompt_dependence_t out = {{0}, ompt_dependence_type_out};
       CALL(dependences, &a.data, &out, 1);
       CALL(dependences, &b.data, &out, 1);
       schedule(initial, ompt_task_switch, b);
       CALL(task_dependence, &a.data, &b.data);
       schedule(b, ompt_task_complete, initial);
       run(a);
       finish();
     }},
};

} // namespace

const Scenarios tasks_scenarios = scenarios_of(kAll);

} // namespace fake
