// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bit for each worker of a team.
#pragma once
#include <atomic>
#include <bit>
#include <cstdint>

#include "sys/cpu.h"
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
    // In lines of its own: some of these sets are read all the time, others written.
    std::size_t bytes = sizeof(words[0]) * static_cast<std::size_t>(wanted);
    words = static_cast<std::atomic<uint64_t>*>(
        sys::allocate_zeroed(sys::round_up(bytes, sys::kNoSharing), sys::kNoSharing));
    count = wanted;
  }
  void end() {
    sys::release(words);
    words = nullptr;
    count = 0;
  }

  /// Puts worker `id` in. Writes nothing where it is in already. Relaxed, as all accesses here:
  /// whoever concludes anything from the set has its own fences.
  void note(int id) {
    if (!has(id))
      words[id / 64].fetch_or(bit(id), std::memory_order_relaxed);
  }
  bool has(int id) const { return words[id / 64].load(std::memory_order_relaxed) & bit(id); }
  /// Takes all out. While nobody puts any in.
  void remove_all() {
    for (int word = 0; word < count; ++word) {
      if (words[word].load(std::memory_order_relaxed) != 0)
        words[word].store(0, std::memory_order_relaxed);
    }
  }
  /// Calls `visit(id)` for those that are in it, in the order of their ids from `first` on and then
  /// from 0, until it returns true. Whether it did.
  template <class Visit> bool visit_from(int first, Visit visit) const {
    uint64_t from = ~(bit(first) - 1);
    for (int n = 0, word = first / 64; n <= count; ++n, word = word + 1 < count ? word + 1 : 0) {
      uint64_t part = n == 0 ? from : n == count ? ~from : ~uint64_t{0};
      uint64_t set = words[word].load(std::memory_order_relaxed) & part;
      for (; set; set &= set - 1) {
        if (visit(word * 64 + std::countr_zero(set)))
          return true;
      }
    }
    return false;
  }

protected:
  static constexpr uint64_t bit(int id) { return uint64_t{1} << (id % 64); }

  std::atomic<uint64_t>* words = nullptr;
  int count = 0; ///< of words
};

} // namespace xomp
