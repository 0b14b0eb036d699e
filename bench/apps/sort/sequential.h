// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The serial parts of the sort: what is done below its thresholds.
#ifndef XOMP_BENCH_SORT_SEQUENTIAL_H
#define XOMP_BENCH_SORT_SEQUENTIAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t Key;

// Quicksort, with insertion sort for at most `insertion` keys.
void sort_serially(Key* keys, long count, long insertion);

void merge_serially(const Key* a, long a_count, const Key* b, long b_count, Key* to);

// How many of the sorted keys are less than `key`.
long count_below(const Key* keys, long count, Key key);

#ifdef __cplusplus
}
#endif

#endif
