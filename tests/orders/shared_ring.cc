// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// queue/shared_ring.h under the C++ memory model: an item's contents are complete when it arrives,
// each item arrives once, at a consumer or at the producer that takes it back, and its memory and
// its slot are used again only when whoever had it has finished. And of two consumers one moves
// items to a ring of its own: a look at both rings that finds nothing, and that no move has
// disturbed (sched/sleepers.h), has missed nothing.
#include "checked_std.h"

#include "queue/shared_ring.h"
#include "sched/sleepers.h"

namespace {

struct Item {
  rl::var<int> content;
  std::atomic<int> arrived{0};
};
using Ring = xomp::SharedRing<Item>;

/// Takes an item under the lock: the second if there are two, so that holes come to be.
Item* take(Ring& ring, bool patient) {
  ring.front_key(0); // a hint: it must not disturb
  if (patient)
    ring.wait_for_lock();
  else if (ring.looks_empty() || !ring.try_lock())
    return nullptr;
  Item* found = nullptr;
  uint32_t where = 0;
  for (uint32_t at = ring.begin(), seen = 0; at != ring.end() && seen < 2; ++at) {
    if (Item* item = ring.at(at)) {
      found = item;
      where = at;
      ++seen;
    }
  }
  if (found)
    ring.remove(where);
  ring.trim();
  ring.unlock();
  return found;
}

struct Shared : rl::test_suite<Shared, 3> {
  static constexpr int kItems = 5, kSlots = 2;
  Ring* ring = nullptr;
  Item items[kItems];

  void before() {
    checked::sparingly = true;
    ring = Ring::create(kSlots);
    checked::sparingly = false;
    take(*ring, true); // first uses
  }
  void after() {
    while (Item* item = take(*ring, true))
      arrive(*item, item->content(RL_INFO));
    for (Item& item : items)
      RL_ASSERT(item.arrived.newest() == 1);
    Ring::destroy(ring);
  }
  void arrive(Item& item, int content) {
    RL_ASSERT(&items[content] == &item);
    item.arrived.fetch_add(1, std::memory_order_relaxed);
  }
  void thread(unsigned index) {
    if (index > 0) {
      for (int looks = 0; looks < kItems; ++looks) {
        if (Item* item = take(*ring, index == 1))
          arrive(*item, item->content(RL_INFO));
      }
      return;
    }
    for (int n = 0; n < kItems; ++n) {
      while (ring->used() >= kSlots) {
        if (n % 2 && ring->retract(&items[n - 1]))
          arrive(items[n - 1], n - 1);
        // What it takes back is looked at without a claim: it stays while the ring has it.
        auto stale = [&](Item* item) {
          bool is_stale = item->content(RL_INFO) % 2 == 0;
          if (is_stale)
            arrive(*item, item->content(RL_INFO));
          return is_stale;
        };
        ring->retract_stale(stale);
        if (n % 3 == 0)
          ring->close_up(stale);
        xomp::sys::yield();
        if (Item* item = take(*ring, true))
          arrive(*item, item->content(RL_INFO));
      }
      items[n].content(RL_INFO) = n;
      ring->push(&items[n], n);
    }
  }
};

/// Thread 0 moves, thread 1 looks.
template <bool kCounted> struct Move : rl::test_suite<Move<kCounted>, 2> {
  xomp::Sleepers sleepers;
  Ring *from = nullptr, *to = nullptr;
  Item item;

  void before() {
    checked::sparingly = true;
    from = Ring::create(2);
    to = Ring::create(2);
    checked::sparingly = false;
    take(*from, true); // first uses
    item.content(RL_INFO) = 1;
    from->push(&item);
    to->push(&item);
    RL_ASSERT(to->retract(&item));
  }
  void after() {
    Ring::destroy(from);
    Ring::destroy(to);
  }
  Item* look() {
    for (Ring* each : {to, from}) {
      if (each->looks_empty())
        continue;
      if (Item* found = take(*each, true))
        return found;
    }
    return nullptr;
  }
  void thread(unsigned index) {
    if (index == 0) {
      from->wait_for_lock();
      if (from->at(from->begin()) == &item) {
        sleepers.move_begins();
        from->remove(from->begin());
        to->push(&item);
        sleepers.move_ends();
        from->trim();
      }
      from->unlock();
      return;
    }
    for (;;) {
      uint64_t before = sleepers.moves_so_far();
      if (Item* found = look()) {
        RL_ASSERT(found->content(RL_INFO) == 1);
        return;
      }
      RL_ASSERT(kCounted && sleepers.moved_since(before));
      xomp::sys::yield();
    }
  }
};

} // namespace

int main() {
  constexpr int kRuns = 50000;
  bool good = verified<Shared>("shared ring", kRuns);
  good &= refuted<Shared>("shared ring without release", kRuns, {.release = true});
  good &= refuted<Shared>("shared ring without acquire", kRuns, {.acquire = true});
  good &= verified<Move<true>>("a look while items move", kRuns);
  good &= refuted<Move<false>>("a look while items move, nothing counted", kRuns, {});
  return good ? 0 : 1;
}
