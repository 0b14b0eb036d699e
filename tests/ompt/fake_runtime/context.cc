// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios: arguments, and what entry points, frames and addresses say.
#include "acts.h"
#include "scenarios.h"

namespace fake {
namespace {

const Scenario kAll[] = {
    // arguments
    {"implicit_end_with_region", "arguments", "it may be gone",
     [] {
       begin();
       into_region();
       CALL(implicit_task, ompt_scope_end, &region_data, &implicit_task.data, 0, 0,
            ompt_task_implicit);
       region_ends();
       finish();
     }},
    {"implicit_end_with_size", "arguments", "where 0 is said",
     [] {
       begin();
       into_region();
       CALL(implicit_task, ompt_scope_end, nullptr, &implicit_task.data, 1, 0, ompt_task_implicit);
       region_ends();
       finish();
     }},
    {"region_without_invoker", "arguments", "do not say who calls",
     [] {
       begin();
       constexpr int kFlags = static_cast<int>(ompt_parallel_team);
       region_begins(1, kFlags);
       implicit_begins();
       implicit_ends();
       region_ends(kFlags);
       finish();
     }},
    {"region_flags_change", "arguments", "at the beginning",
     [] {
       begin();
       into_region();
       implicit_ends();
       region_ends(static_cast<int>(ompt_parallel_team) | ompt_parallel_invoker_runtime);
       finish();
     }},
    {"task_without_kind", "arguments", "name no kind of task",
     [] {
       begin();
       create(a, static_cast<int>(ompt_task_untied));
       run(a);
       finish();
     }},
    {"status_unknown", "arguments", "a status of 99",
     [] {
       begin();
       create(a);
       CALL(task_schedule, &initial.data, static_cast<ompt_task_status_t>(99), &a.data);
       run(a);
       finish();
     }},
    {"endpoint_unknown", "arguments", "an endpoint of 9",
     [] {
       begin();
       CALL(masked, static_cast<ompt_scope_endpoint_t>(9), &initial_region_data, &initial.data,
            here);
       finish();
     }},
    {"dependence_unknown", "arguments", "a dependence of kind 77",
     [] {
       begin();
       create(a, ompt_task_explicit, 1);
       ompt_dependence_t list = {{0}, static_cast<ompt_dependence_type_t>(77)};
       CALL(dependences, &a.data, &list, 1);
       run(a);
       finish();
     }},
    {"cancel_without_construct", "arguments", "name no construct",
     [] {
       begin();
       CALL(cancel, &initial.data, ompt_cancel_activated, here);
       finish();
     }},
    {"mutex_unknown", "arguments", "a mutex of kind 12",
     [] {
       begin();
       acquire(static_cast<ompt_mutex_t>(12), 1);
       acquired(static_cast<ompt_mutex_t>(12), 1);
       released(static_cast<ompt_mutex_t>(12), 1);
       finish();
     }},
    {"work_unknown", "arguments", "worksharing of kind 9",
     [] {
       begin();
       work(static_cast<ompt_work_t>(9), ompt_scope_beginend);
       finish();
     }},

    // states
    {"waits_while_it_works", "states", "does not fit task",
     [] {
       begin();
       state = ompt_state_wait_taskwait;
       create(a);
       state = ompt_state_work_serial;
       run(a);
       finish();
     }},
    {"works_while_it_waits", "states", "in a wait of task",
     [] {
       begin();
       enter(ompt_sync_region_taskwait);
       state = ompt_state_work_serial;
       leave(ompt_sync_region_taskwait);
       state = ompt_state_work_serial;
       finish();
     }},
    {"parallel_outside_of_regions", "states", "does not fit task",
     [] {
       begin();
       state = ompt_state_work_parallel;
       create(a);
       run(a);
       finish();
     }},
    {"another_mutex_waited_for", "states", "was asked for",
     [] {
       begin();
       acquire(ompt_mutex_critical, 5);
       state = ompt_state_wait_critical;
       state_mutex = 6;
       acquired(ompt_mutex_critical, 5);
       state = ompt_state_work_serial;
       released(ompt_mutex_critical, 5);
       finish();
     }},
    {"waits_in_its_own_code", "states", "in a task's own code",
     [] {
       begin();
       state = ompt_state_overhead;
       look();
       finish();
     }},

    // frames
    {"no_enter_frame_at_a_creation", "frames", "has no enter frame",
     [] {
       begin();
       a.flags = ompt_task_explicit;
       CALL(task_create, &initial.data, &initial.frame, &a.data, ompt_task_explicit, 0, here);
       run(a);
       finish();
     }},
    {"enter_frame_in_its_own_code", "frames", "and it has an enter frame",
     [] {
       begin();
       InRuntime inside;
       look();
       finish();
     }},
    {"exit_frame_of_the_initial_task", "frames", "has an exit frame",
     [] {
       begin();
       initial.frame.exit_frame.ptr = __builtin_frame_address(0);
       look();
       finish();
     }},
    {"no_exit_frame", "frames", "has no exit frame",
     [] {
       begin();
       into_region();
       implicit_task.frame.exit_frame.ptr = nullptr;
       look();
       out_of_region();
       finish();
     }},
    {"frame_elsewhere", "frames", "is not on this stack",
     [] {
       begin();
       into_region();
       implicit_task.frame.exit_frame.ptr = &elsewhere;
       look();
       out_of_region();
       finish();
     }},
    {"frames_in_the_wrong_order", "frames", "younger than",
     [] {
       begin();
       into_region();
       char* frame = static_cast<char*>(__builtin_frame_address(0));
       implicit_task.frame.exit_frame.ptr = frame;
       implicit_task.frame.enter_frame.ptr = frame + 32;
       work(ompt_work_loop, ompt_scope_beginend);
       out_of_region();
       finish();
     }},

    // addresses
    {"no_return_address", "no-address", "no return address",
     [] {
       begin();
       create(a, ompt_task_explicit, 0, nullptr);
       run(a);
       finish();
     }},
    {"return_address_in_the_runtime", "addresses", "lies in the runtime",
     [] {
       begin();
       create(a, ompt_task_explicit, 0, inside());
       run(a);
       finish();
     }},
    {"return_address_in_data", "addresses", "is not code",
     [] {
       begin();
       create(a, ompt_task_explicit, 0, &state_mutex);
       run(a);
       finish();
     }},

    // info
    {"task_info_of_another", "info", "is named",
     [] {
       begin();
       into_region();
       current = &initial;
       initial.flags = ompt_task_implicit;
       initial.frame.exit_frame.ptr = __builtin_frame_address(0);
       look();
       current = &implicit_task;
       initial.flags = ompt_task_initial;
       out_of_region();
       finish();
     }},
    {"no_task_info", "info", "nothing is known of the current task",
     [] {
       begin();
       forget_task = true;
       look();
       finish();
     }},
    {"team_size_differs", "info", "a team size of 3",
     [] {
       begin();
       into_region();
       team_size = 3;
       look();
       out_of_region();
       finish();
     }},
    {"thread_number_differs", "info", "thread number 2",
     [] {
       begin();
       into_region();
       implicit_task.index = 2;
       look();
       implicit_task.index = 0;
       out_of_region();
       finish();
     }},
    {"thread_data_elsewhere", "info", "not where it was",
     [] {
       begin();
       another_thread_data = true;
       look();
       finish();
     }},
};

} // namespace

const Scenarios context_scenarios = scenarios_of(kAll);

} // namespace fake
