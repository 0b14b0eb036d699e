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

void futex_wait(std::atomic<uint32_t>& word, uint32_t expected) {
  int saved = errno;
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
  errno = saved;
}

void futex_wait_at_most(std::atomic<uint32_t>& word, uint32_t expected, int64_t nanoseconds) {
  constexpr int64_t kSecond = 1000000000;
  int saved = errno;
  timespec most{nanoseconds / kSecond, static_cast<long>(nanoseconds % kSecond)};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, &most, nullptr, 0);
  errno = saved;
}

void futex_wake(std::atomic<uint32_t>& word, int count) {
  int saved = errno;
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
  errno = saved;
}

void futex_wait_channels(std::atomic<uint32_t>& word, uint32_t expected, uint32_t channels) {
  int saved = errno;
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, expected, nullptr, nullptr, channels);
  errno = saved;
}

void futex_wake_channels(std::atomic<uint32_t>& word, uint32_t channels) {
  int saved = errno;
  syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, nullptr, nullptr, channels);
  errno = saved;
}

} // namespace xomp::sys
