// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/heap.h"

#include <algorithm>
#include <new>

#include "conf/settings.h"
#include "sys/assert.h"
#include "sys/memory.h"

namespace xomp {

void Heap::end() {
  if (settings.mallocs_tasks())
    collect_remote(); // no slab holds them
  while (slabs)
    release_newest_slab();
}

void Heap::release_newest_slab() {
  Slab* slab = slabs;
  slabs = slab->next;
  XOMP_ASSERT(slab_bytes >= slab->bytes);
  slab_bytes -= slab->bytes;
  sys::release(slab);
}

void Heap::trim() {
  collect_remote();
  if (!slabs || !slabs->next)
    return;
  std::size_t unused = 0;
  for (uint32_t i = 0; i < kClasses; ++i) {
    for (const Free* block = lists[i]; block; block = block->next)
      unused += kSizes[i];
  }
  if (unused != carved)
    return;
  // The oldest is the smallest.
  while (slabs->next)
    release_newest_slab();
  for (Free*& list : lists)
    list = nullptr;
  carved = 0;
  use(*slabs);
}

void Heap::use(Slab& slab) {
  fresh = reinterpret_cast<char*>(&slab) + kAlign;
  fresh_end = reinterpret_cast<char*>(&slab) + slab.bytes;
}

void* Heap::reuse(std::size_t size) {
  int index = class_of(size);
  if (index < 0)
    return nullptr;
  if (!lists[index]) {
    if (remote.looks_empty())
      return nullptr;
    collect_remote();
    if (!lists[index])
      return nullptr;
  }
  Free* block = lists[index];
  lists[index] = block->next;
  return block;
}

void* Heap::allocate(std::size_t size) {
  if (void* block = reuse(size))
    return block;
  bool large = class_of(size) < 0;
  if (large || settings.mallocs_tasks()) {
    large_bytes += large ? size : 0;
    return sys::allocate(size, kAlign);
  }
  return carve(size);
}

void Heap::free(void* memory, std::size_t size) {
  int index = class_of(size);
  bool large = index < 0;
  if (large || settings.mallocs_tasks()) {
    XOMP_ASSERT(!large || large_bytes >= size);
    large_bytes -= large ? size : 0;
    sys::release(memory);
    return;
  }
  XOMP_ASSERT(slabs && reinterpret_cast<uintptr_t>(memory) % kAlign == 0);
  auto* block = static_cast<Free*>(memory);
  block->next = lists[index];
  lists[index] = block;
}

void Heap::free_remote(void* memory, std::size_t size) {
  XOMP_ASSERT(class_of(size) >= 0);
  remote.push(::new (memory) Free{nullptr, size});
}

void Heap::collect_remote() {
  Free* block = remote.take_all();
  while (block) {
    Free* next = block->next;
    free(block, block->size);
    block = next;
  }
}

void* Heap::carve(std::size_t size) {
  if (static_cast<std::size_t>(fresh_end - fresh) < size) {
    // The rest of the old slab is given up: at most one block of the largest class per slab.
    std::size_t bytes = std::clamp(slab_bytes, kSmallestSlab, kLargestSlab);
    slabs = ::new (sys::allocate(bytes, kAlign)) Slab{slabs, bytes};
    slab_bytes += bytes;
    use(*slabs);
  }
  void* block = fresh;
  fresh += size;
  carved += size;
  return block;
}

} // namespace xomp
