// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which policy a kind stands for. (Which kind a name stands for: conf_parse_test.cc.)
#include "team/policies.h"

#include <gtest/gtest.h>

namespace xomp {

#define XOMP_SCHEDULER(kind, name) extern const Policy k##kind##Policy;
#include "conf/schedulers.def"

namespace {

TEST(Policies, EveryKindChoosesThePolicyOfItsOwnName) {
#define XOMP_SCHEDULER(kind, name)                                                                 \
  EXPECT_EQ(&policy_of(SchedulerKind::k##kind), &k##kind##Policy) << name;
#include "conf/schedulers.def"
}

} // namespace
} // namespace xomp
