// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "places.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <link.h>
#include <pthread.h>

namespace ompt_check {
namespace {

struct Range {
  uintptr_t begin, end;
  Owner owner;
};

// Objects that are loaded, as far as they are code. Entries are only ever added, so readers need no
// lock; libraries that are closed leave theirs behind.
constexpr size_t kMost = 1024;
Range ranges[kMost];
std::atomic<size_t> count{0};
std::atomic_flag adding = ATOMIC_FLAG_INIT;
uintptr_t in_runtime;

bool holds(const dl_phdr_info& object, uintptr_t address) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object.dlpi_phdr[i];
    if (part.p_type == PT_LOAD && address - (object.dlpi_addr + part.p_vaddr) < part.p_memsz)
      return true;
  }
  return false;
}

bool known(uintptr_t begin) {
  for (size_t i = 0; i < count.load(std::memory_order_relaxed); ++i)
    if (ranges[i].begin == begin)
      return true;
  return false;
}

int add_object(dl_phdr_info* object, size_t, void*) {
  Owner owner = Owner::kProgram;
  if (holds(*object, in_runtime))
    owner = Owner::kRuntime;
  else if (holds(*object, reinterpret_cast<uintptr_t>(&owner_of)))
    owner = Owner::kTool;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || !(part.p_flags & PF_X) || known(begin))
      continue;
    size_t now = count.load(std::memory_order_relaxed);
    if (now == kMost)
      return 1;
    ranges[now] = {begin, begin + part.p_memsz, owner};
    count.store(now + 1, std::memory_order_release);
  }
  return 0;
}

void add_objects() {
  while (adding.test_and_set(std::memory_order_acquire)) {
  }
  dl_iterate_phdr(add_object, nullptr);
  adding.clear(std::memory_order_release);
}

Owner look_up(uintptr_t address) {
  size_t known_now = count.load(std::memory_order_acquire);
  for (size_t i = 0; i < known_now; ++i)
    if (address - ranges[i].begin < ranges[i].end - ranges[i].begin)
      return ranges[i].owner;
  return Owner::kNobody;
}

struct Stack {
  uintptr_t low, high;
};
thread_local Stack stack;

} // namespace

void learn_places(const void* of_runtime) {
  in_runtime = reinterpret_cast<uintptr_t>(of_runtime);
  add_objects();
}

Owner owner_of(const void* address) {
  auto number = reinterpret_cast<uintptr_t>(address);
  Owner owner = look_up(number);
  if (owner != Owner::kNobody)
    return owner;
  add_objects(); // perhaps it was loaded meanwhile
  return look_up(number);
}

bool on_this_stack(const void* address) {
  if (stack.high == 0) {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
      return true;
    void* low = nullptr;
    size_t size = 0;
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    stack = {reinterpret_cast<uintptr_t>(low), reinterpret_cast<uintptr_t>(low) + size};
  }
  return reinterpret_cast<uintptr_t>(address) - stack.low < stack.high - stack.low;
}

} // namespace ompt_check
