// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// slb: XQueue with static round-robin load balancing (paper 1, section II.B; vN of paper 4): every
// worker is a target of every other one.
#include "sched/papers/round_robin.h"

namespace xomp {

extern const Policy kSlbPolicy;
constinit const Policy kSlbPolicy = round_robin_policy<kAllWorkers>();

} // namespace xomp
