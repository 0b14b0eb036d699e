// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of policies.
#include "sched/policy.h"

namespace xomp {

extern const Policy kSlbPolicy;

const Policy& policy_of(SchedulerKind kind) {
  switch (kind) {
  case SchedulerKind::kSlb:
    return kSlbPolicy;
  }
  return kSlbPolicy;
}

} // namespace xomp
