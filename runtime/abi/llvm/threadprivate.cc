// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// threadprivate variables: Fortran's common blocks, and clang's with -fnoopenmp-use-tls. For each
// variable the program has a word, its cache: the address of an array of the threads' copies by
// their numbers. Intel's classic compilers look into that themselves, and call only where there is
// nothing.
#include "memory/threadprivate.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>

#include "abi/export.h"
#include "abi/llvm/after_fork.h"
#include "abi/llvm/ident.h"
#include "locks/locks.h"
#include "sys/memory.h"

using namespace xomp;
using namespace xomp::llvm;

namespace {

using Copy = std::atomic<void*>; // relaxed: read by its own thread alone, and under the lock

struct Cache {
  std::atomic<Copy*>* word; ///< the program's
  Cache* next;
};

constinit Mutex lock; // of what follows
constinit Cache* caches = nullptr;
constinit uint32_t room_in_caches = 0; ///< for so many threads, once there is one

/// The array gets room for `room_in_caches`, and keeps what it has. The one before stays: other
/// threads may be about to look into it. Leak checkers find it by the word in front of the new one.
void enlarge(const Cache& cache, uint32_t before) {
  auto* memory = static_cast<Copy*>(sys::allocate_zeroed((1 + room_in_caches) * sizeof(Copy)));
  Copy *copies = memory + 1, *old = cache.word->load(std::memory_order_relaxed);
  memory->store(old, std::memory_order_relaxed);
  for (uint32_t i = 0; old && i < before; ++i)
    copies[i].store(old[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
  // Release: who looks into it finds it filled.
  cache.word->store(copies, std::memory_order_release);
}

/// The calling thread's copy is in the cache from now on.
void enter_in_cache(std::atomic<Copy*>& word, void* copy) {
  constexpr int32_t kFewest = 4096; // libraries that are unloaded take their words with them
  int32_t number = thread_number();
  MutexGuard held(lock);
  if (!word.load(std::memory_order_relaxed)) {
    if (!room_in_caches)
      room_in_caches = static_cast<uint32_t>(std::max(kFewest, 2 * known_threads()));
    caches = ::new (sys::allocate(sizeof(Cache))) Cache{&word, caches};
    enlarge(*caches, 0);
  }
  word.load(std::memory_order_relaxed)[number].store(copy, std::memory_order_relaxed);
}

} // namespace

void llvm::make_room_in_caches(int32_t number) {
  MutexGuard held(lock);
  uint32_t before = room_in_caches;
  if (before && static_cast<uint32_t>(number) >= before) {
    room_in_caches = 2 * static_cast<uint32_t>(number);
    for (const Cache* each = caches; each; each = each->next)
      enlarge(*each, before);
  }
}

void llvm::repair_caches_after_fork() { ::new (&lock) Mutex; }

XOMP_EXPORT void __kmpc_threadprivate_register(const Ident*, void* data, void* (*construct)(void*),
                                               void* (*copy)(void*, void*),
                                               void (*destroy)(void*)) {
  set_threadprivate_type(data, {0, {.one = construct}, {.one = copy}, {.one = destroy}});
}
/// Of arrays, whose functions take the number of elements.
XOMP_EXPORT void __kmpc_threadprivate_register_vec(const Ident*, void* data,
                                                   void* (*construct)(void*, std::size_t),
                                                   void* (*copy)(void*, void*, std::size_t),
                                                   void (*destroy)(void*, std::size_t),
                                                   std::size_t elements) {
  set_threadprivate_type(data,
                         {elements, {.array = construct}, {.array = copy}, {.array = destroy}});
}

/// `cache`: a word of the program's for this variable, which starts as zero.
XOMP_EXPORT void* __kmpc_threadprivate_cached(const Ident*, int32_t, void* data, std::size_t size,
                                              std::atomic<Copy*>* cache) {
  int32_t number = thread_number(); // from then on there is room for it
  // Acquire: the array as it was filled.
  const Copy* copies = cache->load(std::memory_order_acquire);
  if (copies) [[likely]] {
    if (void* copy = copies[number].load(std::memory_order_relaxed)) [[likely]]
      return copy;
  }
  void* copy = threadprivate_copy(data, size);
  enter_in_cache(*cache, copy);
  return copy;
}
/// The thread's copy, for compilers that give the variable no such word.
XOMP_EXPORT void* __kmpc_threadprivate(const Ident*, int32_t, void* data, std::size_t size) {
  return threadprivate_copy(data, size);
}
