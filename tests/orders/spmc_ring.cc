// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// queue/spmc_ring.h under the C++ memory model: an item's contents are complete when it arrives,
// each item arrives once, its memory and its slot are used again only when whoever had it has
// finished, and a patient look that begins after an item was put finds it. And sched/sleepers.cc
// with sched/papers/xqueue_ws.cc: no worker sleeps while a task lies in any queue.
#include "checked_std.h"

#include "balancing.h"
#include "sched/papers/xqueue_ws.cc"

namespace {

using namespace xomp;

constexpr int kItems = 4, kBlocks = 2; // item n lies in block n % kBlocks

struct Item {
  rl::var<int> content;
  std::atomic<int> arrived{0}; ///< of the last that lay here
};
using Ring = SpmcRing<Item>;

/// Thread 0 puts, and the others take; each leaves the first entry that it looks at where it is.
struct Shared : rl::test_suite<Shared, 3> {
  Ring* ring = nullptr;
  Item blocks[kBlocks];
  std::atomic<int> taken{0};

  void before() {
    checked::sparingly = true;
    ring = Ring::create(kBlocks);
    checked::sparingly = false;
    // First uses.
    for (int i = 0; i < kBlocks; ++i) {
      RL_ASSERT(ring->push(&blocks[0]));
      RL_ASSERT(ring->take([](Item*) { return Verdict::kTake; }, 1, true) == &blocks[0]);
    }
    for (Item& each : blocks)
      each.arrived.store(1, std::memory_order_relaxed);
  }
  void after() {
    RL_ASSERT(taken.newest() == kItems);
    Ring::destroy(ring);
  }
  void thread(unsigned index) {
    if (index > 0)
      return take(index == 1);
    for (int n = 0; n < kItems; ++n) {
      Item& item = blocks[n % kBlocks];
      // Sequentially consistent, here and below: what is weakened is the ring's.
      while (!ring->has_room() || item.arrived.load(std::memory_order_seq_cst) == 0)
        sys::yield();
      item.arrived.store(0, std::memory_order_relaxed);
      item.content(RL_INFO) = n;
      while (!ring->push(&item))
        sys::yield();
    }
  }
  void take(bool patient) {
    while (taken.load(std::memory_order_relaxed) < kItems) {
      bool first = !patient;
      Item* found = ring->take(
          [&](Item* item) {
            int content = item->content(RL_INFO); // of whom it lies with nobody else has it
            RL_ASSERT(&blocks[content % kBlocks] == item);
            Verdict choice = first ? Verdict::kKeep : Verdict::kTake;
            first = false;
            return choice;
          },
          UINT32_MAX, patient);
      if (!found) {
        sys::yield();
        if (patient)
          continue;
        found = ring->take([](Item*) { return Verdict::kTake; }, UINT32_MAX, patient);
        if (!found)
          continue;
      }
      RL_ASSERT(found->content(RL_INFO) >= 0);
      found->arrived.store(1, std::memory_order_seq_cst);
      taken.fetch_add(1, std::memory_order_relaxed);
    }
  }
};

/// A patient look after an item was put finds it, unless another one has taken it: two consumers
/// look at each other's entries, and one of them leaves everything.
struct Patient : rl::test_suite<Patient, 3> {
  Ring* ring = nullptr;
  Item item;
  std::atomic<int> put{0};

  void before() {
    checked::sparingly = true;
    ring = Ring::create(kBlocks);
    checked::sparingly = false;
    for (int i = 0; i < kBlocks; ++i) {
      RL_ASSERT(ring->push(&item));
      RL_ASSERT(ring->take([](Item*) { return Verdict::kTake; }, 1, true) == &item);
    }
  }
  void after() { Ring::destroy(ring); }
  void thread(unsigned index) {
    if (index == 0) {
      item.content(RL_INFO) = 1;
      RL_ASSERT(ring->push(&item));
      put.store(1, std::memory_order_seq_cst);
    } else if (index == 1) {
      ring->take([](Item*) { return Verdict::kKeep; }, UINT32_MAX, false);
    } else if (put.load(std::memory_order_seq_cst)) {
      RL_ASSERT(ring->take([](Item*) { return Verdict::kTake; }, UINT32_MAX, true) == &item);
    }
  }
};

/// Worker 0 creates two tasks, which anybody takes who is awake or woken; each waits for both.
struct Steals : rl::test_suite<Steals, 3>, Workers<3>, Room {
  static constexpr int kTasks = 2;
  Task* tasks[kTasks] = {};
  std::atomic<int> begun{0}, finished{0};

  void before() {
    room = this;
    settings.queue_size = 2;
    start(kXqueueWsPolicy);
    checked::sparingly = true;
    for (Worker* each : workers)
      kXqueueWsPolicy.open(*each);
    for (int i = 0; i < kTasks; ++i)
      tasks[i] = sys::create<Task>();
    for (Worker* each : workers) {
      each->gate.store(kGateOpen, std::memory_order_relaxed);
      for (Queue* queue : {state_of(*each).own, state_of(*each).next}) {
        for (int slot = 0; slot < 2; ++slot) {
          RL_ASSERT(queue->push(tasks[0]));
          RL_ASSERT(queue->take([](DeferredTask*) { return Verdict::kTake; }, 1, true));
        }
      }
    }
    checked::sparingly = false;
  }
  void after() {
    for (Task* each : tasks) {
      RL_ASSERT(each->arrivals == 1);
      sys::destroy(each);
    }
    for (Worker* each : workers)
      kXqueueWsPolicy.close(*each);
    end();
  }
  void thread(unsigned index) {
    Worker& worker = *workers[index];
    for (int n = 0; index == 0 && n < kTasks; ++n) {
      tasks[n]->content(RL_INFO) = n;
      RL_ASSERT(kXqueueWsPolicy.put(worker, tasks[n], false) != kNoRoom);
      wake_any(worker, WakeReason::of(tasks[n]));
    }
    if (index > 0)
      wait_until(worker, true, [&] { return finished.load(std::memory_order_acquire) == kTasks; });
  }
  void run(DeferredTask& deferred) override {
    auto& task = static_cast<Task&>(deferred);
    RL_ASSERT(tasks[task.content(RL_INFO)] == &task);
    RL_ASSERT(++task.arrivals == 1);
    begun.fetch_add(1, std::memory_order_relaxed);
    while (begun.load(std::memory_order_relaxed) < kTasks)
      sys::yield();
    if (finished.fetch_add(1, std::memory_order_acq_rel) + 1 == kTasks)
      ring_all();
  }
};

} // namespace

int main() {
  constexpr int kRuns = 20000;
  bool good = verified<Shared>("SPMC ring", kRuns);
  good &= refuted<Shared>("SPMC ring without release", kRuns, {.release = true});
  good &= refuted<Shared>("SPMC ring without acquire", kRuns, {.acquire = true});
  good &= verified<Patient>("SPMC ring, a patient look", kRuns);
  good &= refuted<Patient>("SPMC ring, a patient look, without acquire", kRuns, {.acquire = true});
  good &= verified<Steals>("xqueue-ws", kRuns);
  good &= refuted<Steals>("xqueue-ws without fences", kRuns, {.fence = true});
  return good ? 0 : 1;
}
