// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two halves of a sequentially consistent fence between one thread that passes it all the time
// and others that seldom do: the first pays nothing, the others a system call (membarrier, private
// expedited; Linux 4.14) that makes every running thread of the process pass a fence. Together they
// exclude store buffering as two ordinary fences do.
#pragma once
#include <atomic>

namespace xomp::sys {

#ifdef XOMP_CHECKED_ORDERS // tests/orders: the memory model knows no system call
inline bool has_asymmetric_fence() { return true; }
inline void light_fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void heavy_fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
#else
/// Whether `heavy_fence` works in this process; asked once, before threads rely on it. Where the
/// kernel or a sandbox refuses it, nothing may be left to `light_fence`.
bool has_asymmetric_fence();
/// The frequent side: keeps the compiler from moving accesses across, no more.
inline void light_fence() { std::atomic_signal_fence(std::memory_order_seq_cst); }
/// The rare side: some microseconds.
void heavy_fence();
#endif

} // namespace xomp::sys
