// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers of memory allocators, memory spaces and allocator traits as programs pass them
// (OpenMP 5.2 section 18.13; the values are those of the GNU omp.h). OMP_ALLOCATOR is read into
// them, the memory layer acts on them.
#pragma once
#include <cstdint>

namespace xomp {

/// omp_allocator_handle_t: one of the predefined numbers, or the address of an allocator.
using AllocatorHandle = uintptr_t;
inline constexpr AllocatorHandle kNullAllocator = 0;
inline constexpr AllocatorHandle kDefaultMemAlloc = 1;
inline constexpr AllocatorHandle kLargeCapMemAlloc = 2;
inline constexpr AllocatorHandle kConstMemAlloc = 3;
inline constexpr AllocatorHandle kHighBwMemAlloc = 4;
inline constexpr AllocatorHandle kLowLatMemAlloc = 5;
inline constexpr AllocatorHandle kCgroupMemAlloc = 6;
inline constexpr AllocatorHandle kPteamMemAlloc = 7;
inline constexpr AllocatorHandle kThreadMemAlloc = 8;    ///< the last one of the standard
inline constexpr AllocatorHandle kPinnedMemAlloc = 200;  ///< ompx_gnu_pinned_mem_alloc, GCC 14
inline constexpr AllocatorHandle kLastPredefined = 1023; ///< no object lies that low

/// omp_memspace_handle_t.
enum MemorySpace : uintptr_t {
  kDefaultMemSpace = 0,
  kLargeCapMemSpace = 1,
  kConstMemSpace = 2,
  kHighBwMemSpace = 3,
  kLowLatMemSpace = 4,
  kLastMemSpace = kLowLatMemSpace,
};

/// omp_alloctrait_key_t.
enum TraitKey : uint32_t {
  kTraitSyncHint = 1,
  kTraitAlignment = 2,
  kTraitAccess = 3,
  kTraitPoolSize = 4,
  kTraitFallback = 5,
  kTraitFallbackData = 6,
  kTraitPinned = 7,
  kTraitPartition = 8,
};

/// omp_alloctrait_value_t: the values of the keys that take a name.
enum TraitValue : uintptr_t {
  kTraitFalse = 0,
  kTraitTrue = 1,
  // sync_hint
  kTraitContended = 3,
  kTraitUncontended = 4,
  kTraitSerialized = 5,
  kTraitPrivate = 6,
  // access
  kTraitAll = 7,
  kTraitThread = 8,
  kTraitPteam = 9,
  kTraitCgroup = 10,
  // fallback
  kTraitDefaultMemFallback = 11,
  kTraitNullFallback = 12,
  kTraitAbortFallback = 13,
  kTraitAllocatorFallback = 14,
  // partition
  kTraitEnvironment = 15,
  kTraitNearest = 16,
  kTraitBlocked = 17,
  kTraitInterleaved = 18,
  kTraitDefault = ~uintptr_t{0}, ///< of any key
};

/// omp_alloctrait_t.
struct AllocatorTrait {
  uint32_t key; ///< a TraitKey, if the program is right
  uintptr_t value;
};

} // namespace xomp
