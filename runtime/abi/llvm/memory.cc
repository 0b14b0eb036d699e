// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The allocate directive and clause, and the allocation routines of LLVM's and Intel's own.
#include <cstddef>
#include <cstdint>

#include "abi/export.h"
#include "memory/allocators.h"
#include "sys/memory.h"

using namespace xomp;

namespace {
constexpr std::size_t kAlign = alignof(std::max_align_t);
} // namespace

XOMP_EXPORT void* __kmpc_alloc(int32_t, std::size_t size, AllocatorHandle allocator) {
  return allocate_from(allocator, kAlign, 1, size, Fill::kNone);
}
XOMP_EXPORT void* __kmpc_aligned_alloc(int32_t, std::size_t align, std::size_t size,
                                       AllocatorHandle allocator) {
  return allocate_from(allocator, align, 1, size, Fill::kNone);
}
XOMP_EXPORT void __kmpc_free(int32_t, void* memory, AllocatorHandle) { release_allocated(memory); }

// Released by kmp_free, and by nothing else.
XOMP_EXPORT void* kmp_malloc(std::size_t size) {
  return allocate_from(kDefaultMemAlloc, kAlign, 1, size, Fill::kNone);
}
XOMP_EXPORT void* kmp_aligned_malloc(std::size_t size, std::size_t align) {
  return allocate_from(kDefaultMemAlloc, align, 1, size, Fill::kNone);
}
XOMP_EXPORT void* kmp_calloc(std::size_t count, std::size_t size) {
  return allocate_from(kDefaultMemAlloc, kAlign, count, size, Fill::kZero);
}
XOMP_EXPORT void* kmp_realloc(void* memory, std::size_t size) {
  return memory ? reallocate_from(kNullAllocator, memory, size) : kmp_malloc(size);
}
XOMP_EXPORT void kmp_free(void* memory) { release_allocated(memory); }
