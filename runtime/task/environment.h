// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task's environment: shared with the parent until the task changes something; ICVs are copied on
// write.
#pragma once
#include "task/worker.h"

namespace xomp {

/// The current task's own environment, made if it shares its parent's until now.
Env& own_env(Worker& worker);
/// The current task's ICVs for writing.
Icv& own_icv(Worker& worker);
/// The current task's ICVs for reading.
inline const Icv& icv(const Worker& worker) { return *worker.env->icv; }

/// Makes `to` a copy of `from`; pair with `release_env`.
void inherit_env(Env& to, const Env& from);
void release_env(Env& env);

} // namespace xomp
