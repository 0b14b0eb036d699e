// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counter of a dynamic loop (worksharing/loop.h), and how worksharing/workshare.cc opens and
// leaves a construct, under the C++ memory model: each iteration is handed out once, in order, to
// somebody who sees what whoever made the loop wrote before.
#include "checked_std.h"

#include <cstdlib>

#include "worksharing/loop.h"
#include "worksharing/workshare.cc"

namespace xomp {

constinit Settings settings;
constinit const Policy kSoloPolicy{};

// Does not come up in so short a loop.
bool take_turns(Member&, WorkShare&, uint64_t&, uint64_t&) { std::abort(); }
bool last_chunk(Member&, WorkShare&, uint64_t&, uint64_t&) { return false; } // nobody has a range
// What one loop without ordered, doacross, reductions and barrier does not come to.
bool plain_barrier(Member&) { return false; }
bool special_barrier(Member&, const void*, uint8_t) { return false; }
void free_doacross(Doacross*) {}
void drop_copies(SharedCopies*) {}
void Mutex::lock_contended() {}
void Mutex::unlock_contended() {}
bool Mutex::try_again() { return false; }
constinit sys::TurnQueue lock_queues[1 << kLockQueueBits];
void root_mark(void*) {}

} // namespace xomp

namespace {

using namespace xomp;

/// Two members at a loop of single iterations, made by the first one to come.
struct Loop : rl::test_suite<Loop, 2> {
  static constexpr int kMembers = 2, kTrips = 6;
  Member* members[kMembers] = {};
  Team* team = nullptr;
  int hits[kTrips] = {}, handed_out = 0;
  rl::var<int> content;

  void before() {
    settings.spin_adapts = settings.yields = false;
    checked::sparingly = true;
    team = sys::create<Team>();
    for (int i = 0; i < kMembers; ++i) {
      members[i] = sys::create<Member>();
      members[i]->id = i;
      members[i]->count = kMembers;
      members[i]->team = team;
      members[i]->task_team = team;
    }
    auto* shares = sys::create<WorkShares>();
    team->shares.store(shares, std::memory_order_relaxed);
    team->crowded.store(false, std::memory_order_relaxed);
    settings.spin_count = 0;
    team->members = members;
    team->capacity = kMembers;
    WorkShareSegment& segment = shares->first;
    segment.claimed.store(0, std::memory_order_relaxed);
    WorkShare& share = segment.slots[0];
    share.next.store(0, std::memory_order_relaxed);
    share.open.store(false, std::memory_order_relaxed);
    share.left.store(0, std::memory_order_relaxed);
    share.cancelled.store(false, std::memory_order_relaxed);
    share.events.nap([] { return true; }, 0);
    checked::sparingly = false;
    for (Member* each : members)
      workshare_member_start(*each);
  }
  void after() {
    workshare_team_end(*team);
    for (int hit : hits)
      RL_ASSERT(hit == 1);
    for (Member* each : members)
      sys::destroy(each);
    sys::destroy(team);
  }
  void thread(unsigned index) {
    Member& member = *members[index];
    if (arrive_at_construct(member)) {
      WorkShare& share = *member.workshare;
      content(RL_INFO) = 7;
      share.trips = kTrips;
      share.chunk = 1;
      share.next.store(0, std::memory_order_relaxed);
      open_construct(member);
    }
    uint64_t begin, end, past = 0;
    while (dynamic_chunk(member, *member.workshare, begin, end)) {
      RL_ASSERT(content(RL_INFO) == 7);
      RL_ASSERT(end == begin + 1 && begin >= past); // what one member gets ascends
      RL_ASSERT(++hits[begin] == 1);
      // Whatever is handed out later comes later: all others that there are hold one chunk each.
      RL_ASSERT(begin < static_cast<uint64_t>(++handed_out + kMembers - 1));
      past = end;
    }
    leave_construct(member);
  }
};

} // namespace

int main() {
  constexpr int kRuns = 100000;
  bool good = verified<Loop>("loop", kRuns);
  good &= refuted<Loop>("loop without release", kRuns, {.release = true});
  good &= refuted<Loop>("loop without acquire", kRuns, {.acquire = true});
  return good ? 0 : 1;
}
