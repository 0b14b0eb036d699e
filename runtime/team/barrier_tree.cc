// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hybrid tree barrier (paper 1, section III.B): lock-free gathering, lock-less release, in a
// tree by member id. The paper's rule alone lets a gathered worker still be sent a task;
// here the root ends the barrier only after a wave in which nobody did anything. Rule, proof sketch
// and model: team/README.md.
#include "sys/assert.h"
#include "sys/delay.h"
#include "team/barrier_kinds.h"

namespace xomp {
namespace {

void pass_down(Member& member, NodeField node, uint64_t word) {
  if (children_in_tree(member.id, member.count) == 0)
    return;
  sys::delay();
  // Release: what this member has seen is seen below.
  (member.*node).release.store(word, std::memory_order_release);
  // One for all bells; see Bell::ring.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for_each_child(member, [](Member& child) {
    child.bell.ring_after_fence();
    return true;
  });
}

/// Whether all children have reported the current round; `clean` is cleared if one was not.
bool gathered(const Member& member, NodeField node, bool& clean) {
  uint64_t round = (member.*node).round;
  return for_each_child(member, [&](const Member& child) {
    uint64_t report = (child.*node).report_of(round);
    clean = clean && (report & 1);
    return report != 0;
  });
}

} // namespace

bool tree_poll(Member& member, NodeField node) {
  BarrierNode& mine = member.*node;
  Member& parent = *member.team->members[parent_in_tree(member.id)];
  if (member.id != 0) {
    uint64_t word = (parent.*node).release.load(std::memory_order_acquire);
    XOMP_ASSERT(word >> 1 <= mine.round + 1);
    if (word == (mine.round << 1 | 1)) {
      pass_down(member, node, word);
      return true;
    }
    if (word == (mine.round + 1) << 1) { // another wave is wanted
      ++mine.round;
      pass_down(member, node, word);
    }
  }
  if (mine.reported()) // the root never does
    return false;
  bool clean = true;
  if (!gathered(member, node, clean) || !settled(member))
    return false;
  sys::delay();
  clean = !was_dirty(member) && clean;
  if (member.id != 0) {
    mine.report(clean);
    parent.bell.ring();
    return false;
  }
  mine.round += !clean;
  if (all_wait(node) || !clean)
    pass_down(member, node, mine.round << 1 | (clean ? 1 : 0));
  return clean;
}

} // namespace xomp
