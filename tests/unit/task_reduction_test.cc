// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Task reductions in the ABI's layout: where a worker finds its copy, from an original and from
// anybody's copy, and that an inner clause hides an outer one.
#include "task/reduction.h"

#include <gtest/gtest.h>

namespace xomp {
namespace {

constexpr int kWorkers = 3;

struct Block {
  uintptr_t words[7 + 2 * 3];
  Block(const void* one, const void* two)
      : words{2,
              64,
              64,
              ~uintptr_t{0},
              0,
              0,
              0,
              reinterpret_cast<uintptr_t>(one),
              0,
              0,
              reinterpret_cast<uintptr_t>(two),
              16,
              0} {}
  char* copies() const { return reinterpret_cast<char*>(words[2]); }
};

class TaskReduction : public testing::Test {
protected:
  TaskReduction() {
    env.group = &group;
    worker.env = &env;
    worker.task_team = &team;
    worker.count = kWorkers;
    worker.id = 2;
  }
  void* find(void* address) {
    void* addresses[2] = {address, nullptr};
    remap_reductions(worker, 1, 1, addresses);
    original = addresses[1];
    return addresses[0];
  }

  TaskTeam team;
  Taskgroup outer_group, group;
  Env env;
  Worker worker;
  void* original = nullptr;
  long a = 0, b = 0, c = 0;
};

TEST_F(TaskReduction, FindsTheWorkersCopyOfAnOriginal) {
  Block block(&a, &b);
  register_group_reductions(worker, block.words);
  EXPECT_EQ(find(&a), block.copies() + 2 * 64);
  EXPECT_EQ(original, &a);
  EXPECT_EQ(find(&b), block.copies() + 2 * 64 + 16);
  EXPECT_EQ(original, &b);
  unregister_reductions(block.words);
}

TEST_F(TaskReduction, FindsTheWorkersCopyFromAnothersCopy) {
  Block block(&a, &b);
  register_group_reductions(worker, block.words);
  EXPECT_EQ(find(block.copies() + 64 + 16), block.copies() + 2 * 64 + 16);
  EXPECT_EQ(original, &b);
  unregister_reductions(block.words);
}

TEST_F(TaskReduction, CopiesStartAsZeros) {
  Block block(&a, &b);
  register_group_reductions(worker, block.words);
  for (int i = 0; i < kWorkers * 64; ++i)
    EXPECT_EQ(block.copies()[i], 0);
  unregister_reductions(block.words);
}

TEST_F(TaskReduction, AnInnerClauseHidesAnOuterOne) {
  Block outer(&a, &b), inner(&a, &c);
  group.outer = &outer_group;
  register_reductions(outer.words, nullptr, kWorkers);
  outer_group.reductions = outer.words;
  register_group_reductions(worker, inner.words);
  EXPECT_EQ(find(&a), inner.copies() + 2 * 64);
  EXPECT_EQ(find(&b), outer.copies() + 2 * 64 + 16);
  unregister_reductions(inner.words);
  unregister_reductions(outer.words);
}

TEST_F(TaskReduction, TheParallelConstructIsOutermost) {
  Block parallel(&a, &b);
  register_reductions(parallel.words, nullptr, kWorkers);
  team.reductions = parallel.words;
  EXPECT_EQ(find(&b), parallel.copies() + 2 * 64 + 16);
  unregister_reductions(parallel.words);
}

TEST_F(TaskReduction, LaterMembersShareTheFirstOnesCopies) {
  Block first(&a, &b), second(&a, &b);
  register_reductions(first.words, nullptr, kWorkers);
  SharedCopies* shared = share_copies(first.words);
  char* copies = first.copies();
  first.words[2] = 0; // the first member may have left, and its stack with it
  adopt_copies(second.words, nullptr, kWorkers, *shared);
  hold_copies(*shared);
  group.reductions = second.words;
  EXPECT_EQ(find(&b), copies + 2 * 64 + 16);
  EXPECT_EQ(shared->holders.load(), 2U);
  drop_copies(shared);
  EXPECT_EQ(find(&a), copies + 2 * 64);
  drop_copies(shared);
}

TEST_F(TaskReduction, AnUnknownAddressEndsTheProgramWithAMessage) {
  Block block(&a, &b);
  register_group_reductions(worker, block.words);
  EXPECT_EXIT(find(&c), testing::ExitedWithCode(1), "xomp: no task_reduction clause");
  unregister_reductions(block.words);
}

} // namespace
} // namespace xomp
