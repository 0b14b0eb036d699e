// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the versions of the transform have in common: parameters, input, check.
#ifndef XOMP_BENCH_FFT_PROBLEM_H
#define XOMP_BENCH_FFT_PROBLEM_H

#include "../../frame/app.h"
#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

extern long n, leaf, chunk;
extern const Level* plan;
extern Complex *input, *output;
extern const Parameter kParameters[];

void prepare(void);
int check(void);

#ifdef __cplusplus
}
#endif

#endif
