// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of policies, and the two outlets that belong to none.
#include "sched/policy.h"

namespace xomp {

extern const Policy kSlbPolicy;

namespace {
std::atomic<DeferredTask*> never_full{nullptr};
// Only compared with null, never followed.
std::atomic<DeferredTask*> always_full{reinterpret_cast<DeferredTask*>(1)};
} // namespace

constinit Outlet kOpenOutlet{&never_full, &kOpenOutlet};
constinit Outlet kClosedOutlet{&always_full, &kClosedOutlet};

const Policy& policy_of(SchedulerKind kind) {
  switch (kind) {
  case SchedulerKind::kSlb:
    return kSlbPolicy;
  }
  return kSlbPolicy;
}

} // namespace xomp
