// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The worksharing constructs of a team. Members pass the same constructs in the same order but,
// with nowait, not at the same time: each construct lives in a slot of its own, the first member to
// arrive makes it, the last to leave frees it. Slots come in segments, a ring that grows as far as
// the first member is ahead. States and races: worksharing/README.md.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "locks/locks.h"
#include "sys/event_count.h"
#include "sys/memory.h"
#include "team/team.h"

namespace xomp {

struct Doacross;  // worksharing/doacross.h
class ChunkRange; // worksharing/ranges.h

/// Slots of a segment, a power of two. A thread that is two segments ahead of the slowest member
/// lets it catch up for a while.
inline constexpr uint32_t kSegmentSlots = 32;

/// How a construct's iterations are handed out (worksharing/loop.h). Runtime and auto are resolved
/// before.
enum class Dispense : uint8_t {
  kStatic,
  kDynamic,     ///< chunks by one fetch-and-add
  kDynamicNear, ///< dynamic near the end of the 64-bit range: compare-and-swap
  kGuided,
};

enum SpecialLoop : uint8_t {
  kLoopInOrder = 1,      ///< `ordered`
  kLoopLastApart = 2,    ///< the last iteration is a chunk of its own; worksharing/loop.h
  kLoopTraced = 4,       ///< somebody listens
  kLoopLimitsActive = 8, ///< with more threads than processors: worksharing/active_members.h
  kLoopCancellable = 16,
};

/// One worksharing construct in execution: a loop, sections, or the meeting point of a scope.
struct WorkShare {
  // What the construct is: written by the member that makes it, then read only.
  alignas(sys::kNoSharing) uint64_t trips = 0; ///< iterations
  uint64_t chunk = 0;                          ///< 0: static without chunk
  uint64_t first = 0, past = 0, step = 0;      ///< the loop's bounds, modulo 2^64
  Dispense dispense = Dispense::kStatic;
  uint8_t special = 0;   ///< SpecialLoop: why chunks are not simply handed out
  bool divides = false;  ///< its members may have ranges of chunks; worksharing/ranges.h
  uint8_t traced_as = 0; ///< what listeners are told: Loop's in trace/flags.def; 0: it is sections
  Doacross* doacross = nullptr;
  SharedCopies* reductions = nullptr; ///< task reductions, held by the construct
  void* memory = nullptr;             ///< for the program's own use; freed with the construct
  std::atomic<bool> cancelled{false}; ///< no more chunks are handed out
  std::atomic<bool> open{false};      ///< it is made
  // What all members write.
  /// First iteration not handed out.
  alignas(sys::kNoSharing) std::atomic<uint64_t> next{0};
  std::atomic<uint64_t> turn{0}; ///< first iteration whose ordered regions may not run yet
  std::atomic<uint32_t> left{0}; ///< members that are through with what it holds, if anything
  sys::EventCount events;
  std::atomic<int> active{0}; ///< members with a chunk that are awake; if kLoopLimitsActive
  sys::EventCount admission;  ///< others wait for one of these to leave
  Mutex ordered_lock;         ///< worksharing/ordered.cc
  /// Members that leave the counter to the others; off the counter's line.
  alignas(sys::kNoSharing) std::atomic<uint32_t> resting{0};
  std::atomic<bool> divided{false}; ///< somebody has a range; if `divides`
  ChunkRange* ranges = nullptr;     ///< if it has ever done so; kept for the slot's next loops
  int range_count = 0;              ///< of these

  ~WorkShare() { sys::release(ranges); }
};

struct WorkShareSegment {
  WorkShare slots[kSegmentSlots];
  std::atomic<uint32_t> claimed{0}; ///< slots that somebody has come to since it was taken: a bit
                                    ///< for each
  std::atomic<uint32_t> left{0};    ///< members that have gone on to the next segment
  std::atomic<uint32_t> number{0};  ///< of the region's constructs, from 1 on; 0: it is free
  std::atomic<WorkShareSegment*> next{nullptr}; ///< in the ring of all
};

struct WorkShares {
  WorkShares() {
    first.number.store(1, std::memory_order_relaxed);
    first.next.store(&first, std::memory_order_relaxed);
  }
  WorkShareSegment first; ///< in which each region begins
  Mutex lock;             ///< to take a segment, or put a new one into the ring
  sys::EventCount events; ///< a segment came free, or was taken
};

// What the team calls is in team/constructs.h.

/// Wakes the members that wait inside a construct, to see that the region was cancelled.
void workshare_wake(Team& team);

/// The member comes to the next construct, from now on `member.workshare`. True: it is the first,
/// and has to fill it and to call `open_construct`; the others return when that is done. In a
/// cancelled region each may be the first, in a construct of its own.
bool arrive_at_construct(Member& member);
void open_construct(Member& member);
/// A combined construct: makes construct 0 before the region starts; the members begin inside it.
WorkShare& prepare_construct(Team& team);

/// The program asks for a part of a loop or sections, or for their end, outside of any.
[[noreturn, gnu::cold]] void no_construct();
/// The member, which has to be in one.
inline Member& in_construct(Member& member) {
  if (!member.workshare) [[unlikely]]
    no_construct();
  return member;
}
/// The end of the construct that the member is in, without a barrier.
void leave_construct(Member& member);
inline void leave_construct_if_any(Member& member) {
  if (member.workshare)
    leave_construct(member);
}
/// Leaves the construct and waits at its barrier: a plain one, or one where `barriers_ask`. True:
/// the region is cancelled.
bool end_plainly(Member& member);
bool end_specially(Member& member, const void* codeptr);
/// Inline, so that the return address is the program's.
[[gnu::always_inline]] inline bool end_construct(Member& member) {
  if (member.barriers_ask) [[unlikely]]
    return end_specially(member, __builtin_return_address(0));
  return end_plainly(member);
}

/// Zeroed memory that all members get the address of: `*request` holds the size, then the address.
inline void allot_memory(WorkShare& share, void** request) {
  if (request)
    share.memory = sys::allocate_zeroed(reinterpret_cast<uintptr_t>(*request));
}
inline void hand_over_memory(const WorkShare& share, void** request) {
  if (request)
    *request = share.memory;
}

/// Whether the members are to stop handing out work.
inline bool construct_cancelled(const Member& member, const WorkShare& share) {
  return (share.special & kLoopCancellable) &&
         (share.cancelled.load(std::memory_order_relaxed) ||
          member.team->cancelled.load(std::memory_order_relaxed));
}

/// Whether an iteration before one that a member executes may never be executed: a member that was
/// to come for it is at the end of the cancelled region. What is not handed out by member is handed
/// out in order, and whoever has a part of it comes to the part's end.
inline bool earlier_may_miss(const Member& member, const WorkShare& share) {
  return construct_cancelled(member, share) &&
         (share.dispense == Dispense::kStatic || share.cancelled.load(std::memory_order_relaxed));
}

} // namespace xomp
