// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/loop_steal.h"

#include <sched.h>

#include <algorithm>

#include "sys/cpu.h"
#include "sys/delay.h"
#include "sys/memory.h"

namespace xomp {
namespace {

/// With fewer chunks for each member than this, one counter for all costs less than ranges.
constexpr uint64_t kFewest = 4;
/// The owner of an empty range adds to its low half all the same, which must not reach the other.
constexpr uint64_t kMostUnits = uint64_t{1} << 31;

constexpr uint64_t pack(uint64_t first, uint64_t end) { return end << 32 | first; }
constexpr uint64_t first_of(uint64_t units) { return units & UINT32_MAX; }
constexpr uint64_t end_of(uint64_t units) { return units >> 32; }
constexpr bool empty(uint64_t units) { return first_of(units) >= end_of(units); }

/// A chunk out of `length` units. Guided: half of them, as every member has about its share of what
/// is not assigned.
constexpr uint64_t portion(bool guided, uint64_t length) { return guided ? (length + 1) / 2 : 1; }

/// `WorkShare::moves`: thefts begun and not ended in the low half, ended ones in the high half.
constexpr uint64_t kMoveBegins = 1;
constexpr uint64_t kMoveEnds = (uint64_t{1} << 32) - 1;
constexpr uint64_t open_moves(uint64_t moves) { return moves & UINT32_MAX; }

/// From the front of the member's own range. Relaxed: which iterations go where is all that ranges
/// say; construct entry published the rest.
bool take_own(StealRange& own, bool guided, uint64_t& unit, uint64_t& count) {
  if (!guided) {
    uint64_t units = own.units.fetch_add(1, std::memory_order_relaxed);
    unit = first_of(units);
    count = 1;
    return !empty(units);
  }
  uint64_t units = own.units.load(std::memory_order_relaxed);
  do {
    if (empty(units))
      return false;
    unit = first_of(units);
    count = portion(true, end_of(units) - unit);
  } while (!own.units.compare_exchange_weak(units, pack(unit + count, end_of(units)),
                                            std::memory_order_relaxed));
  return true;
}

/// The upper half of the victim's range. The thief keeps the first chunk of it, so that each theft
/// gets on with the loop, and lays the rest into its own range, which is empty and therefore
/// nobody else's business.
bool steal(WorkShare& share, StealRange& own, StealRange& victim, bool guided, uint64_t& unit,
           uint64_t& count) {
  uint64_t units = victim.units.load(std::memory_order_acquire);
  if (empty(units))
    return false;
  // Relaxed: the exchange below publishes it.
  share.moves.fetch_add(kMoveBegins, std::memory_order_relaxed);
  bool stolen = false;
  while (!stolen && !empty(units)) {
    unit = first_of(units) + (end_of(units) - first_of(units)) / 2;
    sys::delay();
    // Release: who sees the shorter range sees that something is on its way (`steal_any`).
    stolen = victim.units.compare_exchange_weak(
        units, pack(first_of(units), unit), std::memory_order_acq_rel, std::memory_order_acquire);
  }
  if (stolen) {
    uint64_t end = end_of(units);
    count = portion(guided, end - unit);
    sys::delay();
    own.units.store(pack(unit + count, end), std::memory_order_release);
  }
  // Release: who sees the end of the theft sees the new range.
  share.moves.fetch_add(kMoveEnds, std::memory_order_release);
  return stolen;
}

/// `WorkShare::next`: what has happened to the loop.
constexpr uint64_t kLastTaken = 1;
constexpr uint64_t kStolenFrom = 2;

void count_theft(Member& thief, WorkShare& share) {
  thief.counters.loop_thefts++;
  // Relaxed: each loop is counted by one member.
  if ((share.next.fetch_or(kStolenFrom, std::memory_order_relaxed) & kStolenFrom) == 0)
    thief.counters.loops_stolen_from++;
}

/// The loop's last chunk is in no range: it is handed out when all others are, so it is the last
/// one of the member that gets it, too. Compilers rely on that: after the loop each member tells
/// from its last iteration whether it has the values for lastprivate. Relaxed: as in `take_own`.
bool take_last(WorkShare& share, uint64_t& begin, uint64_t& end) {
  begin = (share.trips - 1) / share.chunk * share.chunk;
  end = share.trips;
  return (share.next.fetch_or(kLastTaken, std::memory_order_relaxed) & kLastTaken) == 0;
}

/// False: no range holds anything, and nothing is on its way from one to another. Somebody who gave
/// up earlier would leave the others' iterations to fewer members than could run them.
bool steal_any(Member& member, WorkShare& share, bool guided, uint64_t& unit, uint64_t& count) {
  // Its own range may have been made shorter as well, and `take_own` does not acquire.
  std::atomic_thread_fence(std::memory_order_acquire);
  for (uint32_t round = 0;; ++round) {
    uint64_t before = share.moves.load(std::memory_order_acquire);
    int victim = member.id;
    for (int i = 1; i < member.count; ++i) {
      victim = victim + 1 < member.count ? victim + 1 : 0;
      if (steal(share, share.ranges[member.id], share.ranges[victim], guided, unit, count)) {
        count_theft(member, share);
        return true;
      }
    }
    // Relaxed: the looks at the ranges, which acquire, come before.
    if (open_moves(before) == 0 && share.moves.load(std::memory_order_relaxed) == before)
      return false;
    if (round < 100)
      sys::pause();
    else
      sched_yield(); // the thief has lost its processor
  }
}

} // namespace

bool divide_among_members(WorkShare& share, int members, bool guided) {
  uint64_t trips = share.trips, chunk = share.chunk;
  uint64_t units = trips / chunk + (trips % chunk != 0);
  auto parts = static_cast<uint64_t>(members);
  if (units < kFewest * parts)
    return false;
  if (units >= kMostUnits) {
    if (!guided)
      return false;
    chunk = std::max(chunk, trips / (kMostUnits - 1) + 1); // a guided chunk may be larger
    units = trips / chunk + (trips % chunk != 0);
    share.chunk = chunk;
  }
  if (share.range_count < members) {
    sys::release(share.ranges);
    std::size_t bytes = sizeof(StealRange) * static_cast<std::size_t>(members);
    share.ranges = static_cast<StealRange*>(sys::allocate_zeroed(bytes, alignof(StealRange)));
    share.range_count = members;
  }
  // Relaxed: opening the construct publishes it.
  share.moves.store(0, std::memory_order_relaxed);
  share.next.store(0, std::memory_order_relaxed);
  --units; // the last one is kept back (`take_last`)
  uint64_t size = units / parts, larger = units % parts, first = 0;
  for (uint64_t i = 0; i < parts; ++i) {
    uint64_t end = first + size + (i < larger);
    share.ranges[i].units.store(pack(first, end), std::memory_order_relaxed);
    first = end;
  }
  return true;
}

bool stealing_chunk(Member& member, WorkShare& share, bool guided, uint64_t& begin, uint64_t& end) {
  uint64_t unit, count;
  if (!take_own(share.ranges[member.id], guided, unit, count) &&
      !steal_any(member, share, guided, unit, count))
    return take_last(share, begin, end);
  // Only the loop's last chunk may be shorter.
  begin = unit * share.chunk;
  end = begin + count * share.chunk;
  return true;
}

} // namespace xomp
