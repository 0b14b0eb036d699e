// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A list to which any thread pushes, and of which its owner takes everything at once. What happened
// to an item before it was pushed has happened for the owner when it takes it.
#pragma once
#include <atomic>

namespace xomp {

/// `Item` has a member `next`.
template <class Item> class PushList {
public:
  /// From any thread.
  void push(Item* item) {
    item->next = newest.load(std::memory_order_relaxed);
    // Release: see above. That others pushed, or the owner took, the same item meanwhile does no
    // harm, since nobody takes only a part of the list.
    while (!newest.compare_exchange_weak(item->next, item, std::memory_order_release,
                                         std::memory_order_relaxed)) {
    }
  }
  /// By the owner: all items, newest first; null: there are none.
  Item* take_all() {
    // Acquire: of every item, as each push continues the release sequences of those before it.
    return newest.exchange(nullptr, std::memory_order_acquire);
  }
  /// A hint.
  bool looks_empty() const { return !newest.load(std::memory_order_relaxed); }

private:
  std::atomic<Item*> newest{nullptr};
};

} // namespace xomp
