// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For which locality domain a task is meant (paper 3, sections 4 and 5), under policies that place
// tasks; under others for none.
#pragma once
#include "conf/settings.h"
#include "task/task.h"
#include "task/worker.h"

namespace xomp {

/// Notes for which domain the task to be created is meant: none in oblivious mode, whatever the
/// program has said.
[[gnu::always_inline]] inline void choose_domain(Worker& worker, bool deferrable) {
  bool heeds = deferrable && settings.locality != LocalityMode::kOblivious;
  int domain = heeds ? worker.env->child_domain : -1;
  bool other = domain >= 0 && worker.policy->place;
  worker.placement = other ? worker.policy->place(worker, domain) : -1;
}

/// The other domain whose workers are to run a task that `worker` has made ready; -1: its own.
inline int other_domain_of(const Worker& worker, const DeferredTask& task) {
  bool strict = settings.locality == LocalityMode::kStrict;
  if (!worker.policy->place || (task.placement < 0 && !strict))
    return -1;
  int domain = task.placement < 0 ? task.parent->owner->domain : task.placement;
  return domain != worker.domain ? domain : -1;
}

/// Whether its parent's worker may not run it, because it is meant for another domain, where
/// somebody has a pointer to it (paper 3, section 5.2).
inline bool is_left_to_others(const DeferredTask& task) {
  return task.placement >= 0 && settings.locality == LocalityMode::kStrict &&
         task.names(kInQueue | kInReadyList);
}

} // namespace xomp
