// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/sleepers.h"

#include <bit>

#include "sys/delay.h"
#include "sys/memory.h"

namespace xomp {

void Sleepers::reserve(int workers) {
  int wanted = (workers + 63) / 64;
  if (wanted <= count)
    return;
  sys::release(words);
  words = static_cast<std::atomic<uint64_t>*>(
      sys::allocate_zeroed(sizeof(words[0]) * static_cast<std::size_t>(wanted)));
  count = wanted;
}

void Sleepers::end() {
  sys::release(words);
  words = nullptr;
  count = 0;
}

int Sleepers::claim(const Port& near, bool local) {
  int first = near.id / 64;
  for (int n = 0; n < count; ++n) {
    int word = first + n < count ? first + n : first + n - count;
    for (uint64_t set = words[word].load(std::memory_order_relaxed); set; set &= set - 1) {
      int id = word * 64 + std::countr_zero(set);
      if ((near.peers[id]->domain == near.domain) != local)
        continue;
      sys::delay();
      // Only one waker gets the bit. Acquire pairs with `add`: whoever has it sees that the bell is
      // to be rung. Without that the worker would sleep on, and in no set.
      if (words[word].fetch_and(~bit(id), std::memory_order_acquire) & bit(id))
        return id;
    }
  }
  return -1;
}

int Sleepers::choose(const Port& near) {
  int id = claim(near, true);
  // In strict mode nobody else may come for it (paper 3, section 5.2).
  if (id < 0 && settings.locality != LocalityMode::kStrict)
    id = claim(near, false);
  return id;
}

bool Sleepers::any(const Port& near, bool local, bool remote) const {
  for (int word = 0; word < count; ++word) {
    for (uint64_t set = words[word].load(std::memory_order_relaxed); set; set &= set - 1) {
      int id = word * 64 + std::countr_zero(set);
      if (near.peers[id]->domain == near.domain ? local : remote)
        return true;
    }
  }
  return false;
}

} // namespace xomp
