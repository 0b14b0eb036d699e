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

bool Sleepers::wake(Port* const* peers, int word, uint64_t set) {
  for (; set; set &= set - 1) {
    int id = word * 64 + std::countr_zero(set);
    sys::delay();
    // Relaxed: only one waker gets the bit; the bell orders what the worker is woken for.
    if (words[word].fetch_and(~bit(id), std::memory_order_relaxed) & bit(id)) {
      peers[id]->bell.ring_after_fence();
      return true;
    }
  }
  return false;
}

bool Sleepers::wake_one(const Port& near) {
  int first = near.id / 64;
  for (int n = 0; n < count; ++n) {
    int word = first + n < count ? first + n : first + n - count;
    uint64_t set = words[word].load(std::memory_order_relaxed);
    if (!set)
      continue;
    uint64_t close = 0;
    for (uint64_t rest = set; rest; rest &= rest - 1) {
      int id = word * 64 + std::countr_zero(rest);
      if (near.peers[id]->domain == near.domain)
        close |= bit(id);
    }
    // In strict mode nobody else may come for it (paper 3, section 5.2).
    bool strict = settings.locality == LocalityMode::kStrict;
    if (wake(near.peers, word, close) || (!strict && wake(near.peers, word, set & ~close)))
      return true;
  }
  return false;
}

} // namespace xomp
