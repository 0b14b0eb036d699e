// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose iterations wait for earlier ones, with more threads than processors: no more members
// take chunks than can run. Each of the others would come to its wait long before its time, and
// every iteration would cost a switch of threads. Who sleeps in such a wait leaves its place to
// another one. A program whose iterations wait for later ones goes on, too: nobody is kept out
// where nothing moves.
#pragma once
#include "task/patience.h"
#include "worksharing/workshare.h"

namespace xomp {

/// The member is about to take a chunk of such a loop (kLoopRationed).
void become_active(Member& member, WorkShare& share);
/// It is through with the loop, or is about to sleep.
void cease_active(Member& member, WorkShare& share);

/// How a member waits inside an iteration for earlier ones.
class ActivePatience : public Patience {
public:
  ActivePatience(Member& member, WorkShare& share)
      : Patience(member, member.construct_habit), member(member), share(share) {}
  ~ActivePatience() {
    if (!left)
      return;
    // What it waited for is here: for a moment there may be one more.
    member.chunks.active = true;
    share.active.fetch_add(1, std::memory_order_relaxed);
  }
  ActivePatience(const ActivePatience&) = delete;
  ActivePatience& operator=(const ActivePatience&) = delete;

  void sleeps() {
    left = member.chunks.active;
    if (left)
      cease_active(member, share);
    Patience::sleeps();
  }

private:
  Member& member;
  WorkShare& share;
  bool left = false;
};

} // namespace xomp
