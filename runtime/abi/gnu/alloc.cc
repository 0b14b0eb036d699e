// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What GCC calls for the `allocate` clause and directive, and (GCC 14, Fortran) to remember which
// allocatable variables came from an OpenMP allocator.
#include "abi/export.h"
#include "abi/omp/versions.h"
#include "memory/allocated_set.h"
#include "memory/allocators.h"

XOMP_EXPORT void* GOMP_alloc(std::size_t alignment, std::size_t size, uintptr_t allocator) {
  return xomp::allocate_or_die(allocator, alignment, size);
}

XOMP_EXPORT void GOMP_free(void* memory, uintptr_t) { xomp::release_allocated(memory); }

XOMP_EXPORT void GOMP_add_alloc(void* memory) { xomp::add_allocated(memory); }

XOMP_EXPORT bool GOMP_is_alloc(void* memory) { return xomp::remove_allocated(memory); }

XOMP_ALSO_VERSION(GOMP_5.0.1, GOMP_alloc, GOMP_free);
