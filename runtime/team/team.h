// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data model of threads and teams.
//
// clang-format off
//   Thread (of the system) --idle_teams--> Team, kept for the next region --members--> Member[0..capacity)
//   Member = Worker + what a thread is in this team;  self (__thread) -> the Member in which it acts now
// clang-format on
//
// A team is made by the thread that opens a region (its master) and kept by it afterwards with its
// threads, which wait at their `go` words for the next region. A thread may own several: one per
// nesting level that it opened.
#pragma once
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "events/events.h"
#include "place/places.h"
#include "place/start_elsewhere.h"
#include "task/worker.h"

namespace xomp {

struct Team;
struct Thread;
struct WorkShare;        // worksharing/workshare.h: a worksharing construct
struct WorkShareSegment; // worksharing/workshare.h: some of them
struct WorkShares;       // worksharing/workshare.h: the team's

/// Where a member is in the loop that it executes; worksharing/loop.h.
struct ChunkCursor {
  static constexpr uint32_t kLookEvery = 64;
  uint64_t turn = 0;           ///< static schedule: chunks that this member has had
  uint64_t begin = 0, end = 0; ///< its current chunk, in iterations
  uint64_t ordered = 0;        ///< ordered regions that it has left in this chunk
  // Dynamic: what it saw when it last looked at the pace of the loop (`take_turns`).
  int64_t looked = 0;     ///< when
  uint64_t looked_at = 0; ///< where the loop was
  /// Chunks between the last look and the next; 1: it rests then; 0: it has a range of chunks.
  uint32_t look_every = kLookEvery;
  uint32_t until_look = kLookEvery; ///< of these, still to come
  bool last_due = false;            ///< it had the last chunk without its last iteration
  bool active = false;              ///< counted in `WorkShare::active`
  bool had_last = false;            ///< chunk of a loop that is divided: it gets no other; abi/llvm
  bool cut_short = false; ///< it got no more of a dispatched loop that was cancelled; abi/llvm

  /// Field by field: a whole one is made elsewhere first, and copied.
  void restart() {
    turn = begin = end = ordered = looked_at = 0;
    looked = 0;
    look_every = until_look = kLookEvery;
    last_due = active = had_last = cut_short = false;
  }
};

/// The tree in which barriers are gathered and regions announced, by the members' ids.
inline constexpr int kFanOut = 16;
static_assert(kFanOut >= 2); // the root is its own parent
inline int parent_in_tree(int id) { return (id - 1) / kFanOut; }
inline int children_in_tree(int id, int count) {
  return std::clamp(count - (kFanOut * id + 1), 0, kFanOut);
}

/// A member's place in a tree barrier; states and races: team/README.md. A team has two instances,
/// one inside the region and one for the join at its end, because cancellation leaves the first in
/// the middle. A member writes to its own node only, which others poll: each line that is
/// polled has one writer, so that stores do not wait for each other. Rounds of 64
/// bits never begin anew: some words keep the number of a round long past.
struct alignas(sys::kNoSharing) BarrierNode {
  /// The barrier, or the wave of it, that this member takes part in; of every kind. All members
  /// count the same.
  uint64_t round = 0;
  /// Of even and of odd rounds: round << 1 | clean. Polled by the parent; in a team of two by the
  /// other member.
  alignas(sys::kNoSharing) std::atomic<uint64_t> reports[2]{};
  /// What it passes down: round << 1 | over. Polled by the children.
  alignas(sys::kNoSharing) std::atomic<uint64_t> release{0};

