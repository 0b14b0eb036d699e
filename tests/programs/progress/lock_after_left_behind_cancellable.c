// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same where the program may cancel, and no task lies on its creator's stack.
// xomp-test: threads=2,3,8 barriers=tree timeout=60 compilers=gcc,clang env=OMP_CANCELLATION=true
#include "lock_after_left_behind.c"
