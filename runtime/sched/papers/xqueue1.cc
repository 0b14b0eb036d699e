// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// xqueue1: XQueue with one auxiliary queue (paper 4, section 3): a worker sends tasks to itself and
// to the worker after it.
#include "sched/papers/round_robin.h"

namespace xomp {

extern const Policy kXqueue1Policy;
constinit const Policy kXqueue1Policy = round_robin_policy<1>();

} // namespace xomp
