// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The barrier of a crowded team whose threads yield: the tree's rule, waves until a clean one, with
// one count instead of the tree. In a tree a member's report has to wait for its
// children's turns on a processor, and the release for the root's; here each member needs one turn,
// and whoever reports last goes on without giving up its own.
// Rule, races and model: team/README.md.
#include "sys/assert.h"
#include "sys/delay.h"
#include "team/barrier_kinds.h"

namespace xomp {
namespace {

/// `SharedBarrier::arrived`: how many members have reported, and above that how many of them
/// unclean.
constexpr uint64_t kUnclean = uint64_t{1} << 32;
constexpr uint64_t kReports = kUnclean - 1;

/// True: this was the last report of the wave, which is over.
bool report(Member& member, NodeField node) {
  SharedBarrier& shared = shared_of(member, node);
  member.reported = report_of(!was_busy(member));
  uint64_t reports = member.reported == Report::kClean ? 1 : kUnclean + 1;
  sys::delay();
  // Acquire-release: a thread that reports last sees everything that was done before the other
  // reports.
  reports += shared.arrived.fetch_add(reports, std::memory_order_acq_rel);
  XOMP_ASSERT((reports & kReports) <= static_cast<uint32_t>(member.count));
  if ((reports & kReports) != static_cast<uint32_t>(member.count))
    return false;
  bool clean = reports < kUnclean;
  // Relaxed: nobody reports to the next wave before having seen that this one is over.
  shared.arrived.store(0, std::memory_order_relaxed);
  sys::delay();
  // Release: what this member has seen is seen by all.
  shared.wave.store((member.*node).round << 1 | (clean ? 1 : 0), std::memory_order_release);
  // One for all bells; see Bell::ring.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (all_wait(node) || !clean)
    ring_others_after_fence(member);
  else if (member.id != 0)
    member.team->members[0]->bell.ring_after_fence();
  return true;
}

} // namespace

bool flat_poll(Member& member, NodeField node) {
  uint64_t& round = (member.*node).round;
  // Again after a wave that this member has ended, as nobody rings its own bell for that.
  for (;;) {
    uint64_t word = shared_of(member, node).wave.load(std::memory_order_acquire);
    XOMP_ASSERT(word >> 1 <= round);
    if (word >> 1 == round) {
      if (word & 1)
        return true;
      ++round;
      member.reported = Report::kNotYet;
    }
    if (member.reported != Report::kNotYet || !settled(member) || !report(member, node))
      return false;
  }
}

} // namespace xomp
