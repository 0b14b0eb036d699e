// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ICV blocks: a team's (or the process's) own block is never counted and never written by tasks; a
// block that a task made for itself is counted by the environments that hold it (kEnvOwnsIcv) and
// freed with the last.
#include "task/environment.h"

#include "sys/assert.h"
#include "sys/memory.h"
#include "task/full_frame.h"

namespace xomp {

void inherit_env(Env& to, const Env& from) {
  to = from;
  to.child_domain = -1;
  // Relaxed: `from` holds a reference, or is held below on this stack by a task that does.
  XOMP_ASSERT(!(to.flags & kEnvOwnsIcv) || to.icv->refs.load(std::memory_order_relaxed) > 0);
  if (to.flags & kEnvOwnsIcv)
    to.icv->refs.fetch_add(1, std::memory_order_relaxed);
}

void release_env(Env& env) {
  if (!(env.flags & kEnvOwnsIcv))
    return;
  XOMP_ASSERT(env.icv->refs.load(std::memory_order_relaxed) > 0);
  env.flags &= ~kEnvOwnsIcv;
  // Acquire-release: the last holder frees what the others have finished reading.
  if (env.icv->refs.fetch_sub(1, std::memory_order_acq_rel) == 1)
    sys::destroy(env.icv);
}

Env& own_env(Worker& worker) {
  XOMP_ASSERT(self == &worker);
  // What was created before goes on with what was then.
  if (has_own(worker))
    move_to_heap(worker);
  if (at_root(worker))
    return *worker.env;
  FullFrame& full_frame = own_full_frame(worker);
  if (!full_frame.saved_env) {
    inherit_env(full_frame.own_env, *worker.env);
    full_frame.saved_env = worker.env;
    worker.env = full_frame.env = &full_frame.own_env;
  }
  return *worker.env;
}

Icv& make_own_icv(Worker& worker) {
  Env& env = own_env(worker);
  if (has_icv_alone(env))
    return *env.icv;
  Icv* fresh = sys::create<Icv>(*env.icv);
  fresh->refs.store(1, std::memory_order_relaxed);
  release_env(env);
  env.icv = fresh;
  env.flags |= kEnvOwnsIcv;
  return *fresh;
}

} // namespace xomp
