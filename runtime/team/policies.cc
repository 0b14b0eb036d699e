// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/policies.h"

#include "sched/papers/policies.h"

namespace xomp {

extern const Policy kAutoPolicy;

const Policy& policy_of(SchedulerKind kind) {
  switch (kind) {
  case SchedulerKind::kAuto:
    return kAutoPolicy;
  case SchedulerKind::kSlb:
    return kSlbPolicy;
  case SchedulerKind::kXqueue1:
    return kXqueue1Policy;
  case SchedulerKind::kXqueue2:
    return kXqueue2Policy;
  case SchedulerKind::kNaRp:
    return kNaRpPolicy;
  case SchedulerKind::kNaWs:
    return kNaWsPolicy;
  case SchedulerKind::kQ:
    return kQPolicy;
  case SchedulerKind::kL:
    return kLPolicy;
  case SchedulerKind::kCq:
    return kCqPolicy;
  case SchedulerKind::kWs:
    return kWsPolicy;
  case SchedulerKind::kMts:
    return kMtsPolicy;
  }
  return kAutoPolicy;
}

} // namespace xomp
