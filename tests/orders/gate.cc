// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gate (sched/policy.h) with the ring and the request cells under the C++ memory model: when
// everything has come to rest, a closed gate means that there is neither room nor a request.
#include "checked_std.h"

#include "queue/spsc_ring.h"
#include "sched/papers/messaging.h"
#include "sched/policy.h"

constinit const xomp::Policy xomp::kSoloPolicy{};

namespace {

using xomp::kGateOpen;

template <bool kPlainStore> struct Gate : rl::test_suite<Gate<kPlainStore>, 3> {
  struct Item {};
  using Ring = xomp::SpscRing<Item>;
  static constexpr int kConsumers = 2, kTasks = 5, kSlots = 1;
  xomp::Port* port = nullptr;
  Ring* rings[kConsumers] = {};
  Ring::Slot* slots[kConsumers] = {};
  Item item;

  void before() {
    port = xomp::sys::create<xomp::Port>();
    port->gate.store(kGateOpen, std::memory_order_relaxed);
    for (int i = 0; i < kConsumers; ++i) {
      rings[i] = Ring::create(kSlots);
      slots[i] = rings[i]->next_slot();
    }
  }
  void after() {
    bool open = port->gate.newest() == kGateOpen;
    for (int i = 0; i < kConsumers; ++i)
      RL_ASSERT(open || slots[i]->newest() != nullptr);
    for (int i = 0; i < kConsumers; ++i) {
      slots[i]->~atomic(); // the ring does not destroy it
      Ring::destroy(rings[i]);
    }
    xomp::sys::destroy(port);
  }
  bool room(int i) { return !rings[i]->next_slot()->load(std::memory_order_acquire); }
  void create() {
    if (port->gate.load(std::memory_order_relaxed) != kGateOpen)
      return; // run at once
    for (int i = 0; i < kConsumers; ++i) {
      if (room(i)) {
        rings[i]->push(&item);
        return;
      }
    }
    xomp::close_gate(*port, [&] { return room(0) || room(1); });
  }
  void thread(unsigned index) {
    if (index == kConsumers) {
      for (int n = 0; n < kTasks; ++n)
        create();
      return;
    }
    for (int looks = 0; looks < kTasks; ++looks) {
      if (!rings[index]->front())
        continue;
      rings[index]->pop();
      if (kPlainStore)
        port->gate.store(kGateOpen, std::memory_order_release);
      else
        xomp::open_gate(*port);
    }
  }
};

/// A victim whose queues are full closes its gate over and over; thieves ask.
struct Request : rl::test_suite<Request, 3> {
  static constexpr int kThieves = 2;
  xomp::Port* port = nullptr;
  xomp::Mailbox mailbox;
  int handled[kThieves] = {}, sent[kThieves] = {};

  void before() {
    port = xomp::sys::create<xomp::Port>();
    port->gate.store(kGateOpen, std::memory_order_relaxed);
  }
  void after() {
    bool open = port->gate.newest() == kGateOpen;
    RL_ASSERT(open || mailbox.thief() == xomp::kNobody);
    for (int i = 0; i < kThieves; ++i)
      RL_ASSERT(handled[i] <= sent[i]);
    xomp::sys::destroy(port);
  }
  void create() {
    if (port->gate.load(std::memory_order_relaxed) != kGateOpen)
      return;
    int thief = mailbox.thief();
    if (thief != xomp::kNobody) {
      ++handled[thief];
      mailbox.next_round();
    }
    xomp::close_gate(*port, [&] { return mailbox.thief() != xomp::kNobody; });
  }
  void thread(unsigned index) {
    if (index == kThieves) {
      for (int n = 0; n < 6; ++n)
        create();
      return;
    }
    for (int n = 0; n < 3; ++n) {
      ++sent[index];
      if (mailbox.send(static_cast<int>(index)))
        xomp::open_gate(*port);
    }
  }
};

} // namespace

int main() {
  constexpr int kRuns = 50000;
  bool good = verified<Gate<false>>("gate", kRuns);
  good &= refuted<Gate<false>>("gate without fences", kRuns, {.fence = true});
  good &= refuted<Gate<true>>("gate opened by a store with release order", kRuns, {});
  good &= verified<Request>("request and gate", kRuns);
  good &= refuted<Request>("request and gate without fences", kRuns, {.fence = true});
  return good ? 0 : 1;
}
