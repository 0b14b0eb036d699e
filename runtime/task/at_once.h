// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that run on top of their creator: why, and how.
#pragma once
#include "task/create.h"

namespace xomp {

/// Why a task runs at once; kNot: it is deferred. Asked once, since asking may make room, for
/// each but those that the fast path has taken (`push_task`): a reason that is to hold earlier has
/// to keep `limit` low (`set_limit`, `close_fast_path`), and be known to those that run a task at
/// once without asking here: abi/gnu/task.cc, abi/llvm/task.cc, taskloop.cc.
/// `deferrable`: neither the program nor where it is says otherwise (`may_defer`).
AtOnce why_at_once(Worker& worker, const TaskSpec& spec, bool deferrable);
/// The same of a deferrable one that goes to the worker's stack.
AtOnce why_not_on_stack(Worker& worker);

/// Whether it has an environment of its own, so that what it changes, or says of its children, ends
/// with it.
inline bool has_own_env(const Worker& worker, const TaskSpec& spec) {
  return (spec.flags & kTaskFinal) || worker.env->child_domain >= 0;
}

/// Runs a task now, in a frame of its own above its creator's.
void run_with_care(Worker& worker, const TaskSpec& spec, AtOnce why);
/// As `run_with_care`, for a task whose environment is its creator's, where nobody counts or
/// listens.
[[gnu::always_inline]] inline void run_silently(Worker& worker, const TaskSpec& spec) {
  if (!spec.copy)
    return run_at_once(worker, spec.body, spec.data);
  run_copied_at_once(worker, spec.body, spec.data, spec.copy, spec.size, spec.align);
}
[[gnu::always_inline]] inline void run_now(Worker& worker, const TaskSpec& spec, AtOnce why) {
  if (worker.creates_slowly || has_own_env(worker, spec)) [[unlikely]]
    return run_with_care(worker, spec, why);
  run_silently(worker, spec);
}

/// A task that the program itself calls where it creates it, between `begin_included` and
/// `end_included`.
struct Included {
  Slot* frame = nullptr; ///< null: it does without
  Slot* outer = nullptr;
  Env own;
  Env* outside = nullptr;            ///< the environment around it, if `own` is in use
  trace::TaskTrace* trace = nullptr; ///< if somebody listens
};
void begin_included(Worker& worker, const TaskSpec& spec, Included& task);
void end_included(Worker& worker, Included& task);

} // namespace xomp
