// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts the threads that the application will run on, so that the clock does not see it; one
// implementation per library of tasks. Returns how many there are; OMP_NUM_THREADS sets it for all.
#ifndef XOMP_BENCH_THREADS_H
#define XOMP_BENCH_THREADS_H

#ifdef __cplusplus
extern "C"
#endif
    int
    start_threads(void);

#endif
