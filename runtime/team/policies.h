// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of policies: the default and those of the papers. Of all layers only this one knows them
// by name.
#pragma once
#include "sched/policy.h"

namespace xomp {

/// The policy that `kind` names.
const Policy& policy_of(SchedulerKind kind);

} // namespace xomp
