// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The watchdog's report comes too late for the frame that it looks at: what its word leads to is
// gone. Naive version: crashes.
#include "team/watchdog.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "sys/inspection.h"
#include "sys/memory.h"
#include "team/region.h"

namespace xomp {
namespace {

/// The report while the current frame says `link`.
std::string report_of(uintptr_t link) {
  struct Asked {
    uintptr_t link;
    std::string text;
  } asked = {link, {}};
  auto ask = [](void* argument) {
    auto& asked = *static_cast<Asked*>(argument);
    std::atomic<uintptr_t>& word = self->stack.current->link;
    uintptr_t before = word.exchange(asked.link);
    testing::internal::CaptureStderr();
    std::raise(SIGUSR1);
    asked.text = testing::internal::GetCapturedStderr();
    word.store(before);
  };
  settings.watchdog = true; // the first region asks
  parallel(ask, &asked, 1, 0);
  return asked.text;
}

bool is_whole(const std::string& text) { return text.ends_with("xomp: end of the state\n"); }
bool counts_children(const std::string& text) { return text.find(", children ") != text.npos; }

constexpr std::size_t kBytes = 1 << 16;

/// Not under emulators.
bool may_look() {
  int there = 1, copy;
  return sys::peek_if_there(there, copy);
}

TEST(Watchdog, CountsTheChildrenOfTheFullFrameThatIsThere) {
  if (!may_look())
    GTEST_SKIP() << "no process_vm_readv here";
  FullFrame full_frame;
  full_frame.live = 5;
  full_frame.waiting_count = 3;
  std::string text = report_of(reinterpret_cast<uintptr_t>(&full_frame));
  EXPECT_NE(text.find(", children 5, waiting 3"), text.npos) << text;
}

TEST(Watchdog, LooksAtNoFullFrameWhoseMemoryIsGone) {
  void* gone = sys::reserve(kBytes);
  sys::unreserve(gone, kBytes);
  std::string text = report_of(reinterpret_cast<uintptr_t>(gone));
  EXPECT_TRUE(is_whole(text) && !counts_children(text)) << text;
}

TEST(Watchdog, LooksAtNoFullFrameOfATaskThatIsPending) {
  std::string text = report_of(Slot::kPending);
  EXPECT_TRUE(is_whole(text) && !counts_children(text)) << text;
}

TEST(Inspection, CopiesWhatIsThere) {
  if (!may_look())
    GTEST_SKIP() << "no process_vm_readv here";
  auto* number = static_cast<uint64_t*>(sys::reserve(kBytes));
  *number = 7;
  uint64_t copy = 0;
  EXPECT_TRUE(sys::peek_if_there(*number, copy));
  EXPECT_EQ(copy, 7u);
  sys::unreserve(number, kBytes);
  EXPECT_FALSE(sys::peek_if_there(*number, copy));
}

} // namespace
} // namespace xomp
