// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/reduction.h"

#include "sys/memory.h"
#include "sys/report.h"

namespace xomp {
namespace {

enum BlockWord { kItems, kSize, kCopies, kAllocator, kNext, kHead, kCopiesEnd, kBlockWords };
enum ItemWord { kOriginal, kOffset, kItemWords = 3 };

const uintptr_t* item(const uintptr_t* block, uintptr_t i) {
  return block + kBlockWords + i * kItemWords;
}
uintptr_t* next(const uintptr_t* block) { return reinterpret_cast<uintptr_t*>(block[kNext]); }

/// Where in which block a list item is.
struct Place {
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

/// Innermost first, so that an inner clause hides an outer one.
bool find_original(const uintptr_t* chain, uintptr_t address, Place& place) {
  for (const uintptr_t* block = chain; block; block = next(block))
    for (uintptr_t i = 0; i < block[kItems]; ++i)
      if (item(block, i)[kOriginal] == address) {
        place = {block, item(block, i)[kOffset]};
        return true;
      }
  return false;
}

bool find_copy(const uintptr_t* chain, uintptr_t address, Place& place) {
  for (const uintptr_t* block = chain; block; block = next(block))
    if (address >= block[kCopies] && address < block[kCopiesEnd]) {
      place = {block, (address - block[kCopies]) % block[kSize]};
      return true;
    }
  return false;
}

uintptr_t original_at(const Place& place, const void* address) {
  for (uintptr_t i = 0; i < place.block[kItems]; ++i)
    if (item(place.block, i)[kOffset] == place.offset)
      return item(place.block, i)[kOriginal];
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

void share_reductions(uintptr_t* chain, uintptr_t* enclosing, const uintptr_t* first) {
  for_chain(chain, enclosing, [&](uintptr_t* block) {
    block[kCopies] = first[kCopies];
    block[kCopiesEnd] = first[kCopiesEnd];
    first = next(first);
  });
}

void unregister_reductions(uintptr_t* chain) {
  uintptr_t* block = chain;
  do {
    sys::release(reinterpret_cast<void*>(block[kCopies]));
    block = next(block);
  } while (block && !block[kHead]);
}

uintptr_t* reductions_in_force(const Worker& worker) {
  for (Taskgroup* group = worker.env->group; group; group = group->outer)
    if (group->reductions)
      return group->reductions;
  return worker.tasks->reductions;
}

void register_group_reductions(Worker& worker, uintptr_t* chain) {
  register_reductions(chain, reductions_in_force(worker), worker.count);
  worker.env->group->reductions = chain;
}

void remap_reductions(const Worker& worker, std::size_t count, std::size_t originals,
                      void** addresses) {
  const uintptr_t* chain = reductions_in_force(worker);
  for (std::size_t i = 0; i < count; ++i) {
    auto address = reinterpret_cast<uintptr_t>(addresses[i]);
    Place place;
    bool original = find_original(chain, address, place);
    if (!original && !find_copy(chain, address, place))
      sys::fatal("no task_reduction clause, and no reduction clause with the task modifier, for %p",
                 addresses[i]);
    if (i < originals)
      addresses[count + i] =
          original ? addresses[i] : reinterpret_cast<void*>(original_at(place, addresses[i]));
    auto id = static_cast<uintptr_t>(worker.id);
    addresses[i] =
        reinterpret_cast<void*>(place.block[kCopies] + id * place.block[kSize] + place.offset);
  }
}

} // namespace xomp
