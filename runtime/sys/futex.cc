// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The futex system call; keeps errno, because entry points are called from programs that look at
// it.
#include "sys/futex.h"

#include <cerrno>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace xomp::sys {
namespace {

void call(std::atomic<uint32_t>& word, int operation, uint32_t value,
          const timespec* most = nullptr, uint32_t channels = 0) {
  int saved = errno;
  syscall(SYS_futex, &word, operation, value, most, nullptr, channels);
  errno = saved;
}

} // namespace

void futex_wait(std::atomic<uint32_t>& word, uint32_t expected) {
  call(word, FUTEX_WAIT_PRIVATE, expected);
}

void futex_wait_at_most(std::atomic<uint32_t>& word, uint32_t expected, int64_t nanoseconds) {
  constexpr int64_t kSecond = 1000000000;
  timespec most{nanoseconds / kSecond, static_cast<long>(nanoseconds % kSecond)};
  call(word, FUTEX_WAIT_PRIVATE, expected, &most);
}

void futex_wake(std::atomic<uint32_t>& word, int count) {
  call(word, FUTEX_WAKE_PRIVATE, static_cast<uint32_t>(count));
}

void futex_wait_channels(std::atomic<uint32_t>& word, uint32_t expected, uint32_t channels) {
  call(word, FUTEX_WAIT_BITSET_PRIVATE, expected, nullptr, channels);
}

void futex_wake_channels(std::atomic<uint32_t>& word, uint32_t channels) {
  call(word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, nullptr, channels);
}

} // namespace xomp::sys
