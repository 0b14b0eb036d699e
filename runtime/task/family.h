// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Families: the children of a task that were really deferred, who may claim them, and when memory
// is freed. All functions are called on the family's owner unless said otherwise. Rules:
// task/README.md.
#pragma once
#include "task/worker.h"

namespace xomp {

/// The current task's family, made if need be.
Family& own_family(Worker& worker);

/// The current task, which ran at once and has a family, has ended: the one below is current again.
Family& pop_family(Worker& worker);

/// Memory for a child with room for `size` bytes of arguments at a multiple of `align`; linked into
/// `family`, in phase kWaiting.
DeferredTask& new_child(Worker& worker, Family& family, std::size_t size, std::size_t align);

/// The newest child that is ready, claimed for the caller (phase kRunning); null if there is none.
/// Frees finished children on the way.
DeferredTask* claim_child(Worker& worker, Family& family);

/// Frees the children that nobody needs any more; returns how many are not done yet.
uint32_t sweep(Worker& worker, Family& family);
/// The same for the families whose tasks have ended.
uint32_t sweep_orphans(Worker& worker);

/// The task of `family` has ended, and does not touch it any more. True: it has children left; the
/// caller has to see that the ready ones are run, then to `settle` it. Must precede the task's own
/// kDone.
bool part(Worker& worker, Family& family);
/// A parted family with no ready child: kept with the orphans until it is empty.
void settle(Worker& worker, Family& family);

/// Frees the memory of every family that `worker` keeps; nothing may refer to them.
void free_families(Worker& worker);

/// Whether `task` descends from the task of `scope`; false also when that is too far away to be
/// sure. Any worker, as long as it holds a claim, an advert or a foster pointer on `task`.
bool descends(const DeferredTask& task, const Family& scope);

/// Claims `task` if it is ready, giving up the pointers in `held` (kAdvert, kFoster) in the same
/// step. Any worker.
bool try_claim(DeferredTask& task, uint32_t held);

} // namespace xomp
