// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sleeping on a 32-bit word (Linux futex, private to the process).
#pragma once
#include <atomic>
#include <climits>
#include <cstdint>

namespace xomp::sys {

/// Sleeps while `word` holds `expected`; may return at any time (spurious wake-ups are allowed).
void futex_wait(std::atomic<uint32_t>& word, uint32_t expected);

/// Waits for so many nanoseconds at most.
void futex_wait_at_most(std::atomic<uint32_t>& word, uint32_t expected, int64_t nanoseconds);

/// Wakes up to `count` threads that sleep on `word`.
void futex_wake(std::atomic<uint32_t>& word, int count = INT_MAX);

/// Wait and wake for sleepers that listen on `channels` (a set of bits, not empty): a wake reaches
/// those that share a bit.
void futex_wait_channels(std::atomic<uint32_t>& word, uint32_t expected, uint32_t channels);
void futex_wake_channels(std::atomic<uint32_t>& word, uint32_t channels);

} // namespace xomp::sys
