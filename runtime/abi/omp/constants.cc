// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables that libomp and libiomp5 export: the predefined allocators and memory spaces, to which
// Intel's Fortran module refers, and two names by which its compilers make sure of their runtime.
#include "abi/export.h"
#include "conf/allocator_numbers.h"

using namespace xomp;

#define XOMP_CONSTANT(name, value)                                                                 \
  extern "C" __attribute__((visibility("default"))) const uintptr_t name = value
XOMP_CONSTANT(omp_null_allocator, kNullAllocator);
XOMP_CONSTANT(omp_default_mem_alloc, kDefaultMemAlloc);
XOMP_CONSTANT(omp_large_cap_mem_alloc, kLargeCapMemAlloc);
XOMP_CONSTANT(omp_const_mem_alloc, kConstMemAlloc);
XOMP_CONSTANT(omp_high_bw_mem_alloc, kHighBwMemAlloc);
XOMP_CONSTANT(omp_low_lat_mem_alloc, kLowLatMemAlloc);
XOMP_CONSTANT(omp_cgroup_mem_alloc, kCgroupMemAlloc);
XOMP_CONSTANT(omp_pteam_mem_alloc, kPteamMemAlloc);
XOMP_CONSTANT(omp_thread_mem_alloc, kThreadMemAlloc);
XOMP_CONSTANT(omp_default_mem_space, kDefaultMemSpace);
XOMP_CONSTANT(omp_large_cap_mem_space, kLargeCapMemSpace);
XOMP_CONSTANT(omp_const_mem_space, kConstMemSpace);
XOMP_CONSTANT(omp_high_bw_mem_space, kHighBwMemSpace);
XOMP_CONSTANT(omp_low_lat_mem_space, kLowLatMemSpace);
#undef XOMP_CONSTANT

// NOLINTBEGIN(readability-identifier-naming): as Intel's libraries ask for them
XOMP_EXPORT int _You_must_link_with_exactly_one_OpenMP_library;
XOMP_EXPORT int _You_must_link_with_Intel_OpenMP_library;
int _You_must_link_with_exactly_one_OpenMP_library = 1;
int _You_must_link_with_Intel_OpenMP_library = 1;
// NOLINTEND(readability-identifier-naming)
