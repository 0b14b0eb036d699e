// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// team/loop_steal.cc, and how team/workshare.cc opens a construct, under the C++ memory model: each
// iteration is handed out once, to somebody who sees what whoever made the loop wrote before; and
// nobody gives up while there are chunks in a range or on their way to one.
#include "checked_std.h"

#include "team/loop_steal.cc"
#include "team/workshare.cc"

namespace xomp {

constinit Settings settings;

// What one loop without ordered, doacross, reductions and barrier does not come to.
bool plain_barrier(Member&) { return false; }
bool special_barrier(Member&, const void*, uint8_t) { return false; }
void free_doacross(Doacross*) {}
void drop_copies(SharedCopies*) {}
void Mutex::lock_contended() {}
void Mutex::wake_one() {}

} // namespace xomp

namespace {

using namespace xomp;

/// Members at a loop of single iterations.
template <int kMembers> struct Members {
  static constexpr int kTrips = 4 * kMembers; // with fewer there are no ranges
  Member* members[kMembers] = {};
  Team* team = nullptr;
  int hits[kTrips] = {};
  bool given_up = false, last_given = false;

  void start() {
    settings.spin_adapts = settings.yields = false;
    checked::sparingly = true;
    team = sys::create<Team>();
    for (int i = 0; i < kMembers; ++i) {
      members[i] = sys::create<Member>();
      members[i]->id = i;
      members[i]->count = kMembers;
      members[i]->team = team;
      members[i]->tasks = team;
    }
  }
  void end() {
    for (int hit : hits)
      RL_ASSERT(hit == 1);
    for (Member* each : members)
      sys::destroy(each);
    sys::destroy(team);
  }
  static void prepare_ranges(WorkShare& share) {
    share.ranges = static_cast<StealRange*>(
        sys::allocate_zeroed(sizeof(StealRange) * kMembers, alignof(StealRange)));
    share.range_count = kMembers;
    for (int i = 0; i < kMembers; ++i)
      share.ranges[i].units.store(0, std::memory_order_relaxed);
    for (auto* word : {&share.next, &share.moves})
      word->store(0, std::memory_order_relaxed);
  }
  static void divide(WorkShare& share, bool guided) {
    share.trips = kTrips;
    share.chunk = 1;
    RL_ASSERT(divide_among_members(share, kMembers, guided));
  }
  /// One chunk. False: the member has given up.
  bool next(int id, WorkShare& share, bool guided) {
    bool late = given_up, after_last = last_given;
    uint64_t begin, end;
    if (!stealing_chunk(*members[id], share, guided, begin, end)) {
      given_up = true;
      return false;
    }
    for (uint64_t i = begin; i < end; ++i)
      RL_ASSERT(++hits[i] == 1);
    if (end == kTrips) {
      RL_ASSERT(!after_last);
      given_up = last_given = true;
    } else {
      // Who gave up has left it to fewer than could run it.
      RL_ASSERT(!late);
    }
    return true;
  }
};

/// The ranges alone. Most chunks are gone when the members begin, so that they soon meet.
template <bool kGuided> struct Ranges : rl::test_suite<Ranges<kGuided>, 3>, Members<3> {
  WorkShare* share = nullptr;

  void before() {
    start();
    share = sys::create<WorkShare>();
    prepare_ranges(*share);
    checked::sparingly = false;
    divide(*share, kGuided);
    for (int id = 0; id < 2; ++id) {
      for (int i = 0; i < (kGuided ? 1 : 3 - id); ++i)
        next(id, *share, kGuided);
    }
  }
  void after() {
    end();
    sys::release(share->ranges);
    sys::destroy(share);
  }
  void thread(unsigned index) {
    while (next(static_cast<int>(index), *share, kGuided)) {
    }
  }
};

/// A whole loop, made by the first member to come.
struct Loop : rl::test_suite<Loop, 2>, Members<2> {
  rl::var<int> content;

  void before() {
    start();
    auto* shares = sys::create<WorkShares>();
    team->shares.store(shares, std::memory_order_relaxed);
    team->spin_count.store(0, std::memory_order_relaxed);
    team->members = members;
    team->capacity = 2;
    WorkShareSegment& segment = shares->first;
    segment.used.store(0, std::memory_order_relaxed);
    WorkShare& share = segment.slots[0];
    prepare_ranges(share);
    for (auto* word : {&share.stage, &share.left})
      word->store(0, std::memory_order_relaxed);
    share.cancelled.store(false, std::memory_order_relaxed);
    share.events.nap([] { return true; }, 0);
    checked::sparingly = false;
    for (Member* each : members)
      workshare_member_start(*each);
  }
  void after() {
    workshare_team_end(*team);
    end();
  }
  void thread(unsigned index) {
    Member& member = *members[index];
    if (arrive_at_construct(member)) {
      content(RL_INFO) = 7;
      divide(*member.workshare, false);
      open_construct(member);
    }
    while (next(member.id, *member.workshare, false))
      RL_ASSERT(content(RL_INFO) == 7);
    leave_construct(member);
  }
};

} // namespace

int main() {
  constexpr int kRuns = 100000;
  bool good = verified<Ranges<false>>("ranges of chunks", kRuns);
  good &= refuted<Ranges<false>>("ranges of chunks without release", kRuns, {.release = true});
  good &= refuted<Ranges<false>>("ranges of chunks without acquire", kRuns, {.acquire = true});
  good &= refuted<Ranges<false>>("ranges of chunks without fences", kRuns, {.fence = true});
  good &= verified<Ranges<true>>("ranges of chunks, guided", kRuns);
  good &=
      refuted<Ranges<true>>("ranges of chunks, guided, without release", kRuns, {.release = true});
  good &=
      refuted<Ranges<true>>("ranges of chunks, guided, without acquire", kRuns, {.acquire = true});
  good &= verified<Loop>("loop", kRuns);
  good &= refuted<Loop>("loop without release", kRuns, {.release = true});
  good &= refuted<Loop>("loop without acquire", kRuns, {.acquire = true});
  good &= refuted<Loop>("loop without fences", kRuns, {.fence = true});
  return good ? 0 : 1;
}
