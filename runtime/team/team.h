// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data model of threads and teams.
//
//   Thread (an OS thread) --hot--> idle Team kept for the next region it opens --> Member[0..capacity)
//   Member = Worker + what a thread is in this team.  self (thread_local) -> the Member in which it acts now.
//
// A team is made by the thread that opens a region (its master) and kept by it afterwards with its threads,
// who wait at their `go` word ("docked"). A thread may own several: one per nesting level that it opened.
#pragma once
#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "place/places.h"
#include "task/worker.h"

namespace xomp {

struct Team;
struct Thread;
struct WorkShares;      // team/workshare.h: the team's ring of worksharing constructs
struct WorkShareCursor; // team/workshare.h: a member's position in it

/// One of the two barrier instances of a team: the one inside the region, or the join at its end (kept apart
/// because cancellation leaves the first in the middle). Words of a member in the tree: team/barrier.h.
struct BarrierSeat {
  alignas(sys::kNoSharing) std::atomic<uint32_t> report{0};  ///< written by this member, read by its parent
  alignas(sys::kNoSharing) std::atomic<uint32_t> release{0}; ///< written by its parent, read by this member
  uint32_t round = 0;                                        ///< this member's count of waves
};

struct Member : Worker {
  Team* team = nullptr;
  Thread* thread = nullptr;
  BarrierSeat inner, join;
  alignas(sys::kNoSharing) std::atomic<uint32_t> go{0}; ///< region number to start; written by the tree parent
  Task implicit;
  Env implicit_env;
  uint32_t constructs = 0;       ///< worksharing constructs entered in this region (slot number)
  void* workshare = nullptr;     ///< the current loop, sections or scope; team/workshare.h
  uint32_t singles = 0;          ///< `single` constructs passed; team/single.h
  uint64_t static_trip = 0;      ///< static schedule: chunks done by this member
  void* copyprivate = nullptr;
  int place = -1;
};

struct Team : TaskTeam {
  Team* outer = nullptr;         ///< the team in which the master opened this one; null for an initial team
  Member* creator = nullptr;     ///< the master as a member of `outer`
  Thread* master = nullptr;
  Member** members = nullptr;    ///< [capacity]; members[0] is the master's
  int capacity = 0;              ///< members that exist, each but 0 with its own OS thread
  int level = 0;                 ///< nested parallel regions enclosing (omp_get_level)
  int active_level = 0;
  void (*body)(void*) = nullptr;
  void* argument = nullptr;
  Icv icv;                       ///< what the implicit tasks start with
  BarrierKind barrier = BarrierKind::kTree;
  uint32_t region = 0;           ///< regions run; value of `go`
  bool cancellable = false;
  std::atomic<bool> workshare_cancelled{false};
  WorkShares* shares = nullptr;
  uintptr_t* reductions = nullptr; ///< GOMP_parallel_reductions
  bool in_teams = false;           ///< teams construct: number of teams etc. live in the thread
  Team* next_idle = nullptr;       ///< in `Thread::idle_teams`
  // Central barrier (team/barrier_central.cc).
  alignas(sys::kNoSharing) std::atomic<uint32_t> arrived{0};
  alignas(sys::kNoSharing) std::atomic<uint32_t> generation{0};
  alignas(sys::kNoSharing) std::atomic<uint32_t> single_ticket{0}; ///< team/single.h
  void* copyprivate_data = nullptr;
};

/// An OS thread that the runtime knows.
struct Thread {
  pthread_t id{};
  Member* initial = nullptr;     ///< its membership in its initial team of one (user threads)
  Team* idle_teams = nullptr;    ///< teams that it opened before, innermost last used first
  PlacePartition places;
  int team_number = 0, team_total = 1; ///< of a league (teams construct on the host)
  int thread_limit_of_team = 0;
  Thread* next = nullptr;        ///< registry
  bool is_pool_thread = false;
  Member* post = nullptr;        ///< pool thread: the membership it serves
};

/// The calling thread's membership; registers the thread if it is new to the runtime.
Member& me();
/// As `me`, for entry points that every registered thread reaches often.
inline Member& me_if_known() { return static_cast<Member&>(*self); }

inline Team& my_team() { return *me().team; }

} // namespace xomp
