// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/allocators.h"

#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

#include <sys/mman.h>

#include "conf/settings.h"
#include "locks/locks.h"
#include "sys/assert.h"
#include "sys/memory.h"
#include "sys/report.h"
#include "task/environment.h"
#include "team/team.h"

namespace xomp {
namespace {

constexpr uintptr_t kUnlimited = ~uintptr_t{0};

/// A chain of fallbacks longer than this runs in a circle.
constexpr int kMostFallbacks = 64;

struct Allocator {
  uintptr_t alignment = sizeof(void*);
  uintptr_t pool_size = kUnlimited;
  std::atomic<uintptr_t> pool_used{0};
  AllocatorHandle fallback_allocator = kNullAllocator;
  uint8_t fallback = kTraitDefaultMemFallback;
  bool pinned = false;

  bool limited() const { return pool_size != kUnlimited; }
};

/// Where a block comes from. Other memory of the program's has hardly these numbers in front.
enum class Origin : uint64_t { kHeap = 0x68656170, kPinned = 0x70696e6e };

/// Lies in front of what the program gets. Its size counts against the pool, as in libgomp.
struct AllocatedBlock {
  void* start;
  std::size_t size; // from start to the end
  AllocatorHandle allocator;
  Origin origin;
};
static_assert(sizeof(AllocatedBlock) == 4 * sizeof(void*));

/// Of memory that an allocator has given; the end of the process where that can be seen not to be.
AllocatedBlock* block_of(void* memory) {
  AllocatedBlock* block = static_cast<AllocatedBlock*>(memory) - 1;
  if (block->origin != Origin::kHeap && block->origin != Origin::kPinned) [[unlikely]]
    sys::fatal("memory is given back that is no allocator's");
  return block;
}

Allocator* object(AllocatorHandle handle) {
  return handle > kLastPredefined ? reinterpret_cast<Allocator*>(handle) : nullptr;
}

AllocatorHandle resolve(AllocatorHandle handle) {
  return handle == kNullAllocator ? default_allocator() : handle;
}

bool is_pinned(AllocatorHandle handle) {
  const Allocator* allocator = object(handle);
  return allocator ? allocator->pinned : handle == kPinnedMemAlloc;
}

/// A predefined allocator that no device-less machine can serve: ompx_gnu_managed_mem_alloc, and
/// numbers that nobody gave a meaning.
bool is_unknown(AllocatorHandle handle) {
  return handle > kThreadMemAlloc && handle <= kLastPredefined && handle != kPinnedMemAlloc;
}

std::size_t alignment_for(AllocatorHandle handle, std::size_t asked) {
  const Allocator* allocator = object(handle);
  std::size_t least = allocator ? allocator->alignment : sizeof(void*);
  return asked < least ? least : std::bit_ceil(asked);
}

/// Bytes to take from the heap so that `size` aligned ones fit behind a header; 0 on overflow.
std::size_t gross_size(std::size_t alignment, std::size_t size) {
  std::size_t gross = sizeof(AllocatedBlock) + alignment - sizeof(void*);
  return __builtin_add_overflow(gross, size, &gross) ? 0 : gross;
}

bool reserve(Allocator* allocator, std::size_t bytes) {
  if (!allocator || !allocator->limited())
    return true;
  uintptr_t used = allocator->pool_used.load(std::memory_order_relaxed);
  uintptr_t wanted;
  do { // relaxed: the count guards no data
    if (__builtin_add_overflow(used, bytes, &wanted) || wanted > allocator->pool_size)
      return false;
  } while (!allocator->pool_used.compare_exchange_weak(used, wanted, std::memory_order_relaxed));
  return true;
}

void unreserve(Allocator* allocator, std::size_t bytes) {
  XOMP_ASSERT(!allocator || !allocator->limited() ||
              allocator->pool_used.load(std::memory_order_relaxed) >= bytes);
  if (allocator && allocator->limited())
    allocator->pool_used.fetch_sub(bytes, std::memory_order_relaxed);
}

void* heap_take(std::size_t bytes, Fill fill, bool pinned) {
  if (!pinned)
    return fill == Fill::kZero ? std::calloc(1, bytes) : std::malloc(bytes);
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    return nullptr;
  if (mlock(pages, bytes) != 0) {
    munmap(pages, bytes);
    return nullptr;
  }
  return pages;
}

void heap_return(void* start, std::size_t bytes, bool pinned) {
  if (pinned)
    munmap(start, bytes);
  else
    std::free(start);
}

void* place_block(void* start, std::size_t gross, std::size_t alignment, AllocatorHandle handle) {
  uintptr_t behind_header = reinterpret_cast<uintptr_t>(start) + sizeof(AllocatedBlock);
  void* memory = reinterpret_cast<void*>((behind_header + alignment - 1) & ~(alignment - 1));
  *(static_cast<AllocatedBlock*>(memory) -
    1) = {start, gross, handle, is_pinned(handle) ? Origin::kPinned : Origin::kHeap};
  return memory;
}

/// One attempt, without fallback.
void* take(AllocatorHandle handle, std::size_t alignment, std::size_t size, Fill fill) {
  Allocator* allocator = object(handle);
  std::size_t gross = gross_size(alignment, size);
  if (gross == 0 || is_unknown(handle) || !reserve(allocator, gross))
    return nullptr;
  void* start = heap_take(gross, fill, is_pinned(handle));
  if (!start) {
    unreserve(allocator, gross);
    return nullptr;
  }
  return place_block(start, gross, alignment, handle);
}

[[noreturn]] void out_of_memory(std::size_t bytes) {
  sys::fatal("out of memory: could not allocate %zu bytes", bytes);
}

/// The allocator to try after `failed`, or null when the request fails.
AllocatorHandle next_after(AllocatorHandle failed, std::size_t alignment, std::size_t size) {
  const Allocator* allocator = object(failed);
  if (!allocator)
    return kNullAllocator;
  switch (allocator->fallback) {
  case kTraitNullFallback:
    return kNullAllocator;
  case kTraitAllocatorFallback:
    return resolve(allocator->fallback_allocator);
  case kTraitDefaultMemFallback:
    // Without a limit, pins and a wish for alignment the heap itself has just refused.
    return allocator->limited() || allocator->pinned || allocator->alignment > alignment
               ? kDefaultMemAlloc
               : kNullAllocator;
  default:
    out_of_memory(size);
  }
}

bool valid_choice(uintptr_t value, uintptr_t first, uintptr_t last) {
  return value == kTraitDefault || (value >= first && value <= last);
}

/// Notes one trait; false when its value is none that the key knows.
bool apply_trait(Allocator& allocator, const AllocatorTrait& trait) {
  uintptr_t value = trait.value;
  bool by_default = value == kTraitDefault;
  switch (trait.key) {
  case kTraitSyncHint: // pools are atomic for all
    return valid_choice(value, kTraitContended, kTraitPrivate);
  case kTraitAccess: // the heap serves everybody
    return valid_choice(value, kTraitAll, kTraitCgroup);
  case kTraitPartition: // pages go where they are first touched
    return valid_choice(value, kTraitEnvironment, kTraitInterleaved);
  case kTraitAlignment:
    if (!by_default && (value == 0 || (value & (value - 1)) != 0))
      return false;
    allocator.alignment = by_default || value < sizeof(void*) ? sizeof(void*) : value;
    return true;
  case kTraitPoolSize:
    allocator.pool_size = by_default ? kUnlimited : value;
    return true;
  case kTraitFallback:
    allocator.fallback =
        static_cast<uint8_t>(by_default ? uintptr_t{kTraitDefaultMemFallback} : value);
    return valid_choice(value, kTraitDefaultMemFallback, kTraitAllocatorFallback);
  case kTraitFallbackData:
    allocator.fallback_allocator = value;
    return true;
  case kTraitPinned:
    allocator.pinned = value == kTraitTrue;
    return valid_choice(value, kTraitFalse, kTraitTrue);
  default:
    return false;
  }
}

constinit Mutex making;

/// OMP_ALLOCATOR may describe an allocator instead of naming one; the first use makes it.
AllocatorHandle environment_allocator() {
  static AllocatorHandle made = kNullAllocator;
  MutexGuard guard(making);
  if (made == kNullAllocator) {
    made = make_allocator(settings.allocator_space, settings.allocator_trait_count,
                          settings.allocator_traits);
    if (made == kNullAllocator)
      made = kDefaultMemAlloc;
  }
  return made;
}

} // namespace

AllocatorHandle make_allocator(uintptr_t space, int trait_count, const AllocatorTrait* traits) {
  if (space > kLastMemSpace || space == kHighBwMemSpace) // no such memory is known here
    return kNullAllocator;
  auto* allocator = sys::create<Allocator>();
  for (int i = 0; i < trait_count; i++) {
    if (!apply_trait(*allocator, traits[i])) {
      sys::destroy(allocator);
      return kNullAllocator;
    }
  }
  return reinterpret_cast<AllocatorHandle>(allocator);
}

AllocatorHandle default_allocator() {
  AllocatorHandle allocator = me().start.default_allocator;
  return allocator == kNullAllocator ? environment_allocator() : allocator;
}

void set_default_allocator(AllocatorHandle allocator) {
  me().start.default_allocator = allocator == kNullAllocator ? kDefaultMemAlloc : allocator;
}

void destroy_allocator(AllocatorHandle allocator) { sys::destroy(object(allocator)); }

void* allocate_from(AllocatorHandle allocator, std::size_t alignment, std::size_t count,
                    std::size_t size, Fill fill) {
  if (count == 0 || size == 0)
    return nullptr;
  std::size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes))
    bytes = ~std::size_t{0}; // fits nowhere: takes the way of any request that is too large
  AllocatorHandle handle = resolve(allocator);
  for (int attempt = 0; handle != kNullAllocator && attempt < kMostFallbacks; attempt++) {
    if (void* memory = take(handle, alignment_for(handle, alignment), bytes, fill))
      return memory;
    handle = next_after(handle, alignment, bytes);
  }
  return nullptr;
}

