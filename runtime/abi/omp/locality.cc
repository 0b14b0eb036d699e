// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locality domains (paper 3, section 5.1), for C and Fortran.
#include "xomp.h"

#include <cstdint>

#include "abi/export.h"
#include "abi/omp/fortran.h"
#include "place/domains.h"
#include "team/domains.h"

using xomp::to_int;

XOMP_IN_BOTH(int, omp_get_num_locality_domains) { return xomp::domain_count(); }

XOMP_IN_BOTH(int, omp_get_locality_domain_num) { return xomp::current_domain(xomp::me()); }

XOMP_EXPORT void omp_child_task_affinity(int domain) { xomp::set_child_domain(xomp::me(), domain); }
XOMP_EXPORT void omp_child_task_affinity_(const int32_t* domain) {
  xomp::set_child_domain(xomp::me(), *domain);
}
XOMP_EXPORT void omp_child_task_affinity_8_(const int64_t* domain) {
  xomp::set_child_domain(xomp::me(), to_int(*domain));
}
