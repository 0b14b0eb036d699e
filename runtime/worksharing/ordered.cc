// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "worksharing/ordered.h"

#include "events/events.h"
#include "task/activity.h"
#include "worksharing/active_members.h"

namespace xomp {
namespace {

void await_turn(Member& member, WorkShare& share, const void* codeptr) {
  uint64_t begin = member.chunks.begin;
  auto turn_is_here = [&] { return share.turn.load(std::memory_order_acquire) >= begin; };
  if (turn_is_here())
    return;
  Activity here(member, ActivityKind::kOrdered);
  trace::Waiting traced(member.track, trace::Kind::kOrdered, codeptr);
  ActiveSpinPolicy spin_policy(member, share);
  share.events.await([&] { return turn_is_here() || earlier_may_miss(member, share); }, spin_policy,
                     sys::channel_of(begin));
}

/// The regions of a static loop lose their order when the region is cancelled, but still exclude
/// each other. Nobody ever waits here else.
bool locks(const WorkShare& share) {
  return (share.special & kLoopCancellable) && share.dispense == Dispense::kStatic;
}

void pass_turn(Member& member, WorkShare& share) {
  uint64_t end = member.chunks.end;
  member.chunks.begin = end;
  // Release: the ordered regions before come before those of the next chunk.
  share.turn.store(end, std::memory_order_release);
  share.events.notify(sys::channel_of(end));
}

} // namespace

void finish_ordered_chunk(Member& member, WorkShare& share) {
  if (member.chunks.begin == member.chunks.end)
    return;
  await_turn(member, share, nullptr);
  pass_turn(member, share);
}

void enter_ordered(Member& member, WorkShare& share, const void* codeptr) {
  await_turn(member, share, codeptr);
  if (locks(share))
    share.ordered_lock.lock();
}

void enter_ordered_traced(Member& member, WorkShare& share, const void* codeptr) {
  trace::mutex_asked(*member.track, &share.turn, trace::MutexKind::kOrdered, false, codeptr);
  enter_ordered(member, share, codeptr);
  if (member.track)
    trace::ordered_begins(*member.track, &share.turn, codeptr);
}

void leave_ordered(Member& member, WorkShare& share, const void* codeptr) {
  if (locks(share))
    share.ordered_lock.unlock();
  // An iteration has at most one ordered region (OpenMP 5.2, 15.10): these were all that the chunk
  // can have.
  if (++member.chunks.ordered == member.chunks.end - member.chunks.begin)
    pass_turn(member, share);
  if (member.track) [[unlikely]]
    trace::ordered_ends(*member.track, &share.turn, codeptr);
}

} // namespace xomp
