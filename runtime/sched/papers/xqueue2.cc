// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// xqueue2: XQueue with two auxiliary queues (v2 of paper 4, section 3.2): a worker sends tasks to
// itself and to the two workers after it.
#include "sched/papers/round_robin.h"

namespace xomp {

extern const Policy kXqueue2Policy;
constinit const Policy kXqueue2Policy = round_robin_policy<2>();

} // namespace xomp
