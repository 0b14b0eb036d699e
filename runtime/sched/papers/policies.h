// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The policies of the papers, each in a file of its own.
#pragma once
#include "sched/policy.h"

namespace xomp {

extern const Policy kSlbPolicy, kXqueue1Policy, kXqueue2Policy, kNaRpPolicy, kNaWsPolicy;
extern const Policy kQPolicy, kLPolicy, kCqPolicy, kWsPolicy, kMtsPolicy;

} // namespace xomp
