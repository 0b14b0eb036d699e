// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios: what is left at the end.
#include "acts.h"
#include "scenarios.h"

namespace fake {
namespace {

const Scenario kAll[] = {
    // ends
    {"task_never_run", "ends", "is not over",
     [] {
       begin();
       create(a);
       finish();
     }},
    {"region_never_ended", "ends", "regions are not over",
     [] {
       begin();
       into_region();
       implicit_ends();
       finish();
     }},
    {"thread_never_ended", "ends", "threads have not ended",
     [] {
       begin();
       CALL(implicit_task, ompt_scope_end, nullptr, &initial.data, 0, 1, ompt_task_initial);
     }},
    {"called_after_the_end", "ends", "after the tool was finalized",
     [] {
       begin();
       finish();
       tool->finalize(&tool->tool_data);
       CALL(flush, &thread_data, here);
     }},
};

} // namespace

const Scenarios ends_scenarios = scenarios_of(kAll);

} // namespace fake
