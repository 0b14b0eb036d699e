// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The set of calls that a log has been told of (trace/known_calls.h).
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "trace/known_calls.h"

namespace xomp::trace {
namespace {

uint64_t call(uint64_t number) { return 0x400000 + number * 5; }

TEST(KnownCallsTest, KnowsThoseThatWereAdded) {
  constexpr uint64_t kMany = 5000;
  static KnownCalls calls; // its tables stay, as others may look at them
  EXPECT_FALSE(calls.has(call(0)));
  for (uint64_t i = 0; i < kMany; ++i) {
    EXPECT_FALSE(calls.has(call(i)));
    calls.add(call(i));
    EXPECT_TRUE(calls.has(call(i)));
  }
  for (uint64_t i = 0; i < kMany; ++i)
    EXPECT_TRUE(calls.has(call(i)));
  EXPECT_FALSE(calls.has(call(kMany)));
}

TEST(KnownCallsTest, ForgetsAll) {
  static KnownCalls calls; // its tables stay, as others may look at them
  calls.forget();
  for (uint64_t i = 0; i < 1000; ++i)
    calls.add(call(i));
  calls.forget();
  for (uint64_t i = 0; i < 1000; ++i)
    EXPECT_FALSE(calls.has(call(i)));
  calls.add(call(3));
  EXPECT_TRUE(calls.has(call(3)));
}

TEST(KnownCallsTest, WhatIsKnownStaysKnownWhileTheTableGrows) {
  constexpr uint64_t kMany = 20000;
  static KnownCalls calls; // its tables stay, as others may look at them
  std::atomic<uint64_t> added{0};
  std::thread other([&] {
    for (uint64_t known = 0; known < kMany;) {
      known = added.load();
      for (uint64_t i = known > 100 ? known - 100 : 0; i < known; ++i) {
        // Not what it says, only that it ends: others may learn of a call late.
        calls.has(call(i));
      }
    }
    for (uint64_t i = 0; i < kMany; ++i)
      EXPECT_TRUE(calls.has(call(i)));
  });
  for (uint64_t i = 0; i < kMany; ++i) {
    calls.add(call(i));
    added.store(i + 1);
  }
  other.join();
}

} // namespace
} // namespace xomp::trace
