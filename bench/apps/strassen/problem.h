// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the versions of the product have in common: parameters, input, serial product, check.
#ifndef XOMP_BENCH_STRASSEN_PROBLEM_H
#define XOMP_BENCH_STRASSEN_PROBLEM_H

#include "../../frame/app.h"
#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

extern long n, block, cutoff;
extern double *a, *b, *c;
extern const Parameter kParameters[];

void prepare(void);
void serial(Matrix x, Matrix y, Matrix z, size_t size);
int check(void);

#ifdef __cplusplus
}
#endif

#endif