void release_allocated(void* memory) {
  if (!memory)
    return;
  AllocatedBlock block = *block_of(memory);
  unreserve(object(block.allocator), block.size);
  heap_return(block.start, block.size, block.origin == Origin::kPinned);
}

namespace {

/// realloc(3) keeps the distance between start and pointer but not the alignment beyond its own, so
/// it serves plain blocks only, and within one pool.
bool may_resize_in_place(const AllocatedBlock& block, AllocatorHandle to) {
  bool plain = reinterpret_cast<uintptr_t>(block.start) + sizeof block ==
               reinterpret_cast<uintptr_t>(&block + 1);
  const Allocator* from = object(block.allocator);
  return plain && block.origin == Origin::kHeap && !is_pinned(to) && !is_unknown(to) &&
         alignment_for(to, 1) == sizeof(void*) &&
         (block.allocator == to ||
          (!(from && from->limited()) && !(object(to) && object(to)->limited())));
}

void* resize_in_place(AllocatedBlock* block, AllocatorHandle to, std::size_t size) {
  Allocator* pool = object(to);
  std::size_t old_gross = block->size;
  std::size_t gross = gross_size(sizeof(void*), size);
  std::size_t growth = gross > old_gross ? gross - old_gross : 0;
  if (gross == 0 || !reserve(pool, growth))
    return nullptr;
  void* start = std::realloc(block->start, gross);
  if (!start) {
    unreserve(pool, growth);
    return nullptr;
  }
  if (gross < old_gross)
    unreserve(pool, old_gross - gross);
  return place_block(start, gross, sizeof(void*), to);
}

} // namespace

void* reallocate_from(AllocatorHandle to, void* memory, std::size_t size) {
  if (!memory)
    return allocate_from(to, 1, 1, size, Fill::kNone);
  if (size == 0) {
    release_allocated(memory);
    return nullptr;
  }
  AllocatedBlock* block = block_of(memory);
  if (to == kNullAllocator)
    to = block->allocator;
  if (may_resize_in_place(*block, to)) {
    if (void* resized = resize_in_place(block, to, size))
      return resized;
  }
  std::size_t kept = block->size - (static_cast<char*>(memory) - static_cast<char*>(block->start));
  void* fresh = allocate_from(to, 1, 1, size, Fill::kNone);
  if (fresh) {
    std::memcpy(fresh, memory, kept < size ? kept : size);
    release_allocated(memory);
  }
  return fresh;
}

void* allocate_or_die(AllocatorHandle allocator, std::size_t alignment, std::size_t size) {
  void* memory = allocate_from(allocator, alignment, 1, size, Fill::kNone);
  if (!memory && size)
    out_of_memory(size);
  return memory;
}

void repair_allocators_after_fork() { new (&making) Mutex; }

} // namespace xomp
