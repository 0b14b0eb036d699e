// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// queue/split_stack.h under the C++ memory model: a task's contents are complete when it arrives,
// and each task arrives once, at its owner or at a thief, whether the owner has made it public or a
// thief has. Then the rule by which thieves fall asleep (task/steal.h): a task is pushed without a
// fence, and nobody sleeps on while it lies there.
#include "checked_std.h"

#include "queue/split_stack.h"

namespace xomp {
inline void root_mark(void*) {}
} // namespace xomp

namespace {

using namespace xomp;

struct Item {
  rl::var<int> content;
  std::atomic<int> arrived{0};
};

void mark(void*) {}

/// A stack with its memory, whose tasks carry an Item each.
struct Stack {
  static constexpr int kSlots = 12;
  Slot* memory = nullptr;
  Slot ground{mark, 0, 1, {}};
  SplitStack stack{&ground};

  void start() {
    memory = static_cast<Slot*>(sys::allocate_zeroed(kSlots * sizeof(Slot), alignof(Slot)));
    stack.attach(memory, kSlots);
  }
  void end() { sys::release(memory); }
  void push(Item& item) {
    Slot* slot = stack.top() + 1;
    slot->body = mark;
    Item* address = &item;
    std::memcpy(slot->arguments, &address, sizeof address);
    stack.push(slot);
  }
  static void arrive(const Slot& slot, int expected = -1) {
    Item* item;
    std::memcpy(&item, slot.arguments, sizeof item);
    int content = item->content(RL_INFO);
    RL_ASSERT(content > 0 && (expected < 0 || content == expected));
    item->arrived.fetch_add(1, std::memory_order_relaxed);
  }
  /// The newest, by its owner; false: there is none.
  bool pop() {
    Slot* slot = stack.top();
    if (slot == stack.current)
      return false;
    uintptr_t link = slot->link.load(std::memory_order_relaxed);
    if ((Slot::is_pending(link) && stack.claim(slot, link)) || stack.claim_slowly(slot)) {
      arrive(*slot);
      stack.cut(slot);
    }
    return true;
  }
  bool steal(bool force) {
    Slot taken{};
    stack.lock();
    if (force && stack.keeps_pending(true))
      stack.force();
    Slot* slot = SplitStack::next_pending(stack.begin(), stack.end());
    bool got = slot < stack.end() && SplitStack::take(slot, &taken);
    if (got)
      stack.move_tail(slot + 1, nullptr);
    stack.unlock();
    if (got)
      arrive(taken);
    return got;
  }
};

enum class How : uint8_t { kExposed, kForced, kAsked }; // by its owner; by a thief, or by both
template <How kHow> struct Shared : rl::test_suite<Shared<kHow>, 2> {
  static constexpr int kItems = 4;
  Stack* shared = nullptr;
  Item items[kItems];

  void before() {
    shared = sys::create<Stack>();
    shared->start();
  }
  void after() {
    while (shared->pop()) {
    }
    for (Item& item : items)
      RL_ASSERT(item.arrived.newest() == 1);
    shared->end();
    sys::destroy(shared);
  }
  void thread(unsigned index) {
    if (index == 1) {
      for (int looks = 0; looks < 3; ++looks) {
        if (kHow == How::kAsked)
          shared->stack.ask_at_claim();
        shared->steal(kHow == How::kForced || (kHow == How::kAsked && looks == 1));
      }
      return;
    }
    for (int n = 0; n < kItems; ++n) {
      items[n].content(RL_INFO) = n + 1;
      shared->push(items[n]);
      if (kHow == How::kExposed)
        shared->stack.expose();
      if (kHow != How::kAsked || n % 2 == 1)
        shared->pop();
    }
  }
};

/// One task that lies there, private, and whose owner and a thief both want it.
template <bool kAsks> struct Both : rl::test_suite<Both<kAsks>, 2> {
  Stack* shared = nullptr;
  Item item;

  void before() {
    shared = sys::create<Stack>();
    shared->start();
    item.content(RL_INFO) = 1;
    shared->push(item);
  }
  void after() {
    RL_ASSERT(item.arrived.newest() == 1);
    shared->end();
    sys::destroy(shared);
  }
  void thread(unsigned index) {
    if (index == 0) {
      shared->pop();
      return;
    }
    if (kAsks)
      shared->stack.ask_at_claim();
    shared->steal(true);
  }
};

/// An owner that takes what it has pushed in order, and a thief that forces.
struct InOrder : rl::test_suite<InOrder, 2> {
  static constexpr int kItems = 3;
  Stack* shared = nullptr;
  Item items[kItems + 1];

  void before() {
    shared = sys::create<Stack>();
    shared->start();
  }
  void after() {
    while (shared->pop()) {
    }
    for (Item& item : items)
      RL_ASSERT(item.arrived.newest() == 1);
    shared->end();
    sys::destroy(shared);
  }
  void push(int n) {
    items[n].content(RL_INFO) = n + 1;
    shared->push(items[n]);
  }
  void thread(unsigned index) {
    if (index == 1) {
      for (int looks = 0; looks < 3; ++looks) {
        if (looks == 1)
          shared->stack.ask_at_claim();
        shared->steal(true);
      }
      return;
    }
    for (int n = 0; n < kItems; ++n)
      push(n);
    SplitStack& stack = shared->stack;
    Slot *first = stack.current + 1, *slot = first;
    for (; slot <= stack.top() && stack.take_below_top(slot); ++slot)
      Stack::arrive(*slot);
    stack.end_taking(first, slot);
    push(kItems);
    shared->pop();
  }
};

/// Frames that end with tasks above them, an owner that claims in between, and two thieves, of
/// which one takes what is public and the other makes it so.
struct Frames : rl::test_suite<Frames, 3> {
  static constexpr int kItems = 5;
  Stack* shared = nullptr;
  Item items[kItems];

