// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// queue/spsc_ring.h under the C++ memory model: an item's contents are complete when it arrives,
// and its memory is used again only when the consumer has finished reading it.
#include "checked_std.h"

#include "queue/spsc_ring.h"

namespace {

constexpr int kItems = 4, kBlocks = 2; // item n lies in block n % kBlocks

struct Ring : rl::test_suite<Ring, 2> {
  struct Item {
    rl::var<int> content;
  };
  using Spsc = xomp::SpscRing<Item>;
  Spsc* ring = nullptr;
  Spsc::Slot* slots = nullptr;
  Item blocks[kBlocks];

  void before() {
    ring = Spsc::create(kBlocks);
    slots = ring->next_slot();
  }
  void after() {
    for (int i = 0; i < kBlocks; ++i)
      slots[i].~atomic(); // the ring does not destroy them
    Spsc::destroy(ring);
  }
  void thread(unsigned index) {
    if (index == 0) {
      for (int n = 0; n < kItems; ++n) {
        while (ring->next_slot()->load(std::memory_order_acquire))
          rl::yield(1, RL_INFO);
        blocks[n % kBlocks].content(RL_INFO) = n;
        RL_ASSERT(ring->push(&blocks[n % kBlocks]));
      }
    } else {
      for (int n = 0; n < kItems; ++n) {
        Item* item;
        while (!(item = ring->front()))
          rl::yield(1, RL_INFO);
        RL_ASSERT(item->content(RL_INFO) == n);
        ring->pop();
      }
    }
  }
};

} // namespace

int main() {
  bool good = verified<Ring>("ring", 100000);
  good &= refuted<Ring>("ring without release", 100000, {.release = true});
  good &= refuted<Ring>("ring without acquire", 100000, {.acquire = true});
  return good ? 0 : 1;
}