  /// Release: whoever reads it sees everything that was done here and below.
  void report(bool clean) {
    reports[round & 1].store(round << 1 | (clean ? 1 : 0), std::memory_order_release);
  }
  /// What its member has reported of that round; 0: nothing yet.
  uint64_t report_of(uint64_t number) const {
    uint64_t report = reports[number & 1].load(std::memory_order_acquire);
    XOMP_ASSERT(report >> 1 <= number + 1); // at most a wave ahead, in the other word
    return report >> 1 == number ? report : 0;
  }
  /// What it has reported of the round that it is in.
  uint64_t reported() const { return report_of(round); }
};

/// What a member has to do with the data of a copyprivate clause; worksharing/single.cc.
enum class Copyprivate : uint8_t {
  kNeither,
  kReads, ///< where cancellation is on: it is counted in `Team::copying`
  kLends, ///< `Team::copyprivate_data` is on its stack
};

/// How a member comes to a `single`; worksharing/single.h.
enum class AtSingle : uint8_t {
  kRace,  ///< whoever changes the ticket first executes it
  kLook,  ///< after a look at the ticket, or with listeners, whoever changes it first executes it
  kAlone, ///< in a team of one
};

/// Words of an argument that may come with the call.
inline constexpr std::size_t kCarriedWords = 4;

/// How a member is called to a region: one line, which it has at once. Written by its parent
/// in the tree, or by the master where the team is `flat`.
struct alignas(sys::kNoSharing) Start {
  std::atomic<uint64_t> go{0};   ///< `TaskTeam::region` to start
  void (*body)(void*) = nullptr; ///< null: the thread is to end
  void* argument = nullptr;
  uintptr_t default_allocator = 0;   ///< def-allocator-var of its implicit task
  void* carried[kCarriedWords] = {}; ///< what `argument` points to, where it is here

  /// What it says, but for `go`, is `from`'s.
  void take_over(const Start& from) {
    body = from.body;
    default_allocator = from.default_allocator;
    if (from.argument == from.carried)
      carry(from.carried);
    else
      argument = from.argument;
  }
  void carry(const void* words) {
    std::memcpy(carried, words, sizeof carried);
    argument = carried;
  }
};
static_assert(offsetof(Start, carried) + sizeof(Start::carried) <= sys::kCacheLine);

/// What one of so many regions needed is kept for the next ones. A trim costs as much as it frees,
/// and so does taking memory afresh: spread over so many regions, neither can be measured. Without
/// any, each of many workers would keep the most that it ever needed.
constexpr uint32_t kRegionsPerTrim = 256;

struct Member : Worker {
  Team* team = nullptr;
  Thread* thread = nullptr;
  BarrierNode inner, join;
  Start start;
  Env implicit_env;                    ///< of the implicit task
  std::atomic<uint32_t> constructs{0}; ///< worksharing constructs come to in this region;
                                       ///< worksharing/workshare.h
  uint32_t singles = 0;                ///< `single` constructs passed; worksharing/single.h
  uint32_t singles_taken =
      0; ///< of `single` constructs, those before this one are known to be taken
  AtSingle at_single = AtSingle::kRace; ///< how it comes to the next one
  WorkShareSegment* segment = nullptr;  ///< where it came to its last construct
  WorkShare* workshare = nullptr;       ///< the current loop or sections
  WorkShareSegment* segment_apart =
      nullptr; ///< for its own constructs in a cancelled region; worksharing/workshare.cc
  SpinHistory construct_spin_history; ///< of waiting for other members inside of constructs
  ChunkCursor chunks;
  bool barriers_ask = false; ///< cancellation is on, or somebody listens
  uint64_t phase = 1;        ///< one more than the barriers passed in this region, where
                             ///< cancellation is on
  int place = -1;            ///< to which this member is to be bound; -1: anywhere
  PlacePartition partition;  ///< place-partition-var of this member
  Copyprivate copyprivate = Copyprivate::kNeither;
  void* reduction_copies = nullptr; ///< at a barrier that adds them up; abi/llvm/reduction.cc
  Detour detour;               ///< of its thread, which starts away from its creator's processor
  std::size_t stack_bytes = 0; ///< size of that thread's stack; 0: it has none, or is member 0
  int kernel_thread = 0;       ///< its number; under XOMP_WATCHDOG
  /// Of its own: of the team's number of regions each resizing takes one, too.
  uint32_t regions_before_trim = kRegionsPerTrim;
  /// It is the master of a region whose end the program calls; see `start_parallel`.
  bool end_is_called = false;
  trace::TaskTrace trace; ///< of the implicit task; id 0: nobody listens
  trace::WorkTrace work;  ///< what it is telling of a loop

