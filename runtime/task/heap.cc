// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/heap.h"

#include "sys/memory.h"

namespace xomp {
namespace {
constexpr std::size_t kSlab = 65536;
} // namespace

void Heap::end() { release_slabs(); }

std::size_t Heap::release_slabs() {
  std::size_t count = 0;
  for (; slabs; ++count) {
    Free* next = slabs->next;
    sys::release(slabs);
    slabs = next;
  }
  return count;
}

void Heap::trim() {
  if (taken - taken_large <= kSlab)
    return;
  std::size_t unused = 0;
  for (uint32_t i = 0; i < kClasses; ++i) {
    for (const Free* block = lists[i]; block; block = block->next)
      unused += kSizes[i];
  }
  if (unused != carved)
    return;
  Free* kept = slabs;
  slabs = kept->next;
  taken -= kSlab * release_slabs();
  kept->next = nullptr;
  slabs = kept;
  for (Free*& list : lists)
    list = nullptr;
  carved = 0;
  fresh = reinterpret_cast<char*>(kept) + kAlign;
  fresh_end = reinterpret_cast<char*>(kept) + kSlab;
}

void* Heap::reuse(std::size_t size) {
  int index = class_of(size);
  if (index < 0 || !lists[index])
    return nullptr;
  Free* block = lists[index];
  lists[index] = block->next;
  return block;
}

void* Heap::allocate(std::size_t size) {
  if (void* block = reuse(size))
    return block;
  if (class_of(size) < 0) {
    taken += size;
    taken_large += size;
    return sys::allocate(size, kAlign);
  }
  return carve(size);
}

void Heap::free(void* memory, std::size_t size) {
  int index = class_of(size);
  if (index < 0) {
    taken -= size;
    taken_large -= size;
    sys::release(memory);
    return;
  }
  auto* block = static_cast<Free*>(memory);
  block->next = lists[index];
  lists[index] = block;
}

void* Heap::carve(std::size_t size) {
  if (static_cast<std::size_t>(fresh_end - fresh) < size) {
    // The rest of the old slab is given up: at most one block of the largest class per slab.
    auto* slab = static_cast<Free*>(sys::allocate(kSlab, kAlign));
    slab->next = slabs;
    slabs = slab;
    taken += kSlab;
    fresh = reinterpret_cast<char*>(slab) + kAlign;
    fresh_end = reinterpret_cast<char*>(slab) + kSlab;
  }
  void* block = fresh;
  fresh += size;
  carved += size;
  return block;
}

} // namespace xomp
