// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The workers of a team that sleep, so that whoever has a task for one of them wakes one, not all.
// States and races: sched/README.md.
#pragma once
#include <atomic>
#include <cstdint>

#include "sched/policy.h"

namespace xomp {

class Sleepers {
public:
  /// Room for `workers`. Nobody may be using it.
  void reserve(int workers);
  void end();

  /// Worker `id`, which could start any task, is about to sleep: it looks for tasks once more
  /// afterwards.
  void add(int id) {
    // Sequentially consistent: the other half of the Dekker pair is the fence in `wake_one`'s
    // callers.
    words[id / 64].fetch_or(bit(id), std::memory_order_seq_cst);
  }
  /// It is awake again. True: somebody woke it for a task, and relies on its looking for one.
  bool remove(int id) {
    return !(words[id / 64].fetch_and(~bit(id), std::memory_order_relaxed) & bit(id));
  }
  /// Wakes one worker, of the same locality domain as `near` if one sleeps there. The task was made
  /// visible before, and a sequentially consistent fence lies in between. False: none sleeps.
  bool wake_one(const Port& near);
  /// Takes a worker out, of the locality domain of `near` or of another one; -1 if there is none.
  /// The caller rings its bell, with tasks for it.
  int claim(const Port& near, bool local);
  /// Whether there is one of those kinds.
  bool any(const Port& near, bool local, bool remote) const;

private:
  static constexpr uint64_t bit(int id) { return uint64_t{1} << (id % 64); }

  std::atomic<uint64_t>* words = nullptr;
  int count = 0; ///< of words
};

} // namespace xomp
