// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers for choices that only have to be spread well, such as a victim: a few instructions
// (splitmix64), and the same sequence in every run.
#pragma once
#include <cstdint>

namespace xomp {

class Random {
public:
  constexpr explicit Random(uint64_t seed) : state(seed) {}

  constexpr uint64_t next() {
    uint64_t x = state += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  /// One of 0 .. limit-1.
  constexpr uint32_t below(uint32_t limit) {
    return static_cast<uint32_t>(((next() >> 32) * limit) >> 32);
  }

private:
  uint64_t state;
};

} // namespace xomp
