// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/policies.h"

namespace xomp {

#define XOMP_SCHEDULER(kind, name) extern const Policy k##kind##Policy;
#include "conf/schedulers.def"

const Policy& policy_of(SchedulerKind kind) {
  static constexpr const Policy* kPolicies[] = {
#define XOMP_SCHEDULER(kind, name) &k##kind##Policy,
#include "conf/schedulers.def"
  };
  return *kPolicies[static_cast<int>(kind)];
}

} // namespace xomp
