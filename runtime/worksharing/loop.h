// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Worksharing loops: which thread executes which iterations. Inside, a loop of any type and
// direction is the iterations 0 .. trips-1; bounds are kept modulo 2^64 and come back in the
// program's type.
#pragma once
#include <type_traits>

#include "team/region.h"
#include "worksharing/workshare.h"

namespace xomp {

/// The bounds of a loop `for (i = first; i < past; i += step)`, or downwards with `>`.
struct LoopRange {
  uint64_t first, past, step;
  uint64_t trips;
};

constexpr LoopRange range_up(uint64_t first, uint64_t past, uint64_t step, bool empty) {
  return {first, past, step, empty ? 0 : (past - first - 1) / step + 1};
}
constexpr LoopRange range_down(uint64_t first, uint64_t past, uint64_t step, bool empty) {
  return {first, past, step, empty ? 0 : (first - past - 1) / (0 - step) + 1};
}
constexpr LoopRange signed_range(long first, long past, long step) {
  auto f = static_cast<uint64_t>(first), p = static_cast<uint64_t>(past);
  auto s = static_cast<uint64_t>(step);
  return step > 0 ? range_up(f, p, s, first >= past)
                  : range_down(f, p, s, step == 0 || first <= past);
}
constexpr LoopRange unsigned_range(bool up, uint64_t first, uint64_t past, uint64_t step) {
  return up ? range_up(first, past, step, step == 0 || first >= past)
            : range_down(first, past, step, step == 0 || first <= past);
}

/// Iterations begin .. end-1.
struct IterationBlock {
  uint64_t begin, end;
};

/// The block of a static schedule without chunks that the one of number `id` executes: the first
/// blocks are an iteration larger. As compilers divide a static loop in place, because two static
/// loops of the same length must be divided alike (OpenMP 5.2, 11.5.3).
constexpr IterationBlock block_of(uint64_t trips, uint64_t members, uint64_t id) {
  uint64_t size = trips / members, larger = trips % members;
  uint64_t begin = size * id + (id < larger ? id : larger);
  return {begin, begin + size + (id < larger)};
}

/// Which entry points a loop came through: those over long, whose variable may be of any narrower
/// type or unsigned int as well, or those over unsigned long long, up or down; or it is sections.
enum class LoopType : uint8_t { kLong, kUnsignedUp, kUnsignedDown, kSections };

/// Whether the last increment leaves the range of a type that the loop's variable may have. Then
/// its value wraps around, and compares with `past` as if the loop went on. It ends if its bound
/// has wrapped around as well, but with such a bound a chunk ends after its first iteration: the
/// last iteration has to be a chunk of its own.
[[gnu::cold]] constexpr bool leaves_type(const LoopRange& range, LoopType type) {
  uint64_t end = range.first + range.trips * range.step;
  if (range.trips == 0 || end == range.past)
    return false;
  if (type != LoopType::kLong)
    return type == LoopType::kUnsignedUp ? end < range.past : end > range.past;
  auto from = static_cast<int64_t>(range.past), to = static_cast<int64_t>(end);
  bool up = static_cast<int64_t>(range.step) > 0;
  if (up ? to < from : to > from)
    return true;
  for (int bits : {7, 15, 31}) {
    int64_t beyond = int64_t{1} << bits; // signed types up, unsigned ones, signed ones down
    if (up ? (from < beyond && to >= beyond) || (from < 2 * beyond && to >= 2 * beyond)
           : from >= -beyond && to < -beyond)
      return true;
  }
  return false;
}

/// The schedule clause. `kind` as the GNU ABI numbers it: 0 is runtime, the others are
/// ScheduleKind, and auto stands for runtime with the nonmonotonic modifier; with kMonotonic or
/// without, or with kMayDivide. Chunk 0: none given.
struct Schedule {
  uint32_t kind;
  uint64_t chunk;
};
inline constexpr uint32_t kScheduleRuntime = 0;
/// Dynamic: chunks may be handed out in any order.
inline constexpr uint32_t kMayDivide = 1u << 30;

/// What a loop construct says. `counts` (ordered(n) with n = `rank` loops) makes it a doacross
/// loop, whose range is 0 .. counts[0]-1.
struct LoopSpec {
  LoopRange range;
  Schedule schedule;
  bool ordered = false;
  LoopType type = LoopType::kLong;
  unsigned rank = 0;
  const uint64_t* counts = nullptr;
};

/// The member comes to a loop. `reductions`: task reductions, `memory`: see allot_memory; both may
/// be null.
void start_loop(Member& member, const LoopSpec& spec, uintptr_t* reductions = nullptr,
                void** memory = nullptr);
/// parallel combined with a loop, up to GCC 4.8: opens the region, as start_parallel does, with the
/// members inside the loop.
void start_parallel_loop(void (*body)(void*), void* argument, unsigned threads,
                         const LoopSpec& spec, const trace::CallSite& site);
/// Makes the loop of such a region before its members come. `with`: `as_argument(spec)`.
void prepare_loop(Team& team, void* with);
inline void* as_argument(const LoopSpec& spec) { return const_cast<LoopSpec*>(&spec); }
/// Runs such a region with its body and end. Inline, so that the return address is the program's.
[[gnu::always_inline]] inline void parallel_loop(void (*body)(void*), void* argument,
                                                 unsigned threads, unsigned bind,
                                                 const LoopSpec& spec) {
  parallel(body, argument, threads, bind, nullptr, prepare_loop, as_argument(spec));
}

/// Of loops whose chunks are so brief that handing them out is what costs: now and then a member
/// leaves the counter to the others for a moment, or the members have ranges of chunks
/// (worksharing/README.md). Called with no chunk in hand, takes one as `dynamic_chunk` does.
[[gnu::noinline]] bool take_turns(Member& member, WorkShare& share, uint64_t& begin, uint64_t& end);
/// The counter has none left, or only the loop's last one: one of others' ranges, where members
/// have such, or that. Whoever has the last one gets no other, as what its variables hold after
/// that is what is left of the loop (`lastprivate`).
[[gnu::noinline, gnu::cold]] bool last_chunk(Member& member, WorkShare& share, uint64_t& begin,
                                             uint64_t& end);
/// The chunk that begins at `at`, where there is one left.
[[gnu::always_inline]] inline bool end_chunk(Member& member, WorkShare& share, uint64_t at,
                                             uint64_t& begin, uint64_t& end) {
  if (at >= share.trips) [[unlikely]]
    return share.divides && last_chunk(member, share, begin, end);
  uint64_t left = share.trips - at;
  begin = at;
  end = at + (left < share.chunk ? left : share.chunk);
  return true;
}
/// The next chunk of a dynamic loop.
[[gnu::always_inline]] inline bool dynamic_chunk(Member& member, WorkShare& share, uint64_t& begin,
                                                 uint64_t& end) {
  if (--member.chunks.until_look == 0) [[unlikely]]
    return take_turns(member, share, begin, end);
  // Relaxed: which iterations go where is all that the counter says; construct entry published the
  // rest.
  uint64_t at = share.next.fetch_add(share.chunk, std::memory_order_relaxed);
  return end_chunk(member, share, at, begin, end);
}

/// The member's next chunk of iterations; false when there is none for it.
bool plain_chunk(Member& member, WorkShare& share, uint64_t& begin, uint64_t& end);
bool special_chunk(Member& member, WorkShare& share, uint64_t& begin, uint64_t& end);
bool traced_chunk(Member& member, WorkShare& share, uint64_t& begin, uint64_t& end,
                  const void* codeptr);
/// Inline, so that the return address is the program's. `known`: see trace::NothingKnown.
template <class Known = trace::NothingKnown>
[[gnu::always_inline]] inline bool next_chunk(Member& member, uint64_t& begin, uint64_t& end,
                                              Known known = {}) {
  WorkShare& share = *member.workshare;
  if (share.dispense == Dispense::kDynamic && share.special == 0)
    return dynamic_chunk(member, share, begin, end);
  if (share.special == 0) [[likely]]
    return plain_chunk(member, share, begin, end);
  if (!(share.special & kLoopTraced)) [[likely]]
    return special_chunk(member, share, begin, end);
  const void* codeptr = __builtin_return_address(0);
  return known.template call<traced_chunk>(codeptr, member, share, begin, end, codeptr);
}

/// The chunk in the loop's own bounds.
template <class Number, class Known = trace::NothingKnown>
[[gnu::always_inline]] inline bool next_bounds(Member& member, Number* first, Number* past,
                                               Known known = {}) {
  uint64_t begin, end;
  if (!next_chunk(member, begin, end, known))
    return false;
  const WorkShare& share = *member.workshare;
  *first = static_cast<Number>(share.first + begin * share.step);
  // The last chunk ends where the loop does: one step further could be beyond the type's range
  // (`leaves_type`: where it is, that is where the loop ends).
  *past = static_cast<Number>(end == share.trips ? share.past : share.first + end * share.step);
  return true;
}

/// What a program divides in place, where it says so (abi/llvm/static_loop.cc).
enum class Divided : uint8_t { kLoop, kSections, kDistribute };

/// Somebody listens: the calling thread has its part of it, which begins with the chunk `first`,
/// and has come to that part's end.
[[gnu::cold]] void trace_divided(Divided what, uint64_t trips, IterationBlock first,
                                 const void* codeptr);
[[gnu::cold]] void trace_end_of_divided();

} // namespace xomp
