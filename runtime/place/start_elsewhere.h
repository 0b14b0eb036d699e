// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a thread starts that is not bound to a place. Kernels often put a new thread on the
// processor of its creator, behind the creator, and wake it there again and again, though another
// processor is idle: measured on Linux 6.18 with two processors, in half of the programs, until
// the kernel's balancer comes by some milliseconds later. A region of a millisecond is over by
// then. So the one processor that is known to be taken, the creator's, is forbidden to the new
// thread until it runs; which other one it gets is the kernel's choice.
//
// Where there are fewer processors than threads each starts on one, in turn. Of four threads on two
// processors the kernel put three on one in most programs, and left them there: a region takes half
// as long again then, on every runtime.
//
// A thread that somebody else binds meanwhile stays as it was bound: what it may use is set again
// only if that is still what it was started with. Tools that bind threads do so in a
// `pthread_create` of their own, and may bind one to just what it was started with (of two
// processors, in half of the cases); there threads start where the tool and the kernel want.
//
// What is left: whoever binds a thread from outside (by its number, or by a patched call) before it
// has begun, to all processors but one of those that it will have, or between its look and its
// store.
#pragma once
#include <pthread.h>

#include <cstdint>

namespace xomp {

/// What a new thread may use until it runs.
struct Detour {
  /// Of fixed size: with more processors than this a kernel says that it is too small, and threads
  /// start where the kernel wants.
  static constexpr int kWords = 1024 / 64;

  uint64_t all[kWords] = {}; ///< what its creator may use, as it was before the thread exists
  int without = -1;          ///< the creator's processor, where it may not start; -1: it may
  int only = -1;             ///< where it has to start; -1: the kernel chooses

  bool any() const { return without >= 0 || only >= 0; }
};

/// Keeps a thread that is created with `attributes` from starting on the caller's processor, unless
/// the caller may use no other one, the kernel does not tell, or a tool has a say. A kernel that
/// refuses (a sandbox) makes `pthread_create` fail.
Detour start_elsewhere(pthread_attr_t* attributes);

/// Has a thread that is created with `attributes` start on the processor that comes next after
/// `last`, the one before it has got; -1: it is the first, and comes after its creator's. No detour
/// and refusals as above; and none of real-time threads, of which one has its processor as long as
/// it wants.
Detour start_in_turn(pthread_attr_t* attributes, int& last);

/// Undoes either in `attributes`.
void start_anywhere(pthread_attr_t* attributes);

/// The new thread, before anything of the program's: may use what its creator could.
void end_detour(const Detour& detour);

} // namespace xomp
