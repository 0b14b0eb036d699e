// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads on which an application with oneTBB runs.
#ifndef XOMP_BENCH_THREADS_TBB_H
#define XOMP_BENCH_THREADS_TBB_H

#include <oneapi/tbb/task_arena.h>

// OMP_NUM_THREADS of them; also more than there are processors, which a default arena would not
// have.
tbb::task_arena& threads_arena();

#endif
