// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processor: cache line size, spin hint.
#pragma once
#include <cstddef>
#include <cstdint>

namespace xomp::sys {

#if defined(__powerpc64__)
inline constexpr std::size_t kCacheLine = 128;
#else
inline constexpr std::size_t kCacheLine = 64;
#endif
/// Bytes between two words that must not share a cache line. Two lines where a line is 64 bytes,
/// because adjacent-line prefetchers pull pairs.
inline constexpr std::size_t kNoSharing = 128;

/// Tells the processor that this thread spins.
inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory"); // `yield` does nothing on most
#elif defined(__powerpc64__)
  asm volatile("or 27, 27, 27" ::: "memory"); // yields to the core's other threads for a moment
#endif
}

/// Lets another thread have this processor, if one of the same priority is ready to run.
void yield();
/// Sleeps for that long: threads of lower priority run as well.
void nap(int64_t nanoseconds);

} // namespace xomp::sys
