// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios: threads, regions and implicit tasks, and the data that names them.
#include "acts.h"
#include "scenarios.h"

namespace fake {
namespace {

const Scenario kAll[] = {
    // data
    {"task_data_not_fresh", "data", "not zero at first",
     [] {
       begin();
       a.data.value = 7;
       create(a);
       run(a);
       finish();
     }},
    {"region_data_not_fresh", "data", "not zero at first",
     [] {
       begin();
       region_data.value = 7;
       into_region();
       out_of_region();
       finish();
     }},
    {"thread_data_not_fresh", "data", "not zero at first",
     [] {
       thread_data.value = 7;
       begin();
       finish();
     }},
    {"task_not_created", "data", "names no task",
     [] {
       begin();
       CALL(task_schedule, &initial.data, ompt_task_switch, &a.data);
       finish();
     }},
    {"task_run_after_its_end", "data", "is over",
     [] {
       begin();
       create(a);
       schedule(initial, ompt_task_switch, a);
       create(b);
       schedule(a, ompt_task_complete, initial);
       CALL(task_schedule, &initial.data, ompt_task_switch, &a.data);
       run(b);
       finish();
     }},

    // threads
    {"thread_begins_twice", "threads", "has begun already",
     [] {
       begin();
       thread_begins();
       finish();
     }},
    {"callback_before_thread_begin", "threads", "has not begun",
     [] { CALL(flush, &thread_data, here); }},
    {"thread_ends_in_a_task", "ends+threads", "still in task",
     [] {
       begin();
       thread_ends();
     }},
    {"thread_ends_with_foreign_data", "threads", "not that of the thread's beginning",
     [] {
       begin();
       CALL(implicit_task, ompt_scope_end, nullptr, &initial.data, 0, 1, ompt_task_initial);
       CALL(thread_end, &initial.data);
     }},
    {"flush_with_foreign_data", "threads", "not that of this thread",
     [] {
       begin();
       CALL(flush, &initial.data, here);
       finish();
     }},

    // regions
    {"region_ends_twice", "regions", "has not begun, or is over",
     [] {
       begin();
       into_region();
       out_of_region();
       region_ends();
       finish();
     }},
    {"region_ends_without_its_tasks", "regions", "of its 0 implicit tasks",
     [] {
       begin();
       region_begins();
       region_ends();
       finish();
     }},
    {"implicit_task_of_no_region", "regions", "has not begun, or is over",
     [] {
       begin();
       CALL(implicit_task, ompt_scope_begin, &region_data, &implicit_task.data, 1, 0,
            ompt_task_implicit);
       finish();
     }},
    {"foreign_region_at_a_barrier", "regions", "belongs to region",
     [] {
       begin();
       into_region();
       told_region = &region_data;
       CALL(work, ompt_work_loop, ompt_scope_begin, &initial_region_data, &current->data, 1, here);
       CALL(work, ompt_work_loop, ompt_scope_end, &region_data, &current->data, 1, here);
       out_of_region();
       finish();
     }},
    {"no_region_at_a_taskwait", "regions", "no data of the region",
     [] {
       begin();
       sync_region(ompt_sync_region_taskwait, ompt_scope_begin);
       CALL(sync_region, ompt_sync_region_taskwait, ompt_scope_end, nullptr, &current->data, here);
       finish();
     }},

    // implicit
    {"same_index_twice", "implicit", "a second implicit task with index 0",
     [] {
       begin();
       team_size = 2;
       region_begins(2);
       implicit_begins();
       on_another_thread([] {
         implicit_begins(other_implicit, 0);
         wait_at(ompt_sync_region_barrier_explicit);
         implicit_ends(other_implicit);
       });
       wait_at(ompt_sync_region_barrier_explicit);
       out_of_region();
       finish();
     }},
    {"index_beyond_the_team", "implicit", "index 5 in a team of 1",
     [] {
       begin();
       region_begins();
       implicit_begins(implicit_task, 5);
       out_of_region();
       finish();
     }},
    {"team_larger_than_requested", "implicit", "2 threads where 1 were requested",
     [] {
       begin();
       team_size = 2;
       region_begins(1);
       implicit_begins();
       on_another_thread([] {
         implicit_begins(other_implicit, 1);
         wait_at(ompt_sync_region_barrier_explicit);
         implicit_ends(other_implicit);
       });
       wait_at(ompt_sync_region_barrier_explicit);
       out_of_region();
       finish();
     }},
    {"implicit_task_ends_before_its_barrier", "implicit", "ends before the barrier",
     [] {
       begin();
       team_size = 2;
       region_begins(2);
       implicit_begins();
       on_another_thread([] {
         implicit_begins(other_implicit, 1);
         implicit_ends(other_implicit);
       });
       wait_at(ompt_sync_region_barrier_explicit);
       out_of_region();
       finish();
     }},
    {"index_changes", "implicit", "index 3 at the end",
     [] {
       begin();
       into_region();
       CALL(implicit_task, ompt_scope_end, nullptr, &implicit_task.data, 0, 3, ompt_task_implicit);
       region_ends();
       finish();
     }},
    {"implicit_task_inside_another", "implicit", "which did not begin region",
     [] {
       begin();
       into_region();
       create(a);
       schedule(implicit_task, ompt_task_switch, a);
       static ompt_data_t inner; // begun by a
       {
         InRuntime inside;
         CALL(parallel_begin, &a.data, &a.frame, &inner, 2, kTeam, here);
       }
       create(b);
       schedule(a, ompt_task_switch, b);
       CALL(implicit_task, ompt_scope_begin, &inner, &c.data, 2, 0, ompt_task_implicit);
     }},
    {"initial_task_with_another_number", "implicit", "not 1 of 1",
     [] {
       thread_begins();
       CALL(implicit_task, ompt_scope_begin, &initial_region_data, &initial.data, 1, 0,
            ompt_task_initial);
       CALL(implicit_task, ompt_scope_end, nullptr, &initial.data, 0, 0, ompt_task_initial);
       thread_ends();
     }},
};

} // namespace

const Scenarios regions_scenarios = scenarios_of(kAll);

} // namespace fake
