// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The allocator routines. Fortran binds the allocating ones to the C names.
#include <cstdint>

#include "abi/export.h"
#include "abi/omp/fortran.h"
#include "abi/omp/meet.h"
#include "abi/omp/versions.h"
#include "memory/allocators.h"

using xomp::AllocatorHandle;
using xomp::AllocatorTrait;
using xomp::Fill;

namespace {

AllocatorHandle make(uintptr_t space, int trait_count, const AllocatorTrait* traits) {
  xomp::meet_for_tool();
  return xomp::make_allocator(space, trait_count, traits);
}

void destroy(AllocatorHandle allocator) {
  xomp::meet_for_tool();
  xomp::destroy_allocator(allocator);
}

void* allocate(AllocatorHandle allocator, std::size_t alignment, std::size_t count,
               std::size_t size, Fill fill) {
  xomp::meet_for_tool();
  return xomp::allocate_from(allocator, alignment, count, size, fill);
}

void* reallocate(AllocatorHandle allocator, void* memory, std::size_t size) {
  xomp::meet_for_tool();
  return xomp::reallocate_from(allocator, memory, size);
}

void release(void* memory) {
  xomp::meet_for_tool();
  xomp::release_allocated(memory);
}

} // namespace

XOMP_EXPORT AllocatorHandle omp_init_allocator(uintptr_t space, int trait_count,
                                               const AllocatorTrait* traits) {
  return make(space, trait_count, traits);
}
XOMP_EXPORT AllocatorHandle omp_init_allocator_(const uintptr_t* space, const int32_t* trait_count,
                                                const AllocatorTrait* traits) {
  return make(*space, *trait_count, traits);
}
XOMP_EXPORT AllocatorHandle omp_init_allocator_8_(const uintptr_t* space,
                                                  const int64_t* trait_count,
                                                  const AllocatorTrait* traits) {
  return make(*space, static_cast<int>(*trait_count), traits);
}

XOMP_EXPORT void omp_destroy_allocator(AllocatorHandle allocator) { destroy(allocator); }
XOMP_EXPORT void omp_destroy_allocator_(const AllocatorHandle* allocator) { destroy(*allocator); }

XOMP_EXPORT void omp_set_default_allocator(AllocatorHandle allocator) {
  xomp::set_default_allocator(allocator);
}
XOMP_EXPORT void omp_set_default_allocator_(const AllocatorHandle* allocator) {
  xomp::set_default_allocator(*allocator);
}
XOMP_IN_BOTH(AllocatorHandle, omp_get_default_allocator) { return xomp::default_allocator(); }

XOMP_EXPORT void* omp_alloc(std::size_t size, AllocatorHandle allocator) {
  return allocate(allocator, 1, 1, size, Fill::kNone);
}
XOMP_EXPORT void* omp_aligned_alloc(std::size_t alignment, std::size_t size,
                                    AllocatorHandle allocator) {
  return allocate(allocator, alignment, 1, size, Fill::kNone);
}
XOMP_EXPORT void* omp_calloc(std::size_t count, std::size_t size, AllocatorHandle allocator) {
  return allocate(allocator, 1, count, size, Fill::kZero);
}
XOMP_EXPORT void* omp_aligned_calloc(std::size_t alignment, std::size_t count, std::size_t size,
                                     AllocatorHandle allocator) {
  return allocate(allocator, alignment, count, size, Fill::kZero);
}
XOMP_EXPORT void* omp_realloc(void* memory, std::size_t size, AllocatorHandle allocator,
                              AllocatorHandle) {
  return reallocate(allocator, memory, size);
}
XOMP_EXPORT void omp_free(void* memory, AllocatorHandle) { release(memory); }

XOMP_ALSO_VERSION(OMP_5.0.1, omp_alloc, omp_destroy_allocator, omp_destroy_allocator_, omp_free,
                  omp_get_default_allocator, omp_get_default_allocator_, omp_init_allocator,
                  omp_init_allocator_, omp_set_default_allocator, omp_set_default_allocator_);
XOMP_ALSO_VERSION(OMP_5.0.2, omp_aligned_alloc, omp_aligned_calloc, omp_calloc, omp_realloc);
