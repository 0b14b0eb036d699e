// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omp_get_wtime and omp_get_wtick.
#include "abi/export.h"
#include "sys/clock.h"

XOMP_EXPORT double omp_get_wtime() { return xomp::sys::seconds(); }
XOMP_EXPORT double omp_get_wtime_() { return xomp::sys::seconds(); }

XOMP_EXPORT double omp_get_wtick() { return xomp::sys::clock_resolution(); }
XOMP_EXPORT double omp_get_wtick_() { return xomp::sys::clock_resolution(); }
