// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bit for each worker of a team.
#pragma once
#include <atomic>
#include <cstdint>

#include "sys/memory.h"

namespace xomp {

class WorkerSet {
public:
  /// Room for `workers`; empty where that needs more memory. Nobody may be using it.
  void reserve(int workers) {
    int wanted = (workers + 63) / 64;
    if (wanted <= count)
      return;
    sys::release(words);
    words = static_cast<std::atomic<uint64_t>*>(
        sys::allocate_zeroed(sizeof(words[0]) * static_cast<std::size_t>(wanted)));
    count = wanted;
  }
  void end() {
    sys::release(words);
    words = nullptr;
    count = 0;
  }

protected:
  static constexpr uint64_t bit(int id) { return uint64_t{1} << (id % 64); }

  std::atomic<uint64_t>* words = nullptr;
  int count = 0; ///< of words
};

} // namespace xomp
