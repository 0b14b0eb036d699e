// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which calls of the program a log has been told of: a set that is asked at each of their events
// and grows a few times. Asking takes no lock.
#pragma once
#include <atomic>
#include <cstdint>

namespace xomp::trace {

class KnownCalls {
public:
  /// By any thread. False may be out of date.
  bool has(uint64_t call) const {
    // Acquire: the table that it points to.
    const Table* now = table.load(std::memory_order_acquire);
    if (!now)
      return false;
    for (uint32_t at = now->first(call);; ++at) {
      // Relaxed: nothing is read because of it. There is a free place in every table.
      uint64_t found = now->calls()[at & now->mask].load(std::memory_order_relaxed);
      if (found == call || found == 0)
        return found == call;
    }
  }
  /// One that is not there, and is not 0. One thread at a time.
  void add(uint64_t call);
  /// By the only thread.
  void forget();

private:
  struct Table {
    Table* smaller; ///< the one before, in which others may still be looking
    uint32_t mask, count;
    std::atomic<uint64_t>* calls() { return reinterpret_cast<std::atomic<uint64_t>*>(this + 1); }
    const std::atomic<uint64_t>* calls() const {
      return reinterpret_cast<const std::atomic<uint64_t>*>(this + 1);
    }
    uint32_t first(uint64_t call) const {
      constexpr uint64_t kGolden = 0x9e3779b97f4a7c15; // Knuth, "Sorting and Searching", 6.4
      return static_cast<uint32_t>(call * kGolden >> 32) & mask;
    }
    void put(uint64_t call);
  };
  static Table* larger(Table* than);

  std::atomic<Table*> table{nullptr};
};

} // namespace xomp::trace
