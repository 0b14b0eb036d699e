// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/member.h"

#include "conf/settings.h"
#include "task/board.h"
#include "task/environment.h"
#include "task/family.h"
#include "team/affinity.h"
#include "team/listen.h"
#include "team/workshare.h"

namespace xomp {
namespace {

/// What one of so many regions needed is kept for the next ones. A trim costs as much as it frees,
/// and so does taking memory afresh: spread over so many regions, neither can be measured. Without
/// any, each of many workers would keep the most that it ever needed.
constexpr uint32_t kRegionsPerTrim = 256;

void give_back(Member& member) {
  // What is on the board is stale, and cannot be freed while it is there.
  clear_board(member.tasks->board);
  trim(member);
}

void take_place(Member& member) {
  Thread& thread = *member.thread;
  if (member.place >= 0) {
    if (thread.bound_place != member.place && bind_thread(member.place))
      thread.bound_place = member.place;
    thread.places = member.partition;
  }
  if (settings.display_affinity && member.team->level > 0 &&
      (thread.shown_level != member.team->level || thread.shown_count != member.count)) {
    thread.shown_level = member.team->level;
    thread.shown_count = member.count;
    display_affinity(member, nullptr);
  }
}

[[gnu::noinline]] void begin_specially(Member& member) {
  if (place_count() || settings.display_affinity)
    take_place(member);
  attune(member);
}

} // namespace

void begin_member(Member& member) {
  end_member(member);
  if (member.seen % kRegionsPerTrim == 0) [[unlikely]]
    give_back(member);
  member.implicit_env = Env{nullptr, &member.team->icv, 0};
  member.env = &member.implicit_env;
  member.default_allocator = member.start.default_allocator;
  member.stack_limit = member.thread->stack_limit;
  if (member.count == 1)
    member.gate.store(member.stack_limit, std::memory_order_relaxed);
  act_in(member);
  workshare_member_start(member);
  if (beginnings_ask.load(std::memory_order_relaxed)) [[unlikely]]
    begin_specially(member);
}

void end_member(Member& member) {
  if (Family* family = member.top) {
    member.top = nullptr;
    member.above = 1;
    if (part(member, *family))
      settle(member, *family);
  }
  release_env(member.implicit_env);
}

} // namespace xomp
