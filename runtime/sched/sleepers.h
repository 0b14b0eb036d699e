// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The workers of a team that sleep, so that whoever has a task for one of them wakes one, not all.
// States and races: sched/README.md.
#pragma once
#include <atomic>
#include <cstdint>

#include "sched/policy.h"
#include "sched/worker_set.h"
#include "sys/assert.h"
#include "sys/short_wait.h"
#include "sys/span_count.h"

namespace xomp {

class Sleepers : WorkerSet { // who sleeps is entered by `add` alone, with its order
public:
  using WorkerSet::end;
  using WorkerSet::reserve;
  /// Worker `id`, which could start any task, is about to sleep: it looks for tasks once more
  /// afterwards.
  void add(int id) {
    XOMP_ASSERT(id >= 0 && id / 64 < count);
    XOMP_ASSERT(!(words[id / 64].load(std::memory_order_relaxed) & bit(id))); // it is awake
    // Release: `claim`. Sequentially consistent: the other half of the Dekker pair is the fence in
    // `choose`'s callers.
    words[id / 64].fetch_or(bit(id), std::memory_order_seq_cst);
  }
  /// It is awake again. True: somebody took it out for a task, and relies on its looking for one.
  bool remove(int id) {
    // Acquire: it finds that task. The bell says nothing about it when somebody else has rung it.
    return !(words[id / 64].fetch_and(~bit(id), std::memory_order_acquire) & bit(id));
  }
  /// Takes a worker out for a task, of the same locality domain as `near` if one sleeps there; -1
  /// if none sleeps. The task was made visible before, and a sequentially consistent fence lies in
  /// between. The caller rings its bell.
  int choose(const Port& near);
  /// Takes a worker out, of the locality domain of `near` or of another one; -1 if there is none.
  /// The caller rings its bell, with tasks for it.
  int claim(const Port& near, bool local);
  /// As `claim`; each of those is as likely as the next where `draw` is any number of 32 bits.
  int claim_drawn(const Port& near, bool local, uint32_t draw);
  /// Whether there is one of those kinds.
  bool any(const Port& near, bool local, bool remote) const;

  /// Tasks are about to be taken out of one queue, to be put into another: whoever looks into both
  /// may miss them. Only by whoever has found a task there: each move makes looks begin again, so
  /// somebody has to get on with each.
  void move_begins() {
    moves.begin();
    // A thread that finds one of them gone sees that the move has begun (`moved_since`).
    std::atomic_thread_fence(std::memory_order_release);
  }
  void move_ends() {
    moves.end(); // whoever sees that finds the tasks in their new place
  }
  uint64_t moves_so_far() const { return moves.so_far(); }
  /// Whether a look that began with `before` may have missed any.
  bool moved_since(uint64_t before) const {
    std::atomic_thread_fence(std::memory_order_acquire); // after the look
    return sys::SpanCount::any_open(before) || moves.has_changed(before);
  }
  /// Calls `look`, which overlooks nothing, again as long as it may have missed a move. What it
  /// found, or null.
  template <class Look> auto look_thoroughly(Look look) const {
    for (sys::ShortWait wait;;) {
      uint64_t before = moves_so_far();
      auto* found = look();
      if (found || !moved_since(before))
        return found;
      // No look counts before the move is over, and a thief without a processor gets one later the
      // more others look; but where moves never cease a look may find something all the same.
      for (int rounds = 0; rounds < kRounds && sys::SpanCount::any_open(moves_so_far()); ++rounds)
        wait.once();
    }
  }
  /// In the child after fork: a thread that was moving tasks is gone.
  void reset_moves() { moves.reset(); }

private:
  static constexpr int kRounds = 16; ///< of a wait for moves

  /// Takes the worker out; false: it is not in the set any more.
  bool take_out(int id);
  /// Calls `found(id)` for the workers of the locality domain of `near`, or of others, from the
  /// word of `near` on, until it is true.
  template <class Found> void each(const Port& near, bool local, Found found) const;

  sys::SpanCount moves;
};

} // namespace xomp
