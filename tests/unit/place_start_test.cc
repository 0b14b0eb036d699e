// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that start on another processor than their creator's.
#include <gtest/gtest.h>
#include <sched.h>

#include <map>

#include "place/start_elsewhere.h"

namespace xomp {
namespace {

cpu_set_t processors_of(pthread_t thread) {
  cpu_set_t set;
  EXPECT_EQ(pthread_getaffinity_np(thread, sizeof set, &set), 0);
  return set;
}

cpu_set_t alone() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  return one;
}

/// What the new thread sees at its start and afterwards.
struct Seen {
  Detour detour;
  const cpu_set_t* binding = nullptr; ///< by somebody else, before the detour ends
  int processor = -1;
  cpu_set_t first, then;

  static void* look(void* argument) {
    auto& seen = *static_cast<Seen*>(argument);
    seen.processor = sched_getcpu();
    seen.first = processors_of(pthread_self());
    if (seen.binding)
      sched_setaffinity(0, sizeof *seen.binding, seen.binding);
    end_detour(seen.detour);
    seen.then = processors_of(pthread_self());
    return nullptr;
  }
  void start(const pthread_attr_t& attributes) {
    pthread_t thread;
    ASSERT_EQ(pthread_create(&thread, &attributes, look, this), 0);
    pthread_join(thread, nullptr);
  }
};

class StartElsewhereTest : public testing::Test {
protected:
  void SetUp() override {
    before = processors_of(pthread_self());
    pthread_attr_init(&attributes);
  }
  void TearDown() override {
    pthread_attr_destroy(&attributes);
    sched_setaffinity(0, sizeof before, &before);
  }
  cpu_set_t before;
  pthread_attr_t attributes;
  Seen seen;
};

TEST_F(StartElsewhereTest, TheCreatorsProcessorIsForbiddenUntilTheThreadRuns) {
  if (CPU_COUNT(&before) < 2)
    GTEST_SKIP() << "one processor";
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer creates the threads";
#endif
  for (int i = 0; i < 200; ++i) {
    seen.detour = start_elsewhere(&attributes);
    ASSERT_GE(seen.detour.without, 0);
    seen.start(attributes);
    EXPECT_NE(seen.processor, seen.detour.without);
    EXPECT_FALSE(CPU_ISSET(seen.detour.without, &seen.first));
    EXPECT_EQ(CPU_COUNT(&seen.first), CPU_COUNT(&before) - 1);
    EXPECT_TRUE(CPU_EQUAL(&seen.then, &before));
  }
}

TEST_F(StartElsewhereTest, OfManyEachStartsOnTheNextProcessor) {
  if (CPU_COUNT(&before) < 2)
    GTEST_SKIP() << "one processor";
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer creates the threads";
#endif
  int last = -1, count = CPU_COUNT(&before);
  std::map<int, int> threads;
  for (int i = 0; i < 5 * count; ++i) {
    int here = last < 0 ? sched_getcpu() : last;
    seen.detour = start_in_turn(&attributes, last);
    if (i > 0) // the test itself may have moved before the first
      EXPECT_NE(last, here);
    EXPECT_EQ(seen.detour.only, last);
    seen.start(attributes);
    EXPECT_EQ(seen.processor, last);
    EXPECT_EQ(CPU_COUNT(&seen.first), 1);
    EXPECT_TRUE(CPU_EQUAL(&seen.then, &before));
    ++threads[last];
  }
  EXPECT_EQ(static_cast<int>(threads.size()), count);
  for (auto [processor, number] : threads)
    EXPECT_EQ(number, 5) << processor;
}

TEST_F(StartElsewhereTest, RealTimeThreadsStartAnywhere) {
  sched_param usual{}, urgent{};
  urgent.sched_priority = 1;
  if (sched_setscheduler(0, SCHED_FIFO, &urgent) != 0)
    GTEST_SKIP() << "not allowed";
  int last = -1;
  EXPECT_FALSE(start_in_turn(&attributes, last).any());
  sched_setscheduler(0, SCHED_OTHER, &usual);
}

TEST_F(StartElsewhereTest, WhatTheCreatorMayUseLaterIsItsOwnAffair) {
  seen.detour = start_elsewhere(&attributes);
  cpu_set_t one = alone();
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  seen.start(attributes);
  EXPECT_TRUE(seen.detour.without < 0 || CPU_EQUAL(&seen.then, &before));
}

TEST_F(StartElsewhereTest, AThreadThatIsBoundMeanwhileStaysSo) {
  seen.detour = start_elsewhere(&attributes);
  cpu_set_t one = alone(); // where the thread does not start
  seen.binding = &one;
  seen.start(attributes);
  EXPECT_TRUE(CPU_EQUAL(&seen.then, &one));
}

TEST_F(StartElsewhereTest, OneProcessorIsUsedByBoth) {
  cpu_set_t one = alone();
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  int last = -1;
  EXPECT_FALSE(start_in_turn(&attributes, last).any());
  seen.detour = start_elsewhere(&attributes);
  EXPECT_FALSE(seen.detour.any());
  seen.start(attributes);
  EXPECT_TRUE(CPU_EQUAL(&seen.first, &one));
}

TEST_F(StartElsewhereTest, ItCanBeUndone) {
  start_elsewhere(&attributes);
  start_anywhere(&attributes);
  seen.start(attributes);
  EXPECT_TRUE(CPU_EQUAL(&seen.first, &before));
}

} // namespace
} // namespace xomp
