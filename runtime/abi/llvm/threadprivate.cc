// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// threadprivate variables of programs that do not use the system's thread-local storage for them:
// Fortran's common blocks, and clang's with -fnoopenmp-use-tls. The process's first thread uses the
// variable itself; each other one gets a copy when it first asks. For each variable the program has
// a word, its cache: the address of an array of the threads' copies by their numbers. Intel's
// classic compilers look into that themselves, and call only where there is nothing.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <new>

#include "abi/export.h"
#include "abi/llvm/after_fork.h"
#include "abi/llvm/ident.h"
#include "locks/locks.h"
#include "sys/memory.h"

using namespace xomp;
using namespace xomp::llvm;

namespace {

/// What is known of one variable; stays until the process ends.
struct Variable {
  const void* address;
  void* (*construct)(void*) = nullptr;
  void* (*copy)(void*, void*) = nullptr;
  void (*destroy)(void*) = nullptr;
  std::size_t elements = 0; ///< of an array, whose functions take their number; 0: they do not
  std::size_t size = 0;
  void* image = nullptr; ///< its bytes before the first thread asked for it; null: nobody has
  uint32_t number = 0;   ///< its place in the threads' lists
  Variable* next = nullptr;
};

using Copy = std::atomic<void*>; // relaxed: read by its own thread alone, and under the lock

struct Cache {
  std::atomic<Copy*>* word; ///< the program's
  Cache* next;
};

constinit Mutex lock; // of what follows
constinit Cache* caches = nullptr;
constinit uint32_t room_in_caches = 0; ///< for so many threads, once there is one
constinit Variable* variables = nullptr;
constinit uint32_t count = 0;
constinit pthread_key_t key;
constinit bool has_key = false;

/// A thread's copies, by the variables' numbers.
struct Copies {
  uint32_t room;
  struct Entry {
    void* memory;
    const Variable* of;
  }* entries;
};
constinit thread_local Copies mine{0, nullptr};

using OfArray = void* (*)(void*, std::size_t);
using CopyOfArray = void* (*)(void*, void*, std::size_t);
using EndOfArray = void (*)(void*, std::size_t);

void end_copy(const Variable& variable, void* copy) {
  if (!variable.destroy)
    return;
  if (variable.elements)
    function_as<EndOfArray>(variable.destroy)(copy, variable.elements);
  else
    variable.destroy(copy);
}

void begin_copy(const Variable& variable, void* copy, void* original) {
  if (variable.elements && variable.construct)
    function_as<OfArray>(variable.construct)(copy, variable.elements);
  else if (variable.construct)
    variable.construct(copy);
  else if (variable.elements && variable.copy)
    function_as<CopyOfArray>(variable.copy)(copy, original, variable.elements);
  else if (variable.copy)
    variable.copy(copy, original);
  else
    std::memcpy(copy, variable.image, variable.size);
}

void end_thread(void*) {
  for (uint32_t i = 0; i < mine.room; ++i) {
    Copies::Entry& each = mine.entries[i];
    if (!each.memory || each.memory == each.of->address)
      continue;
    end_copy(*each.of, each.memory);
    sys::release(each.memory);
  }
  sys::release(mine.entries);
  mine = {0, nullptr};
}

/// Under the lock.
Variable& known(const void* address) {
  for (Variable* each = variables; each; each = each->next)
    if (each->address == address)
      return *each;
  auto* fresh = sys::create<Variable>();
  fresh->address = address;
  fresh->number = count++;
  fresh->next = variables;
  variables = fresh;
  return *fresh;
}

void make_room(uint32_t number) {
  if (number < mine.room)
    return;
  uint32_t room = number * 2 + 16;
  auto* entries = static_cast<Copies::Entry*>(sys::allocate_zeroed(room * sizeof(Copies::Entry)));
  if (mine.entries)
    std::memcpy(entries, mine.entries, mine.room * sizeof(Copies::Entry));
  sys::release(mine.entries);
  mine = {room, entries};
}

void* make_copy(const Variable& variable, void* original) {
  if (getpid() == static_cast<pid_t>(syscall(SYS_gettid)))
    return original;
  void* memory = sys::allocate(variable.size, 64);
  begin_copy(variable, memory, original);
  return memory;
}

void enter(const void* data, void* (*construct)(void*), void* (*copy)(void*, void*),
           void (*destroy)(void*), std::size_t elements) {
  lock.lock();
  Variable& variable = known(data);
  variable.construct = construct;
  variable.copy = copy;
  variable.destroy = destroy;
  variable.elements = elements;
  lock.unlock();
}

/// Before a thread asks for its copy.
Variable& asked_for(const void* data, std::size_t size) {
  lock.lock();
  Variable& variable = known(data);
  if (!variable.image) {
    variable.size = size;
    variable.image = sys::allocate(size);
    std::memcpy(variable.image, data, size);
  }
  if (!has_key)
    has_key = pthread_key_create(&key, end_thread) == 0;
  lock.unlock();
  return variable;
}

void* own_copy(const Variable& variable, void* data) {
  make_room(variable.number);
  Copies::Entry& entry = mine.entries[variable.number];
  if (!entry.memory) [[unlikely]] {
    entry = {make_copy(variable, data), &variable};
    if (has_key)
      pthread_setspecific(key, &mine);
  }
  return entry.memory;
}

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
  lock.lock();
  if (!word.load(std::memory_order_relaxed)) {
    if (!room_in_caches)
      room_in_caches = static_cast<uint32_t>(std::max(kFewest, 2 * known_threads()));
    caches = ::new (sys::allocate(sizeof(Cache))) Cache{&word, caches};
    enlarge(*caches, 0);
  }
  word.load(std::memory_order_relaxed)[number].store(copy, std::memory_order_relaxed);
  lock.unlock();
}

} // namespace

void llvm::make_room_in_caches(int32_t number) {
  lock.lock();
  uint32_t before = room_in_caches;
  if (before && static_cast<uint32_t>(number) >= before) {
    room_in_caches = 2 * static_cast<uint32_t>(number);
    for (const Cache* each = caches; each; each = each->next)
      enlarge(*each, before);
  }
  lock.unlock();
}

void llvm::repair_threadprivate_after_fork() { ::new (&lock) Mutex; }

XOMP_EXPORT void __kmpc_threadprivate_register(const Ident*, void* data, void* (*construct)(void*),
                                               void* (*copy)(void*, void*),
                                               void (*destroy)(void*)) {
  enter(data, construct, copy, destroy, 0);
}
/// Of arrays, whose functions take the number of elements.
XOMP_EXPORT void __kmpc_threadprivate_register_vec(const Ident*, void* data, OfArray construct,
                                                   CopyOfArray copy, EndOfArray destroy,
                                                   std::size_t elements) {
  enter(data, function_as<void* (*)(void*)>(construct), function_as<void* (*)(void*, void*)>(copy),
        function_as<void (*)(void*)>(destroy), elements);
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
  void* copy = own_copy(asked_for(data, size), data);
  enter_in_cache(*cache, copy);
  return copy;
}
/// The thread's copy, for compilers that give the variable no such word.
XOMP_EXPORT void* __kmpc_threadprivate(const Ident*, int32_t, void* data, std::size_t size) {
  return own_copy(asked_for(data, size), data);
}
