// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task's environment: shared with the parent until the task changes something; ICVs are copied on
// write.
#pragma once
#include "sys/assert.h"
#include "task/frame.h"
#include "task/worker.h"

namespace xomp {

/// The current task's own environment, made if it shares its parent's until now.
Env& own_env(Worker& worker);
/// Whether no other task holds the environment's ICVs.
inline bool has_icv_alone(const Env& env) {
  // Acquire: a thread that let go of them last has read what it needed (`release_env`).
  return (env.flags & kEnvOwnsIcv) && env.icv->refs.load(std::memory_order_acquire) == 1;
}
/// A copy of the current task's ICVs for it alone, whether or not others share them.
Icv& make_own_icv(Worker& worker);
/// The current task's ICVs for writing.
inline Icv& own_icv(Worker& worker) {
  XOMP_ASSERT(self == &worker);
  // An implicit task's environment is its own, and no task waits that is to keep what was before.
  if (at_root(worker) && !has_own(worker) && has_icv_alone(*worker.env)) [[likely]]
    return *worker.env->icv;
  return make_own_icv(worker);
}
/// The current task's ICVs for reading.
inline const Icv& icv(const Worker& worker) { return *worker.env->icv; }

/// Makes `to` a copy of `from`; pair with `release_env`.
void inherit_env(Env& to, const Env& from);
void release_env(Env& env);

} // namespace xomp
