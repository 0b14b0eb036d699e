// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omp_get_wtime and omp_get_wtick.
#include "abi/export.h"
#include "abi/omp/fortran.h"
#include "abi/omp/meet.h"
#include "abi/omp/versions.h"
#include "sys/clock.h"

namespace {

double resolution() {
  xomp::meet_for_tool();
  return xomp::sys::clock_resolution();
}

} // namespace

XOMP_IN_BOTH(double, omp_get_wtime) { return xomp::sys::seconds(); }

XOMP_IN_BOTH(double, omp_get_wtick) { return resolution(); }

XOMP_ALSO_VERSION(OMP_2.0, omp_get_wtick, omp_get_wtick_, omp_get_wtime, omp_get_wtime_);
