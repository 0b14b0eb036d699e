// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reduction clause. Each thread either adds what it has to the originals in a critical region,
// or with atomic operations, which the program says that it has: as they come. Under
// KMP_DETERMINISTIC_REDUCTION the first member adds what all have, in the order of their numbers.
#include <cstddef>

#include "abi/export.h"
#include "abi/llvm/barrier.h"
#include "abi/llvm/ident.h"
#include "locks/locks.h"

using namespace xomp;
using namespace xomp::llvm;
using trace::MutexKind;

namespace {

/// What the program is to do.
enum Way : int32_t { kDone = 0, kInCritical = 1, kAtomically = 2 };

/// Asked at both ends of a construct, which come to one answer.
Way way(const Ident* ident) {
  bool atomic = self->count > 1 && ident && ident->flags & kAtomicReduce;
  return atomic ? kAtomically : kInCritical;
}

/// Adds the copies that `others` says where to find to those of `own`.
using Add = void (*)(void* own, void* others);

/// Everybody's copies stay where they are from the first barrier to the second; in between the
/// first member adds them to its own. `waits`: its second barrier is the end of the construct.
/// Whether the calling thread has something to add to the originals: the sum, or, where nothing is
/// done here, its own.
[[gnu::cold]] bool add_in_order(void* copies, Add add, bool waits) {
  Member& member = me();
  // Where some may be cancelled they may not come to these barriers.
  if (!copies || !add || settings.cancellation)
    return true;
  member.reduction_copies = copies;
  barrier(member, trace::kBarrierFlagImplicit);
  if (member.id == 0)
    for (int other = 1; other < member.count; ++other)
      add(copies, member.team->members[other]->reduction_copies);
  if (!waits || member.id != 0)
    barrier(member, trace::kBarrierFlagImplicit);
  return member.id == 0;
}

[[gnu::always_inline]] inline void end(const Ident* ident, void* lock) {
  if (way(ident) == kInCritical && self->count > 1)
    static_cast<Mutex*>(lock)->release(MutexKind::kCritical);
}

// Apart, with arguments where the entry points have them, which end with this: a team of one needs
// none of it, and the return address is the program's.

[[gnu::noinline, gnu::noclone]] int32_t begin_with_others(const Ident* ident, int32_t waits,
                                                          int32_t, std::size_t, void* copies,
                                                          Add add, void* lock) {
  if (settings.reduces_in_order && !add_in_order(copies, add, waits))
    return kDone;
  Way chosen = way(ident);
  if (chosen == kInCritical)
    static_cast<Mutex*>(lock)->acquire(MutexKind::kCritical, Described{ident});
  return chosen;
}

[[gnu::noinline, gnu::noclone]] void end_with_others(const Ident* ident, int32_t, void* lock) {
  end(ident, lock);
}

} // namespace

XOMP_EXPORT int32_t __kmpc_reduce_nowait(const Ident* ident, int32_t, int32_t count,
                                         std::size_t bytes, void* copies, Add add, void* lock) {
  if (self->count <= 1)
    return kInCritical;
  if (way(ident) == kAtomically && !settings.reduces_in_order)
    return kAtomically;
  return begin_with_others(ident, false, count, bytes, copies, add, lock);
}
/// Not called behind atomic operations, of which there is nothing to end.
XOMP_EXPORT void __kmpc_end_reduce_nowait(const Ident* ident, int32_t thread, void* lock) {
  if (self->count > 1)
    end_with_others(ident, thread, lock);
}

XOMP_EXPORT int32_t __kmpc_reduce(const Ident* ident, int32_t, int32_t count, std::size_t bytes,
                                  void* copies, Add add, void* lock) {
  if (self->count <= 1)
    return kInCritical;
  if (way(ident) == kAtomically && !settings.reduces_in_order)
    return kAtomically;
  return begin_with_others(ident, true, count, bytes, copies, add, lock);
}
XOMP_EXPORT void __kmpc_end_reduce(const Ident* ident, int32_t, void* lock) {
  end(ident, lock);
  Member& member = me();
  // Members whose iterations were cancelled go by this barrier, to the one behind the construct.
  if (!member.chunks.cut_short) [[likely]]
    barrier(ident, member);
}
