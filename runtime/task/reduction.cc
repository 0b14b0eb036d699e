// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/reduction.h"

#include "sys/assert.h"
#include "sys/memory.h"
#include "sys/report.h"
#include "task/group.h"

namespace xomp {
namespace {

enum BlockWord { kItems, kSize, kCopies, kAllocator, kNext, kHead, kCopiesEnd, kBlockWords };
enum ItemWord { kOriginal, kOffset, kItemWords = 3 };

const uintptr_t* item(const uintptr_t* block, uintptr_t i) {
  return block + kBlockWords + i * kItemWords;
}
uintptr_t* next(const uintptr_t* block) { return reinterpret_cast<uintptr_t*>(block[kNext]); }

/// Where in which block a list item is.
struct ItemPosition {
  const uintptr_t* block;
  uintptr_t offset;
};

/// Links the chain before the enclosing one, after `visit` has seen each of its blocks.
template <class Visit> void for_chain(uintptr_t* chain, uintptr_t* enclosing, Visit visit) {
  uintptr_t* block = chain;
  for (;;) {
    visit(block);
    block[kHead] = block == chain;
    if (!block[kNext])
      break;
    block = next(block);
  }
  block[kNext] = reinterpret_cast<uintptr_t>(enclosing);
}

/// The blocks of a registered chain, without those of the enclosing one.
template <class Visit> void for_registered(const uintptr_t* chain, Visit visit) {
  const uintptr_t* block = chain;
  do {
    const uintptr_t* after = next(block);
    visit(block);
    block = after;
  } while (block && !block[kHead]);
}

/// Innermost first, so that an inner clause hides an outer one.
bool find_original(const uintptr_t* chain, uintptr_t address, ItemPosition& position) {
  for (const uintptr_t* block = chain; block; block = next(block))
    for (uintptr_t i = 0; i < block[kItems]; ++i)
      if (item(block, i)[kOriginal] == address) {
        position = {block, item(block, i)[kOffset]};
        return true;
      }
  return false;
}

bool find_copy(const uintptr_t* chain, uintptr_t address, ItemPosition& position) {
  for (const uintptr_t* block = chain; block; block = next(block))
    if (address >= block[kCopies] && address < block[kCopiesEnd]) {
      position = {block, (address - block[kCopies]) % block[kSize]};
      return true;
    }
  return false;
}

uintptr_t original_at(const ItemPosition& position, const void* address) {
  for (uintptr_t i = 0; i < position.block[kItems]; ++i)
    if (item(position.block, i)[kOffset] == position.offset)
      return item(position.block, i)[kOriginal];
  sys::fatal("no task reduction has a list item at %p", address);
}

} // namespace

void register_reductions(uintptr_t* chain, uintptr_t* enclosing, int workers) {
  for_chain(chain, enclosing, [&](uintptr_t* block) {
    std::size_t bytes = block[kSize] * static_cast<std::size_t>(workers);
    block[kCopies] = reinterpret_cast<uintptr_t>(sys::allocate_zeroed(bytes, block[kCopies]));
    block[kCopiesEnd] = block[kCopies] + bytes;
  });
}

void unregister_reductions(uintptr_t* chain) {
  for_registered(
      chain, [](const uintptr_t* block) { sys::release(reinterpret_cast<void*>(block[kCopies])); });
}

SharedCopies* share_copies(const uintptr_t* chain) {
  uint32_t count = 0;
  for_registered(chain, [&](const uintptr_t*) { ++count; });
  void* memory = sys::allocate(sizeof(SharedCopies) + count * sizeof(uintptr_t));
  auto* shared = ::new (memory) SharedCopies;
  for_registered(chain, [&](const uintptr_t* block) {
    shared->addresses()[shared->count++] = block[kCopies];
  });
  return shared;
}

void adopt_copies(uintptr_t* chain, uintptr_t* enclosing, int workers, SharedCopies& shared) {
  const uintptr_t* copies = shared.addresses();
  for_chain(chain, enclosing, [&](uintptr_t* block) {
    block[kCopies] = *copies++;
    block[kCopiesEnd] = block[kCopies] + block[kSize] * static_cast<std::size_t>(workers);
  });
}

// Relaxed: the caller came to them through a thread that holds them.
void hold_copies(SharedCopies& shared) { shared.holders.fetch_add(1, std::memory_order_relaxed); }

void drop_copies(SharedCopies* shared) {
  XOMP_ASSERT(!shared || shared->holders.load(std::memory_order_relaxed) > 0);
  // Acquire-release: what the other holders did to the copies comes before the end of them.
  if (!shared || shared->holders.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  for (uint32_t i = 0; i < shared->count; ++i)
    sys::release(reinterpret_cast<void*>(shared->addresses()[i]));
  sys::destroy(shared);
}

uintptr_t* reductions_in_force(const Worker& worker) {
  for (Taskgroup* group = worker.env->group; group; group = group->outer)
    if (group->reductions)
      return group->reductions;
  return worker.task_team->reductions;
}

void register_group_reductions(Worker& worker, uintptr_t* chain) {
  Taskgroup& group = innermost_group(worker);
  register_reductions(chain, reductions_in_force(worker), worker.count);
  group.reductions = chain;
}

namespace {

void* copy_at(const uintptr_t* block, uintptr_t offset, int worker) {
  return reinterpret_cast<void*>(block[kCopies] + static_cast<uintptr_t>(worker) * block[kSize] +
                                 offset);
}

/// Where the list item is of which `address` is the original or any worker's copy. True: it is the
/// original.
[[gnu::always_inline]] inline bool find_either(const uintptr_t* chain, const void* address,
                                               ItemPosition& position) {
  auto wanted = reinterpret_cast<uintptr_t>(address);
  bool original = find_original(chain, wanted, position);
  if (!original && !find_copy(chain, wanted, position))
    sys::fatal("no task_reduction clause, and no reduction clause with the task modifier, for %p",
               address);
  return original;
}

} // namespace

OwnCopy own_copy(const Worker& worker, const void* address) {
  ItemPosition position;
  find_either(reductions_in_force(worker), address, position);
  const uintptr_t* found = nullptr;
  // The address may be of any byte of a copy: the item is the last one that begins before it.
  for (uintptr_t i = 0; i < position.block[kItems]; ++i) {
    const uintptr_t* each = item(position.block, i);
    if (each[kOffset] <= position.offset && (!found || each[kOffset] > found[kOffset]))
      found = each;
  }
  if (!found)
    sys::fatal("no task reduction has a list item at %p", address);
  return {found, copy_at(position.block, found[kOffset], worker.id)};
}

void* copy_of(const uintptr_t* block, std::size_t index, int id) {
  return copy_at(block, item(block, index)[kOffset], id);
}

void remap_reductions(const Worker& worker, std::size_t count, std::size_t originals,
                      void** addresses) {
  const uintptr_t* chain = reductions_in_force(worker);
  for (std::size_t i = 0; i < count; ++i) {
    ItemPosition position;
    bool original = find_either(chain, addresses[i], position);
    if (i < originals)
      addresses[count + i] =
          original ? addresses[i] : reinterpret_cast<void*>(original_at(position, addresses[i]));
    addresses[i] = copy_at(position.block, position.offset, worker.id);
  }
}

} // namespace xomp
