// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checking tool's records: what is asked of a number is never answered by the record's next
// use.
#include "../../ompt/pool.h"

#include <gtest/gtest.h>

namespace ompt_check {
namespace {

struct Item : Record {
  std::atomic<bool> open{false};

  void release() {}
};

Pool<Item, 0x7f> items;

Item& taken() {
  Item& item = items.take();
  item.open.store(true, std::memory_order_release);
  return item;
}

void end(Item& item) {
  item.open.store(false, std::memory_order_release);
  items.drop(item);
}

bool is_open(const Item& item) { return item.open.load(std::memory_order_acquire); }

TEST(Pool, ANumberIsOneUseOfARecord) {
  Item& item = taken();
  uint64_t number = decltype(items)::number(item).value;
  EXPECT_TRUE(items.holds(number, is_open));
  item.open.store(false, std::memory_order_release);
  EXPECT_FALSE(items.holds(number, is_open));
  items.drop(item);
  Item& again = taken();
  ASSERT_EQ(&again, &item); // the place is used anew
  EXPECT_EQ(items.find(number), nullptr);
  EXPECT_FALSE(items.holds(number, is_open));
  end(again);
}

TEST(Pool, TheNextUseDoesNotAnswer) {
  Item& item = taken();
  uint64_t number = decltype(items)::number(item).value;
  // The record's next use begins when the record has been found, and before it is looked at.
  bool holds = items.holds(number, [&item](const Item& found) {
    end(item);
    EXPECT_EQ(&taken(), &found);
    return is_open(found);
  });
  EXPECT_FALSE(holds);
  end(item);
}

} // namespace
} // namespace ompt_check
