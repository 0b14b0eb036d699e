// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// queue/push_list.h under the C++ memory model: blocks that other threads hand back come home once
// each, and are used again only when these have finished with them.
#include "checked_std.h"

#include "queue/push_list.h"

namespace {

constexpr int kUsers = 2, kOfEach = 2;

struct HandedBack : rl::test_suite<HandedBack, kUsers + 1> {
  struct Item {
    Item* next = nullptr;
    rl::var<int> content;
  };
  xomp::PushList<Item> list;
  Item items[kUsers * kOfEach];

  void thread(unsigned index) {
    if (index < kUsers) {
      for (int i = 0; i < kOfEach; ++i) {
        Item& item = items[index * kOfEach + i];
        item.content(RL_INFO) = 1;
        list.push(&item);
      }
      return;
    }
    for (int parent = 0; parent < kUsers * kOfEach;) {
      if (list.looks_empty())
        rl::yield(1, RL_INFO);
      for (Item* item = list.take_all(); item; ++parent) {
        Item* next = item->next;
        RL_ASSERT(item->content(RL_INFO) == 1);
        item->content(RL_INFO) = 2; // used again; a second time it would not be 1
        item = next;
      }
    }
  }
};

} // namespace

int main() {
  bool good = verified<HandedBack>("push list", 100000);
  good &= refuted<HandedBack>("push list without release", 100000, {.release = true});
  good &= refuted<HandedBack>("push list without acquire", 100000, {.acquire = true});
  return good ? 0 : 1;
}
