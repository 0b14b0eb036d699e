// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// threadprivate variables of programs that do not use the system's thread-local storage for them:
// Fortran's common blocks, and clang's with -fnoopenmp-use-tls. The process's first thread uses the
// variable itself; each other one gets a copy when it first asks.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstring>

#include "abi/export.h"
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
  std::size_t size = 0;
  void* image = nullptr; ///< its bytes before the first thread asked for it; null: nobody has
  uint32_t number = 0;   ///< its place in the threads' lists
  Variable* next = nullptr;
};

constinit Mutex lock; // of what follows
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

void end_thread(void*) {
  for (uint32_t i = 0; i < mine.room; ++i) {
    Copies::Entry& each = mine.entries[i];
    if (!each.memory || each.memory == each.of->address)
      continue;
    if (each.of->destroy)
      each.of->destroy(each.memory);
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
  if (variable.construct)
    variable.construct(memory);
  else if (variable.copy)
    variable.copy(memory, original);
  else
    std::memcpy(memory, variable.image, variable.size);
  return memory;
}

} // namespace

XOMP_EXPORT void __kmpc_threadprivate_register(const Ident*, void* data, void* (*construct)(void*),
                                               void* (*copy)(void*, void*),
                                               void (*destroy)(void*)) {
  lock.lock();
  Variable& variable = known(data);
  variable.construct = construct;
  variable.copy = copy;
  variable.destroy = destroy;
  lock.unlock();
}

/// `cache`: a word of the program's for this variable, which starts as zero.
XOMP_EXPORT void* __kmpc_threadprivate_cached(const Ident*, int32_t, void* data, std::size_t size,
                                              std::atomic<Variable*>* cache) {
  // Acquire: what the thread that found it wrote there.
  Variable* variable = cache->load(std::memory_order_acquire);
  if (!variable) [[unlikely]] {
    lock.lock();
    variable = &known(data);
    if (!variable->image) {
      variable->size = size;
      variable->image = sys::allocate(size);
      std::memcpy(variable->image, data, size);
    }
    if (!has_key)
      has_key = pthread_key_create(&key, end_thread) == 0;
    lock.unlock();
    cache->store(variable, std::memory_order_release);
  }
  make_room(variable->number);
  Copies::Entry& entry = mine.entries[variable->number];
  if (!entry.memory) [[unlikely]] {
    entry = {make_copy(*variable, data), variable};
    if (has_key)
      pthread_setspecific(key, &mine);
  }
  return entry.memory;
}
