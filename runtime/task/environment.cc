// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ICV blocks: a team's (or the process's) own block is never counted and never written by tasks; a block that
// a task made for itself is counted by the environments that hold it (kEnvOwnsIcv) and freed with the last.
#include "task/environment.h"

#include "sys/memory.h"
#include "task/family.h"

namespace xomp {

Family& own_family(Worker& worker) { return family_of(worker, *worker.current); }

void inherit_env(Env& to, const Env& from, Task* holder) {
  to = from;
  to.holder = holder;
  // Relaxed: `from` holds a reference, or is held below on this stack by a task that does.
  if (to.flags & kEnvOwnsIcv) to.icv->refs.fetch_add(1, std::memory_order_relaxed);
}

void release_env(Env& env) {
  if (!(env.flags & kEnvOwnsIcv)) return;
  env.flags &= ~kEnvOwnsIcv;
  // Acquire-release: the last holder frees what the others have finished reading.
  if (env.icv->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) sys::destroy(env.icv);
}

Env& own_env(Worker& worker) {
  Task& task = *worker.current;
  if (task.env->holder == &task) return *task.env;
  Family& family = own_family(worker);
  inherit_env(family.own_env, *task.env, &task);
  family.env_in_use = true;
  task.env = &family.own_env;
  return *task.env;
}

Icv& own_icv(Worker& worker) {
  Env& env = own_env(worker);
  if ((env.flags & kEnvOwnsIcv) && env.icv->refs.load(std::memory_order_acquire) == 1) return *env.icv;
  Icv* fresh = sys::create<Icv>(*env.icv);
  fresh->refs.store(1, std::memory_order_relaxed);
  release_env(env);
  env.icv = fresh;
  env.flags |= kEnvOwnsIcv;
  return *fresh;
}

} // namespace xomp