  constexpr Member() = default;
  constexpr explicit Member(uintptr_t gate) : Worker(gate), trace{}, work{} {}
};
/// In no team and no construct: what a thread acts in that the runtime does not know.
extern Member stranger;

struct Team : TaskTeam {
  // Written by the master at the start of each region, behind what TaskTeam has of that kind; what
  // members read at once is in `Start`.
  /// The master in the team in which it opened this one; null for an initial team.
  Member* creator = nullptr;
  int level = 0; ///< nested parallel regions enclosing (omp_get_level)
  int active_level = 0;
  Icv icv; ///< what the implicit tasks start with
  // Seldom written.
  alignas(sys::kNoSharing) Member** members = nullptr; ///< [capacity]; members[0] is the master's
  int capacity = 0;  ///< members that exist, each but 0 with its own OS thread; 1: a team apart for
                     ///< regions of one thread, or an initial one
  bool flat = false; ///< this region uses the flat barrier instead of the tree
  bool prepared = false;          ///< construct 0 was made with the region
  uint8_t placed_by = kBindFalse; ///< the policy of this region, which may be its clause's alone
  /// The last `go` is no region, but to leave the team's queues and words: so many have not yet.
  std::atomic<uint32_t> leaving{0};
  std::atomic<uint64_t> workshare_cancelled{
      0};                                   ///< worksharing/cancel.cc: in which phase, from 1 on
  std::atomic<WorkShares*> shares{nullptr}; ///< made when a construct first needs it
  Port** ports = nullptr; ///< [capacity]: the members as the scheduler and the task layer see them
  Team* next_idle = nullptr;    ///< in `Thread::idle_teams` or `idle_serial_teams`
  Team* next_watched = nullptr; ///< team/watchdog.h
  Team* root = nullptr;         ///< the initial team of this contention group
  std::atomic<int> busy{
      1}; ///< in `root`: threads of the contention group in use, where there is a thread-limit-var
  int team_number = 0, team_total = 1;     ///< in `root`: of a league (teams construct on the host)
  SharedBarrier shared_inner, shared_join; ///< of barriers that are no tree
  alignas(sys::kNoSharing) std::atomic<uint32_t> single_ticket{0}; ///< worksharing/single.h
  void* copyprivate_data = nullptr;
  std::atomic<int> copying{0}; ///< members that may read it; worksharing/single.cc
  trace::RegionTrace trace;    ///< of the region that the master has told of last
};

/// What is nearly always the same from region to region is written only when it is not: a line that
/// is written has to come back to every thread that reads it.
template <class T> void set_if_changed(T& field, T value) {
  if (field != value) [[unlikely]]
    field = value;
}
template <class T> void set_if_changed(std::atomic<T>& field, T value) {
  if (field.load(std::memory_order_relaxed) != value) [[unlikely]]
    field.store(value, std::memory_order_relaxed);
}

/// Calls `visit` for the children of a member until it returns false. Whether it never did.
template <class Visit> bool for_each_child(const Member& member, Visit visit) {
  int children = children_in_tree(member.id, member.count);
  for (int i = 0; i < children; ++i) {
    if (!visit(*member.team->members[kFanOut * member.id + 1 + i]))
      return false;
  }
  return true;
}

/// An OS thread that the runtime knows.
struct Thread {
  pthread_t id{};
  Member* initial = nullptr;         ///< its membership in its initial team of one (user threads)
  Team* idle_teams = nullptr;        ///< teams that it opened before, innermost last used first
  Team* idle_serial_teams = nullptr; ///< those for regions of one thread
  Team* spare_initial = nullptr;     ///< kept for the next target region; target/host.cc
  Team* left_by_fork = nullptr;      ///< those in which the process was forked; team/forked.cc
  PlacePartition places;
  uintptr_t stack_limit = 0;             ///< sys/stack.h
  int bound_place = -1;                  ///< where the kernel was last asked to keep it
  int shown_level = -1, shown_count = 0; ///< OMP_DISPLAY_AFFINITY: last team shown, and
  uint8_t shown_bind = kBindFalse;       ///< what its places came from: the policy
  PlacePartition shown_from;             ///< and those of its creator
  trace::Track* track = nullptr;         ///< what listeners keep of it; null: nobody listens yet
  const void* base = nullptr;            ///< frame of the function that calls its implicit tasks
};

/// The thread that opens its regions, or is alone in an initial team.
inline Thread& master_of(const Team& team) { return *team.members[0]->thread; }

/// Gives the calling thread an initial team of one (team/thread.cc). Its teams end with the thread.
[[gnu::cold]] Member& register_thread();

/// The calling thread's membership; registers the thread if it is new to the runtime.
inline Member& me() {
  if (self == &stranger) [[unlikely]]
    return register_thread();
  return static_cast<Member&>(*self);
}
/// As `me`, for entry points that every registered thread reaches often.
inline Member& me_if_known() { return static_cast<Member&>(*self); }

inline Team& my_team() { return *me().team; }

} // namespace xomp
