// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The allocate directive and clause, and the allocation routines of LLVM's and Intel's own.
#include <cstddef>
#include <cstdint>

#include "abi/export.h"
#include "memory/allocated_set.h"
#include "memory/allocators.h"
#include "sys/memory.h"

using namespace xomp;

namespace {
constexpr std::size_t kAlign = alignof(std::max_align_t);
} // namespace

// Without an allocator it is for an object of `depobj`, which is told from one of GCC's by that.
XOMP_EXPORT void* __kmpc_alloc(int32_t, std::size_t size, AllocatorHandle allocator) {
  void* memory = allocate_from(allocator, kAlign, 1, size, Fill::kNone);
  if (allocator == kNullAllocator)
    add_allocated(memory);
  return memory;
}
XOMP_EXPORT void* __kmpc_aligned_alloc(int32_t, std::size_t align, std::size_t size,
                                       AllocatorHandle allocator) {
  return allocate_from(allocator, align, 1, size, Fill::kNone);
}
XOMP_EXPORT void* __kmpc_calloc(int32_t, std::size_t count, std::size_t size,
                                AllocatorHandle allocator) {
  return allocate_from(allocator, kAlign, count, size, Fill::kZero);
}
XOMP_EXPORT void* __kmpc_realloc(int32_t, void* memory, std::size_t size, AllocatorHandle allocator,
                                 AllocatorHandle) {
  return memory ? reallocate_from(allocator, memory, size)
                : allocate_from(allocator, kAlign, 1, size, Fill::kNone);
}
XOMP_EXPORT void __kmpc_free(int32_t, void* memory, AllocatorHandle allocator) {
  if (allocator == kNullAllocator)
    remove_allocated(memory);
  release_allocated(memory);
}

XOMP_EXPORT AllocatorHandle __kmpc_init_allocator(int32_t, uintptr_t space, int count,
                                                  const AllocatorTrait* traits) {
  return make_allocator(space, count, traits);
}
XOMP_EXPORT void __kmpc_destroy_allocator(int32_t, AllocatorHandle allocator) {
  destroy_allocator(allocator);
}
XOMP_EXPORT void __kmpc_set_default_allocator(int32_t, AllocatorHandle allocator) {
  set_default_allocator(allocator);
}
XOMP_EXPORT AllocatorHandle __kmpc_get_default_allocator(int32_t) { return default_allocator(); }

// Released by kmp_free, and by nothing else. Fortran's names take everything by reference; kmpc_*
// are the names by which it binds to those of C.
XOMP_EXPORT void* kmp_malloc(std::size_t size) {
  return allocate_from(kDefaultMemAlloc, kAlign, 1, size, Fill::kNone);
}
XOMP_EXPORT void* kmp_aligned_malloc(std::size_t size, std::size_t align) {
  if (align & (align - 1)) // programs see from null that it is no power of two
    return nullptr;
  return allocate_from(kDefaultMemAlloc, align, 1, size, Fill::kNone);
}
XOMP_EXPORT void* kmp_calloc(std::size_t count, std::size_t size) {
  return allocate_from(kDefaultMemAlloc, kAlign, count, size, Fill::kZero);
}
XOMP_EXPORT void* kmp_realloc(void* memory, std::size_t size) {
  return memory ? reallocate_from(kNullAllocator, memory, size) : kmp_malloc(size);
}
XOMP_EXPORT void kmp_free(void* memory) { release_allocated(memory); }

XOMP_EXPORT void* kmp_malloc_(const std::size_t* size) { return kmp_malloc(*size); }
XOMP_EXPORT void* kmp_aligned_malloc_(const std::size_t* size, const std::size_t* align) {
  return kmp_aligned_malloc(*size, *align);
}
XOMP_EXPORT void* kmp_calloc_(const std::size_t* count, const std::size_t* size) {
  return kmp_calloc(*count, *size);
}
XOMP_EXPORT void* kmp_realloc_(void** memory, const std::size_t* size) {
  return kmp_realloc(*memory, *size);
}
XOMP_EXPORT void kmp_free_(void** memory) { kmp_free(*memory); }

XOMP_EXPORT __attribute__((alias("kmp_malloc"))) void* kmpc_malloc(std::size_t);
XOMP_EXPORT __attribute__((alias("kmp_aligned_malloc"))) void* kmpc_aligned_malloc(std::size_t,
                                                                                   std::size_t);
XOMP_EXPORT __attribute__((alias("kmp_calloc"))) void* kmpc_calloc(std::size_t, std::size_t);
XOMP_EXPORT __attribute__((alias("kmp_realloc"))) void* kmpc_realloc(void*, std::size_t);
XOMP_EXPORT __attribute__((alias("kmp_free"))) void kmpc_free(void*);
