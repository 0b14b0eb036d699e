// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of policies.
#include "sched/policy.h"

namespace xomp {

extern const Policy kAutoPolicy;
extern const Policy kSlbPolicy;

const Policy& policy_of(SchedulerKind kind) {
  switch (kind) {
  case SchedulerKind::kAuto:
    return kAutoPolicy;
  case SchedulerKind::kSlb:
    return kSlbPolicy;
  }
  return kAutoPolicy;
}

} // namespace xomp
