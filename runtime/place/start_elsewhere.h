// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a thread starts that is not bound to a place. Kernels often put a new thread on the
// processor of its creator, behind the creator, and wake it there again and again, though another
// processor is idle: measured on Linux 6.18 with two processors, in half of the programs, until
// the kernel's balancer comes by some milliseconds later. A region of a millisecond is over by
// then. So the one processor that is known to be taken, the creator's, is forbidden to the new
// thread until it runs; which other one it gets is the kernel's choice.
#pragma once
#include <pthread.h>

namespace xomp {

/// Keeps a thread that is created with `attributes` from starting on the caller's processor.
/// Returns that processor; -1, without an effect, where the caller may use no other one or the
/// kernel does not tell. A kernel that refuses (a sandbox) makes `pthread_create` fail.
int start_elsewhere(pthread_attr_t* attributes);

/// Undoes it in `attributes`.
void start_anywhere(pthread_attr_t* attributes);

/// The new thread, before anything of the program's: may use the processors of `creator`, which
/// still runs.
void use_processors_of(pthread_t creator);

} // namespace xomp
