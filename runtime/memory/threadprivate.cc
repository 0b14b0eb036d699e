// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/threadprivate.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

#include "locks/locks.h"
#include "sys/memory.h"

namespace xomp {
namespace {

/// What is known of one variable; stays until the process ends.
struct Variable {
  const void* address;
  Variable* next;
  uint32_t number; ///< its place in the threads' lists
  ThreadprivateType type{};
  std::size_t size = 0;
  void* image = nullptr; ///< its bytes before the first thread asked for it; null: nobody has

  Variable(const void* address, uint32_t number, Variable* next)
      : address(address), next(next), number(number) {}
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

/// Whether the program has a function that does it.
bool begin_by_program(const ThreadprivateType& type, void* copy, void* original) {
  if (type.elements && type.construct.array)
    type.construct.array(copy, type.elements);
  else if (type.elements && type.copy.array)
    type.copy.array(copy, original, type.elements);
  else if (!type.elements && type.construct.one)
    type.construct.one(copy);
  else if (!type.elements && type.copy.one)
    type.copy.one(copy, original);
  else
    return false;
  return true;
}

void end_by_program(const ThreadprivateType& type, void* copy) {
  if (type.elements && type.destroy.array)
    type.destroy.array(copy, type.elements);
  else if (!type.elements && type.destroy.one)
    type.destroy.one(copy);
}

bool is_copy(const Copies::Entry& entry) {
  return entry.memory && entry.memory != entry.of->address;
}

/// The program's functions may ask for other variables: the list may be another one then, and what
/// has come to lie in front is for the next call, which the system makes where there was one.
void end_thread(void*) {
  for (uint32_t i = 0; i < mine.room; ++i) {
    Copies::Entry ended = mine.entries[i];
    if (!is_copy(ended))
      continue;
    end_by_program(ended.of->type, ended.memory);
    mine.entries[i].memory = nullptr;
    sys::release(ended.memory);
  }
  if (std::any_of(mine.entries, mine.entries + mine.room, is_copy))
    return;
  sys::release(mine.entries);
  mine = {0, nullptr};
}

/// Under the lock.
Variable& known(const void* address) {
  for (Variable* each = variables; each; each = each->next)
    if (each->address == address)
      return *each;
  return *(variables = sys::create<Variable>(address, count++, variables));
}

/// Before a thread asks for its copy.
Variable& asked_for(const void* address, std::size_t size) {
  MutexGuard held(lock);
  Variable& variable = known(address);
  if (!variable.image) {
    variable.size = size;
    variable.image = sys::allocate(size);
    std::memcpy(variable.image, address, size);
  }
  if (!has_key)
    has_key = pthread_key_create(&key, end_thread) == 0;
  return variable;
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
  if (!begin_by_program(variable.type, memory, original))
    std::memcpy(memory, variable.image, variable.size);
  return memory;
}

} // namespace

void set_threadprivate_type(const void* variable, const ThreadprivateType& type) {
  MutexGuard held(lock);
  known(variable).type = type;
}

void* threadprivate_copy(void* address, std::size_t size) {
  Variable& variable = asked_for(address, size);
  make_room(variable.number);
  if (!mine.entries[variable.number].memory) [[unlikely]] {
    // The program's functions may ask for others: the list may be another one then.
    void* copy = make_copy(variable, address);
    mine.entries[variable.number] = {copy, &variable};
    if (has_key)
      pthread_setspecific(key, &mine);
  }
  return mine.entries[variable.number].memory;
}

void repair_threadprivate_after_fork() { ::new (&lock) Mutex; }

} // namespace xomp
