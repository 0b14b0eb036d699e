// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "worksharing/ordered.h"

#include "events/events.h"
#include "task/whereabouts.h"
#include "worksharing/ration.h"

namespace xomp {
namespace {

void await_turn(Member& member, WorkShare& share, const void* place) {
  uint64_t begin = member.chunks.begin;
  auto turn_is_here = [&] { return share.turn.load(std::memory_order_acquire) >= begin; };
  if (turn_is_here())
    return;
  Whereabouts here(member, Doing::kOrdered);
  trace::Waiting told(member.track, trace::Kind::kOrdered, place);
  ActivePatience patience(member, share);
  share.events.await([&] { return turn_is_here() || earlier_may_miss(member, share); }, patience,
                     sys::channel_of(begin));
}

/// The regions of a static loop lose their order when the region is cancelled, but still exclude
/// each other. Nobody ever waits here else.
bool locks(const WorkShare& share) {
  return share.cancellable && share.dispense == Dispense::kStatic;
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

void enter_ordered(Member& member, WorkShare& share, const void* place) {
  if (member.track) [[unlikely]]
    trace::mutex_asked(*member.track, &share.turn, trace::MutexKind::kOrdered, false, place);
  await_turn(member, share, place);
  if (locks(share))
    share.ordered_lock.lock();
  if (member.track) [[unlikely]]
    trace::ordered_begins(*member.track, &share.turn, place);
}

void leave_ordered(Member& member, WorkShare& share, const void* place) {
  if (locks(share))
    share.ordered_lock.unlock();
  // An iteration has at most one ordered region (OpenMP 5.2, 15.10): these were all that the chunk
  // can have.
  if (++member.chunks.ordered == member.chunks.end - member.chunks.begin)
    pass_turn(member, share);
  if (member.track) [[unlikely]]
    trace::ordered_ends(*member.track, &share.turn, place);
}

} // namespace xomp
