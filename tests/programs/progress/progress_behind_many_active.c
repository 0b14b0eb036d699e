// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same for threads that never sleep. Naive version: all of the children are looked at only
// before a thread sleeps.
// xomp-test: threads=1,2 timeout=30 env=XOMP_QUEUE_SIZE=1024 env=OMP_WAIT_POLICY=active env=GOMP_SPINCOUNT=infinite compilers=gcc,clang
#include "progress_behind_many.c"
