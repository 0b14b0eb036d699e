// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omp_get_wtime and omp_get_wtick.
#include "abi/export.h"
#include "abi/omp/meet.h"
#include "abi/omp/versions.h"
#include "sys/clock.h"

namespace {

double resolution() {
  xomp::meet_for_tool();
  return xomp::sys::clock_resolution();
}

} // namespace

XOMP_EXPORT double omp_get_wtime() { return xomp::sys::seconds(); }
XOMP_EXPORT double omp_get_wtime_() { return xomp::sys::seconds(); }

XOMP_EXPORT double omp_get_wtick() { return resolution(); }
XOMP_EXPORT double omp_get_wtick_() { return resolution(); }

// Also for binaries of clang, flang and Intel's compilers.
XOMP_ALSO_VERSION(omp_get_wtick, OMP_2.0);
XOMP_ALSO_VERSION(omp_get_wtick_, OMP_2.0);
XOMP_ALSO_VERSION(omp_get_wtime, OMP_2.0);
XOMP_ALSO_VERSION(omp_get_wtime_, OMP_2.0);
