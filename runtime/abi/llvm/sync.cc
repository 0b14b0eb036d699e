// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers, master and masked, single with copyprivate, critical, ordered, flush, cancellation.
#include <atomic>
#include <cstddef>

#include "abi/export.h"
#include "abi/llvm/barrier.h"
#include "abi/llvm/ident.h"
#include "locks/locks.h"
#include "sys/report.h"
#include "team/tracing.h"
#include "worksharing/cancel.h"
#include "worksharing/ordered.h"
#include "worksharing/single.h"

using namespace xomp;
using namespace xomp::llvm;
using trace::MutexKind;

namespace {

/// kmp_int32: 1 parallel, 2 loop, 3 sections, 4 taskgroup.
bool is_cancel_kind(int32_t kind) { return kind >= 1 && kind <= 4; }
int cancel_kind(int32_t kind) {
  if (!is_cancel_kind(kind)) [[unlikely]]
    no_such_kind(kind);
  return 1 << (kind - 1);
}

/// Whether the innermost construct of that kind is cancelled; of none nothing is, as on libomp.
int status_of(int32_t kind) {
  return is_cancel_kind(kind) && cancellation_point(me(), cancel_kind(kind));
}

/// kmp_critical_name has 32 bytes, which start as zero.
Mutex& mutex_in(void* name) { return *static_cast<Mutex*>(name); }

// Inline, so that the return address is the program's.
[[gnu::always_inline]] inline int32_t masked_begins(int32_t filter) {
  if (self->id != filter)
    return 0;
  if (trace::listening(trace::kTool)) [[unlikely]]
    trace_masked(ompt_scope_begin, __builtin_return_address(0));
  return 1;
}
[[gnu::always_inline]] inline void masked_ends() {
  if (trace::listening(trace::kTool)) [[unlikely]]
    trace_masked(ompt_scope_end, __builtin_return_address(0));
}

} // namespace

bool llvm::special_barrier(const Ident* ident, const void* codeptr, Member& member) {
  member.chunks.cut_short = false; // the one behind that loop
  if (!member.track)
    return special_barrier(member, codeptr, 0);
  describe(ident, codeptr);
  bool explicitly = ident && ident->flags & kExplicitBarrier;
  return special_barrier(member, codeptr, explicitly ? 0 : trace::kBarrierFlagImplicit);
}

XOMP_EXPORT void __kmpc_barrier(const Ident* ident, int32_t) { barrier(ident, me()); }
XOMP_EXPORT int32_t __kmpc_cancel_barrier(const Ident* ident, int32_t) {
  return barrier(ident, me());
}

/// The first member goes on alone when all have come; the others wait until it says that it is
/// done.
XOMP_EXPORT int32_t __kmpc_barrier_master(const Ident* ident, int32_t) {
  Member& member = me();
  barrier(ident, member);
  if (member.id == 0)
    return 1;
  barrier(ident, member);
  return 0;
}
XOMP_EXPORT void __kmpc_end_barrier_master(const Ident* ident, int32_t) { barrier(ident, me()); }
/// The others do not wait for it.
XOMP_EXPORT int32_t __kmpc_barrier_master_nowait(const Ident* ident, int32_t) {
  Member& member = me();
  barrier(ident, member);
  return member.id == 0;
}

XOMP_EXPORT int32_t __kmpc_cancel(const Ident*, int32_t, int32_t kind) {
  return cancel(me(), cancel_kind(kind));
}
XOMP_EXPORT int32_t __kmpc_cancellationpoint(const Ident*, int32_t, int32_t kind) {
  return cancellation_point(me(), cancel_kind(kind));
}

XOMP_EXPORT int kmp_get_cancellation_status(int kind) { return status_of(kind); }
XOMP_EXPORT int kmp_get_cancellation_status_(const int* kind) { return status_of(*kind); }

XOMP_EXPORT int32_t __kmpc_master(const Ident*, int32_t) { return masked_begins(0); }
XOMP_EXPORT void __kmpc_end_master(const Ident*, int32_t) { masked_ends(); }
XOMP_EXPORT int32_t __kmpc_masked(const Ident*, int32_t, int32_t filter) {
  return masked_begins(filter);
}
XOMP_EXPORT void __kmpc_end_masked(const Ident*, int32_t) { masked_ends(); }

XOMP_EXPORT int32_t __kmpc_single(const Ident* ident, int32_t) {
  return single_start(me(), Described{ident});
}
XOMP_EXPORT void __kmpc_end_single(const Ident*, int32_t) {}

/// `copy(to, from)` copies what all lend out of `data`; `executed`: by this thread.
XOMP_EXPORT void __kmpc_copyprivate(const Ident* ident, int32_t, std::size_t, void* data,
                                    void (*copy)(void*, void*), int32_t executed) {
  Member& member = me();
  const void* codeptr = __builtin_return_address(0);
  if (member.track) [[unlikely]]
    describe(ident, codeptr);
  if (executed)
    single_copy_end(member, data, codeptr);
  else if (void* lent = await_copy(member, codeptr))
    copy(data, lent);
  barrier_at(member, codeptr);
}

/// `data` is null but for the thread that executed the region; all get its address. The program
/// copies, and puts a barrier behind that.
XOMP_EXPORT void* __kmpc_copyprivate_light(const Ident* ident, int32_t, void* data) {
  Member& member = me();
  const void* codeptr = __builtin_return_address(0);
  if (member.track) [[unlikely]]
    describe(ident, codeptr);
  if (data)
    single_copy_end(member, data, codeptr);
  else
    data = await_copy(member, codeptr);
  if (!data)
    sys::fatal("a single region's copyprivate variables are lost, as its parallel region has been "
               "cancelled");
  return data;
}

XOMP_EXPORT void __kmpc_critical(const Ident* ident, int32_t, void* name) {
  // The flush on entry (OpenMP 5.2, 15.8.5): what this thread wrote before is ordered before the
  // region.
  std::atomic_thread_fence(std::memory_order_release);
  mutex_in(name).acquire(MutexKind::kCritical, Described{ident});
}
XOMP_EXPORT void __kmpc_critical_with_hint(const Ident* ident, int32_t, void* name, uint32_t) {
  std::atomic_thread_fence(std::memory_order_release);
  mutex_in(name).acquire(MutexKind::kCritical, Described{ident});
}
XOMP_EXPORT void __kmpc_end_critical(const Ident*, int32_t, void* name) {
  mutex_in(name).release(MutexKind::kCritical);
}

XOMP_EXPORT void __kmpc_ordered(const Ident* ident, int32_t) {
  ordered_start(me(), Described{ident});
}
XOMP_EXPORT void __kmpc_end_ordered(const Ident*, int32_t) { ordered_end(me()); }

namespace {
[[gnu::always_inline]] inline void flush() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (trace::listening(trace::kTool)) [[unlikely]]
    trace_flush(__builtin_return_address(0));
}
} // namespace
XOMP_EXPORT void __kmpc_flush(const Ident*) { flush(); }
/// Intel's; a weaker order would do for some.
XOMP_EXPORT void __kmpc_flush_explicit(const Ident*, int32_t /*order*/, int32_t /*scope*/) {
  flush();
}

// scope has nothing but its barrier.
XOMP_EXPORT void __kmpc_scope(const Ident*, int32_t, void*) {}
XOMP_EXPORT void __kmpc_end_scope(const Ident*, int32_t, void*) {}
