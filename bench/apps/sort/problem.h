// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the versions of the sort have in common: parameters, input, check, how a merge is split.
#ifndef XOMP_BENCH_SORT_PROBLEM_H
#define XOMP_BENCH_SORT_PROBLEM_H

#include "../../frame/app.h"
#include "sequential.h"

#ifdef __cplusplus
extern "C" {
#endif

extern long n, quick, merge, insertion;
extern Key *keys, *room;
extern const Parameter kParameters[];

void prepare(void);

// The sort without tasks; `other` is room for as many keys.
void serial(Key* own, Key* other, long count);

// Whether the keys are sorted, and the ones that were given.
int sorted(void);

// Where the longer of two sorted parts is halved, and what precedes that in the shorter one.
typedef struct {
  const Key *longer, *shorter;
  long longer_count, shorter_count;
  long longer_first, shorter_first;
} Cut;

Cut cut(const Key* a, long a_count, const Key* b, long b_count);

#ifdef __cplusplus
}
#endif

#endif
