// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omp_fulfill_event, for C and Fortran (which passes the handle by value as well).
#include "abi/export.h"
#include "task/run.h"

XOMP_EXPORT void omp_fulfill_event(xomp::EventHandle event) { xomp::fulfill(event); }
XOMP_EXPORT void omp_fulfill_event_(xomp::EventHandle event) { xomp::fulfill(event); }
