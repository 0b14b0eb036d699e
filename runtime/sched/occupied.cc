// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/occupied.h"

#include "sys/memory.h"

namespace xomp {

void Occupied::reset(int workers) {
  int wanted = (workers + 63) / 64;
  if (wanted > count) {
    sys::release(words);
    words = static_cast<std::atomic<uint64_t>*>(
        sys::allocate_zeroed(sizeof(words[0]) * static_cast<std::size_t>(wanted)));
  }
  count = wanted;
  for (int word = 0; word < count; ++word)
    words[word].store(0, std::memory_order_relaxed);
  for (int id = 0; id < workers; ++id)
    note(id);
}

void Occupied::end() {
  sys::release(words);
  words = nullptr;
  count = 0;
}

} // namespace xomp
