// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenMP memory allocators, OpenMP 5.2 sections 6.1, 6.2 and 18.13: the predefined ones and those
// that omp_init_allocator makes. Every memory space is the C library's heap; what an allocator adds
// is alignment, a pool limit, pinning and a fallback.
//
//   start          pointer - 32           pointer
//   | alignment gap | AllocatedBlock header | the program's memory |
#pragma once
#include <cstddef>
#include <cstdint>

#include "conf/allocator_numbers.h"

namespace xomp {

/// omp_init_allocator; the null allocator when a trait or the space is not supported.
AllocatorHandle make_allocator(uintptr_t space, int trait_count, const AllocatorTrait* traits);
void destroy_allocator(AllocatorHandle allocator);

/// def-allocator-var; unlike the other ICVs of a data environment its scope is the implicit task
/// (OpenMP 5.2, table 2.1).
AllocatorHandle default_allocator();
void set_default_allocator(AllocatorHandle allocator);

enum class Fill { kNone, kZero };

/// Memory for `count` elements of `size` bytes from an allocator (null: the default one), by its
/// fallback when that fails. Null when it ends there, or for no bytes.
void* allocate_from(AllocatorHandle allocator, std::size_t alignment, std::size_t count,
                    std::size_t size, Fill fill);
/// omp_realloc: `to` null keeps the block's allocator.
void* reallocate_from(AllocatorHandle to, void* memory, std::size_t size);
void release_allocated(void* memory);

/// The `allocate` clause has no way to fail: as `allocate_from`, but ends the process with a
/// message.
void* allocate_or_die(AllocatorHandle allocator, std::size_t alignment, std::size_t size);

/// In the child after fork: another thread may have been in the middle of any of this.
void repair_allocators_after_fork();

} // namespace xomp
