// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose iterations wait for earlier ones, with more threads than processors: no more members
// take chunks than can run. Each of the others would come to its wait long before its time, and
// every iteration would cost a switch of threads. A thread that sleeps in such a wait leaves its
// place to another one. A program whose iterations wait for later ones goes on, too: nobody is kept
// out where nothing moves.
#pragma once
#include "task/spin_policy.h"
#include "worksharing/workshare.h"

namespace xomp {

/// Limits the loop's chunks if its iterations wait for earlier ones (kLoopLimitsActive).
void limit_active(WorkShare& share, int members);
/// The member is about to take a chunk of such a loop (kLoopLimitsActive).
void become_active(Member& member, WorkShare& share);
/// It is through with the loop, or is about to sleep.
void cease_active(Member& member, WorkShare& share);

/// How a member waits inside an iteration for earlier ones.
class ActiveSpinPolicy : public SpinPolicy {
public:
  ActiveSpinPolicy(Member& member, WorkShare& share)
      : SpinPolicy(member, member.construct_spin_history), member(member), share(share) {}

  void sleeps() {
    left = member.chunks.active;
    if (left)
      cease_active(member, share);
    SpinPolicy::sleeps();
  }
  void wakes() {
    SpinPolicy::wakes();
    if (!left)
      return;
    // What it waited for is here: for a moment there may be one more.
    member.chunks.active = true;
    share.active.fetch_add(1, std::memory_order_relaxed);
  }

private:
  Member& member;
  WorkShare& share;
  bool left = false;
};

} // namespace xomp