  void before() {
    shared = sys::create<Stack>();
    shared->start();
  }
  void after() {
    while (shared->pop()) {
    }
    for (Item& item : items)
      RL_ASSERT(item.arrived.newest() == 1);
    shared->end();
    sys::destroy(shared);
  }
  void push(int n) {
    items[n].content(RL_INFO) = n + 1;
    shared->push(items[n]);
  }
  void thread(unsigned index) {
    if (index > 0) {
      for (int looks = 0; looks < 3; ++looks)
        shared->steal(index == 1);
      return;
    }
    SplitStack& stack = shared->stack;
    push(0);
    Slot* frame = stack.top() + 1;
    frame->body = mark;
    stack.push_frame(frame);
    for (int n : {1, 2, 3})
      push(n);
    stack.expose();
    if (stack.top() != frame)
      shared->pop();
    stack.compact(frame);
    stack.close(frame);
    push(4);
    shared->pop();
  }
};

/// What is left of two tasks after the owner, which has called them public, has claimed one: it is
/// private then. A thief that looks at everything before it sleeps decides under the lock whether
/// it has to make something public.
template <bool kUnderLock> struct Look : rl::test_suite<Look<kUnderLock>, 2> {
  Stack* shared = nullptr;
  Item items[2];
  bool found = false;

  void before() {
    shared = sys::create<Stack>();
    shared->start();
    for (Item& item : items) {
      item.content(RL_INFO) = 1;
      shared->push(item);
    }
    shared->stack.lock();
    shared->stack.open_up_to(shared->memory + 3);
    shared->stack.unlock();
  }
  void after() {
    RL_ASSERT(found);
    shared->end();
    sys::destroy(shared);
  }
  void thread(unsigned index) {
    SplitStack& stack = shared->stack;
    if (index == 0) {
      shared->pop();
      return;
    }
    bool force = stack.keeps_pending(false);
    if (!kUnderLock && !force && !stack.looks_public())
      return;
    found = shared->steal(kUnderLock || force);
  }
};

/// Thread 0 pushes as `push_task` does, and answers as creation does if it was asked; thread 1 is
/// about to sleep, and the task is all that there is. A look at `limit` before the push alone would
/// miss who asks in between.
template <bool kLooksAgain> struct Sleep : rl::test_suite<Sleep<kLooksAgain>, 2> {
  Stack* shared = nullptr;
  Item item;
  std::atomic<int> asleep{0}, rung{0};
  bool found = false;

  void before() {
    shared = sys::create<Stack>();
    shared->start();
    shared->stack.limit.store(shared->memory + Stack::kSlots, std::memory_order_relaxed);
  }
  void after() {
    RL_ASSERT(found || rung.newest() == 1);
    shared->end();
    sys::destroy(shared);
  }
  void thread(unsigned index) {
    std::atomic<Slot*>& limit = shared->stack.limit;
    if (index == 0) {
      item.content(RL_INFO) = 1;
      bool asked = !limit.load(std::memory_order_relaxed);
      shared->push(item);
      sys::light_fence();
      if (!asked && (!kLooksAgain || limit.load(std::memory_order_relaxed)))
        return;
      std::atomic_thread_fence(std::memory_order_seq_cst);
      if (asleep.load(std::memory_order_relaxed))
        rung.store(1, std::memory_order_relaxed);
      return;
    }
    asleep.store(1, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    limit.store(nullptr, std::memory_order_relaxed);
    sys::heavy_fence();
    found = shared->steal(true);
  }
};

} // namespace

int main() {
  constexpr int kRuns = 30000;
  bool good = verified<Shared<How::kExposed>>("split stack, exposed by its owner", kRuns);
  good &= verified<Shared<How::kForced>>("split stack, forced by a thief", kRuns);
  good &= verified<Shared<How::kAsked>>("split stack, asked for by a thief", kRuns);
  good &= verified<Both<false>>("one task, two who want it", kRuns);
  good &= refuted<Both<false>>("one task, two who want it, no fences", kRuns, {.fence = true});
  good &= verified<Both<true>>("one task, asked for as well", kRuns);
  good &= refuted<Both<true>>("one task, asked for as well, no fences", kRuns, {.fence = true});
  good &= refuted<Shared<How::kExposed>>("split stack without release", kRuns, {.release = true});
  good &= refuted<Shared<How::kExposed>>("split stack without acquire", kRuns, {.acquire = true});
  good &= verified<InOrder>("in order, one thief", kRuns);
  good &= refuted<InOrder>("in order, one thief, no fences", kRuns, {.fence = true});
  good &= refuted<InOrder>("in order, one thief, without acquire", kRuns, {.acquire = true});
  good &= verified<Frames>("split stack, frames and two thieves", kRuns);
  good &= refuted<Frames>("frames and two thieves, no fences", kRuns, {.fence = true});
  good &= refuted<Frames>("frames and two thieves without release", kRuns, {.release = true});
  good &= refuted<Frames>("frames and two thieves without acquire", kRuns, {.acquire = true});
  good &= verified<Look<true>>("a thorough look", kRuns);
  good &= refuted<Look<false>>("a thorough look that decides beforehand", kRuns, {});
  good &= verified<Sleep<true>>("a thief that falls asleep", kRuns);
  good &= refuted<Sleep<true>>("a thief that falls asleep without fences", kRuns, {.fence = true});
  good &= refuted<Sleep<false>>("a thief that falls asleep, one look", kRuns, {});
  return good ? 0 : 1;
}
