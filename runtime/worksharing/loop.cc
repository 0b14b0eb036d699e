// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handing out iterations: static blocks and chunks; dynamic by fetch-and-add and guided by
// compare-and-swap, both in the order of the iterations.
#include "worksharing/loop.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "conf/settings.h"
#include "sys/cpu.h"
#include "sys/memory.h"
#include "sys/report.h"
#include "sys/ticks.h"
#include "task/environment.h"
#include "team/region.h"
#include "worksharing/active_members.h"
#include "worksharing/doacross.h"
#include "worksharing/ordered.h"
#include "worksharing/ranges.h"
#include "worksharing/task_reduction.h"
#include "worksharing/turns.h"

namespace xomp {
namespace {

/// Takes `size(remaining)` iterations by compare-and-swap.
template <class Size>
bool sized_chunk(WorkShare& share, uint64_t& begin, uint64_t& end, Size size) {
  begin = share.next.load(std::memory_order_relaxed);
  do {
    if (begin >= share.trips)
      return false;
    uint64_t remaining = share.trips - begin;
    end = begin + std::min(size(remaining), remaining);
  } while (!share.next.compare_exchange_weak(begin, end, std::memory_order_relaxed));
  return true;
}

/// OpenMP 5.2, 11.5.3: proportional to what remains divided by the number of threads, not below the
/// chunk size.
bool guided_chunk(const Member& member, WorkShare& share, uint64_t& begin, uint64_t& end) {
  auto members = static_cast<uint64_t>(member.count);
  return sized_chunk(share, begin, end, [&](uint64_t remaining) {
    return std::max(remaining / members + (remaining % members != 0), share.chunk);
  });
}

[[gnu::always_inline]] inline bool static_block(Member& member, const WorkShare& share,
                                                uint64_t& begin, uint64_t& end) {
  if (member.chunks.turn++ > 0)
    return false;
  IterationBlock block =
      block_of(share.trips, static_cast<uint64_t>(member.count), static_cast<uint64_t>(member.id));
  begin = block.begin;
  end = block.end;
  return begin < end;
}

[[gnu::always_inline]] inline bool static_chunk(Member& member, const WorkShare& share,
                                                uint64_t& begin, uint64_t& end) {
  if (share.chunk == 0)
    return static_block(member, share, begin, end);
  auto members = static_cast<uint64_t>(member.count), id = static_cast<uint64_t>(member.id);
  uint64_t number;
  if (__builtin_mul_overflow(member.chunks.turn, members, &number) ||
      __builtin_add_overflow(number, id, &number) ||
      __builtin_mul_overflow(number, share.chunk, &begin) || begin >= share.trips)
    return false;
  member.chunks.turn++;
  end = begin + std::min(share.chunk, share.trips - begin);
  return true;
}

[[gnu::always_inline]] inline bool dispense(Member& member, WorkShare& share, uint64_t& begin,
                                            uint64_t& end) {
  switch (share.dispense) {
  case Dispense::kDynamic:
    return dynamic_chunk(member, share, begin, end);
  case Dispense::kGuided:
    return guided_chunk(member, share, begin, end);
  case Dispense::kStatic:
    return static_chunk(member, share, begin, end);
  case Dispense::kDynamicNear:
    return sized_chunk(share, begin, end, [&](uint64_t) { return share.chunk; });
  }
  __builtin_unreachable();
}

/// Replaces runtime, and auto, by what run-sched-var says. The modifier of either makes no
/// difference.
[[gnu::always_inline]] inline Schedule resolve(Schedule schedule, const Icv& icv) {
  schedule.kind &= ~(kMonotonic | kMayDivide);
  if (schedule.kind == kScheduleRuntime || schedule.kind == kScheduleAuto) {
    schedule.kind = icv.schedule_kind & ~kScheduleModifiers;
    schedule.chunk = static_cast<uint64_t>(std::max(icv.schedule_chunk, 0));
  }
  // run-sched-var may itself be auto: the program leaves the choice to us.
  if (schedule.kind == kScheduleAuto)
    return {kScheduleStatic, 0};
  // A chunk size that is not positive, as a signed number, is the program's error: take the
  // default.
  if (static_cast<int64_t>(schedule.chunk) < 0 && schedule.kind == kScheduleStatic)
    schedule.chunk = 0;
  if (schedule.kind != kScheduleStatic && schedule.chunk == 0)
    schedule.chunk = 1;
  return schedule;
}

/// Every member adds one chunk too many before it sees that nothing is left; that must not wrap
/// around.
bool fetch_add_wraps(uint64_t trips, uint64_t chunk, int members) {
  uint64_t excess;
  return __builtin_mul_overflow(chunk, static_cast<uint64_t>(members) + 1, &excess) ||
         __builtin_add_overflow(trips, excess, &excess);
}

Dispense dispense_of(Schedule schedule, uint64_t trips, int members) {
  switch (schedule.kind) {
  case kScheduleDynamic:
    return fetch_add_wraps(trips, schedule.chunk, members) ? Dispense::kDynamicNear
                                                           : Dispense::kDynamic;
  case kScheduleGuided:
    return Dispense::kGuided;
  default:
    return Dispense::kStatic;
  }
}

/// By the member that opens the construct, or the region with it.
[[gnu::cold, gnu::noinline]] void fill_for_listeners(WorkShare& share, const LoopSpec& spec) {
  static_assert(uint32_t{kScheduleStatic} == trace::kLoopFlagStatic &&
                uint32_t{kScheduleDynamic} == trace::kLoopFlagDynamic &&
                uint32_t{kScheduleGuided} == trace::kLoopFlagGuided);
  share.special |= kLoopTraced;
  bool sections = spec.type == LoopType::kSections;
  uint32_t asked = resolve(spec.schedule, icv(me())).kind;
  share.traced_as =
      sections ? 0 : static_cast<uint8_t>(asked | (spec.ordered ? trace::kLoopFlagOrdered : 0));
}

/// Chunks left for which it is worth it that the members take turns, or have ranges: some three
/// times what the others do in a rest.
constexpr uint64_t kMany = 2048;

/// By the member that makes the loop, as `fill`.
[[gnu::noinline]] void allow_division(WorkShare& share, int members) {
  uint64_t chunks = share.chunk ? share.trips / share.chunk : 0;
  if (share.dispense != Dispense::kDynamic || chunks <= kMany || chunks >= ChunkRange::kMostChunks)
    return;
  if (share.range_count < members) {
    sys::release(std::exchange(share.ranges, nullptr));
    auto count = static_cast<std::size_t>(members);
    void* memory = sys::allocate(count * sizeof(ChunkRange), alignof(ChunkRange));
    share.ranges = static_cast<ChunkRange*>(memory);
    share.range_count = members;
    std::uninitialized_default_construct_n(share.ranges, members);
  } else if (settings.cancellation) {
    for (int i = 0; i < members; ++i)
      share.ranges[i].clear(); // a cancelled loop leaves them as they were
  }
  share.divided.store(false, std::memory_order_relaxed); // published with the loop
  share.divides = true;
}

/// Of an empty construct; `told`: somebody listens.
void fill(WorkShare& share, const LoopSpec& spec, const Icv& icv, int members, bool traced) {
  Schedule schedule = resolve(spec.schedule, icv);
  share.trips = spec.range.trips;
  share.first = spec.range.first;
  share.past = spec.range.past;
  share.step = spec.range.step;
  if (share.step != 1 && leaves_type(spec.range, spec.type)) [[unlikely]] {
    share.special |= kLoopLastApart;
    share.past = share.first + share.trips * share.step;
  }
  // All of it at once: there is nobody to leave a part to. But sections come one at a time.
  if (members == 1 && spec.type != LoopType::kSections)
    schedule = {kScheduleStatic, 0};
  // A larger chunk is no different, and could overflow.
  share.chunk = std::min(schedule.chunk, std::max<uint64_t>(share.trips, 1));
  share.dispense = dispense_of({schedule.kind, share.chunk}, share.trips, members);
  // One member keeps the order by itself; listeners are told of it all the same.
  if (spec.ordered && (members > 1 || traced))
    share.special |= kLoopInOrder;
  if (traced) [[unlikely]]
    fill_for_listeners(share, spec);
  if (settings.cancellation) [[unlikely]]
    share.special |= kLoopCancellable;
  if ((share.special & kLoopInOrder) || spec.counts)
    limit_active(share, members);
  else if (spec.schedule.kind & kMayDivide) [[unlikely]]
    allow_division(share, members);
  share.next.store(0, std::memory_order_relaxed);
  share.turn.store(0, std::memory_order_relaxed);
  if (spec.counts)
    share.doacross = make_doacross(share, spec.rank, spec.counts, members);
}

} // namespace

void no_construct() { sys::fatal("the next part or the end of a loop or of sections, in none"); }

void start_loop(Member& member, const LoopSpec& spec, uintptr_t* reductions, void** memory) {
  if (reductions)
    start_reduction_group(member);
  bool first = arrive_at_construct(member);
  WorkShare& share = *member.workshare;
  if (first) {
    fill(share, spec, icv(member), member.count, member.track);
    allot_memory(share, memory);
  }
  if (reductions)
    join_reductions(member, share, reductions, first);
  if (first)
    open_construct(member);
  hand_over_memory(share, memory);
}

namespace {

/// Dispenses the loop's last iteration apart from those before it, but to the same member, if that
/// is so wanted.
bool dispense_apart(Member& member, WorkShare& share, uint64_t& begin, uint64_t& end) {
  if (construct_cancelled(member, share))
    return false;
  if (member.chunks.last_due) {
    member.chunks.last_due = false;
    begin = share.trips - 1;
    end = share.trips;
    return true;
  }
  if (!dispense(member, share, begin, end))
    return false;
  if ((share.special & kLoopLastApart) && end == share.trips && end - begin > 1) {
    --end;
    member.chunks.last_due = true;
  }
  return true;
}

/// The member comes for a chunk.
void trace_loop_begins(Member& member, const WorkShare& share, const void* codeptr) {
  if (trace::in_loop(member.work))
    return trace::chunk_ends(*member.track, member.work);
  trace::work_begins(*member.track, member.work,
                     share.traced_as ? trace::Kind::kLoop : trace::Kind::kSections, share.trips,
                     share.traced_as ? share.traced_as : uint8_t{trace::kLoopFlagDynamic}, codeptr);
}

} // namespace

[[gnu::noinline]] bool special_chunk(Member& member, WorkShare& share, uint64_t& begin,
                                     uint64_t& end) {
  if (share.special & kLoopInOrder)
    finish_ordered_chunk(member, share);
  if (share.special & kLoopLimitsActive) [[unlikely]]
    become_active(member, share);
  if (!dispense_apart(member, share, begin, end)) {
    if (share.special & kLoopLimitsActive) [[unlikely]]
      cease_active(member, share);
    return false;
  }
  if (share.special & kLoopInOrder)
    begin_ordered_chunk(member, begin, end);
  return true;
}

namespace {

/// Chunks, after a rest: others are probably still there.
constexpr uint32_t kLookSoon = 16;
constexpr int64_t kRest = 6 * sys::kTicksOfMicrosecond;

/// Members that may leave the counter to the others at a time.
uint32_t most_resting(const Member& member) {
  return static_cast<uint32_t>(std::min(member.count, settings.processors)) - 1;
}

void rest(const Member& member, WorkShare& share) {
  // Members that rested alike would come back together.
  int64_t until = sys::ticks() + kRest + member.id % 4 * (kRest / 4);
  // Relaxed, and a look first, which spares the others a line that comes and goes: it is only a
  // matter of pace that not all rest at once.
  if (share.resting.load(std::memory_order_relaxed) >= most_resting(member))
    return;
  if (share.resting.fetch_add(1, std::memory_order_relaxed) < most_resting(member))
    while (sys::ticks() < until)
      sys::pause();
  share.resting.fetch_sub(1, std::memory_order_relaxed);
}

/// From its next chunk on the member takes what it has to itself.
void have_range(ChunkCursor& chunks) {
  chunks.look_every = 0;
  chunks.until_look = 1;
}

bool end_numbered(const WorkShare& share, uint32_t chunk, uint64_t& begin, uint64_t& end) {
  begin = chunk * share.chunk;
  end = std::min(begin + share.chunk, share.trips);
  return true;
}

/// Of the chunks that are left, but for the last one of the loop, one of `parts`.
bool take_part(WorkShare& share, uint64_t parts, ChunkNumbers& taken) {
  uint64_t begin = share.next.load(std::memory_order_relaxed), end;
  do {
    if (begin >= share.trips || share.trips - begin <= share.chunk)
      return false;
    uint64_t left = (share.trips - begin - 1) / share.chunk;
    end = begin + std::min(left / parts + 1, left) * share.chunk;
  } while (!share.next.compare_exchange_weak(begin, end, std::memory_order_relaxed));
  taken = {static_cast<uint32_t>(begin / share.chunk), static_cast<uint32_t>(end / share.chunk)};
  return true;
}

/// The member has a range: its next chunk, or the first of half of its part of what is left.
bool chunk_of_range(Member& member, WorkShare& share, uint64_t& begin, uint64_t& end) {
  ChunkRange& own = share.ranges[member.id];
  uint32_t chunk;
  if (own.take(chunk)) [[likely]]
    return end_numbered(share, chunk, begin, end);
  ChunkNumbers taken;
  if (!take_part(share, 2 * static_cast<uint64_t>(member.count), taken))
    return last_chunk(member, share, begin, end);
  own.refill(taken);
  return end_numbered(share, taken.begin, begin, end);
}

} // namespace

bool last_chunk(Member& member, WorkShare& share, uint64_t& begin, uint64_t& end) {
  // Relaxed: who misses a range that is just made leaves it to whoever has it.
  if (!share.divided.load(std::memory_order_relaxed) || member.chunks.had_last)
    return false;
  have_range(member.chunks);
  uint32_t chunk;
  if (steal_chunk(share.ranges, member.id, member.count, chunk))
    return end_numbered(share, chunk, begin, end);
  return sized_chunk(share, begin, end, [&](uint64_t) { return share.chunk; });
}

bool take_turns(Member& member, WorkShare& share, uint64_t& begin, uint64_t& end) {
  ChunkCursor& chunks = member.chunks;
  if (chunks.look_every == 0) {
    chunks.until_look = 1;
    return chunk_of_range(member, share, begin, end);
  }
  bool rested = chunks.look_every == 1;
  if (rested)
    rest(member, share);
  int64_t now = sys::ticks_afterwards();
  uint64_t at = share.next.fetch_add(share.chunk, std::memory_order_relaxed);
  int64_t then = sys::ticks_afterwards();
  // With a chunk in hand it goes on: somebody may wait for that.
  bool slower = !rested && at < share.trips && (share.trips - at) / share.chunk > kMany &&
                slower_together(chunks.look_every, (at - chunks.looked_at) / share.chunk,
                                now - chunks.looked, then - now);
  if (share.divides && (slower || share.divided.load(std::memory_order_relaxed))) {
    if (slower)
      share.divided.store(true, std::memory_order_relaxed); // `last_chunk`
    have_range(chunks);
    return end_chunk(member, share, at, begin, end);
  }
  chunks.look_every = slower ? 1 : rested ? kLookSoon : ChunkCursor::kLookEvery;
  chunks.until_look = chunks.look_every;
  chunks.looked = now;
  chunks.looked_at = at;
  return end_chunk(member, share, at, begin, end);
}

bool plain_chunk(Member& member, WorkShare& share, uint64_t& begin, uint64_t& end) {
  return dispense(member, share, begin, end);
}

bool traced_chunk(Member& member, WorkShare& share, uint64_t& begin, uint64_t& end,
                  const void* codeptr) {
  if (!member.track)
    return special_chunk(member, share, begin, end);
  trace_loop_begins(member, share, codeptr);
  bool more = special_chunk(member, share, begin, end);
  if (more)
    trace::chunk_begins(*member.track, member.work, begin, end - begin);
  else
    trace::work_ends(*member.track, member.work);
  return more;
}

void trace_divided(Divided what, uint64_t trips, IterationBlock first, const void* codeptr) {
  using namespace trace;
  Member& member = me();
  if (!member.track)
    return;
  Kind kind = what == Divided::kSections ? Kind::kSections : Kind::kLoop;
  int distribute = what == Divided::kDistribute ? kLoopFlagDistribute : 0;
  work_begins(*member.track, member.work, kind, trips,
              static_cast<uint8_t>(kLoopFlagStatic | distribute), codeptr);
  if (first.begin < first.end)
    dispatch_begins(*member.track, member.work, first.begin, first.end - first.begin);
}

void trace_end_of_divided() {
  Member& member = me();
  if (member.track)
    trace::work_ends(*member.track, member.work);
}

void prepare_loop(Team& team, void* with) {
  auto& spec = *static_cast<const LoopSpec*>(with);
  fill(prepare_construct(team), spec, team.icv, team.count, team.creator->track);
}

void start_parallel_loop(void (*body)(void*), void* argument, unsigned threads,
                         const LoopSpec& spec, const trace::CallSite& site) {
  start_parallel(body, argument, threads, site, prepare_loop, as_argument(spec));
}

} // namespace xomp
