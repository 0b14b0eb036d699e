// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/policies.h"

namespace xomp {

#define XOMP_SCHEDULER(kind, name) extern const Policy k##kind##Policy;
#include "conf/schedulers.def"

const Policy& policy_of(SchedulerKind kind) {
  switch (kind) {
#define XOMP_SCHEDULER(kind, name)                                                                 \
  case SchedulerKind::k##kind:                                                                     \
    return k##kind##Policy;
#include "conf/schedulers.def"
  }
  return kAutoPolicy;
}

} // namespace xomp
