// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "worksharing/task_reduction.h"

#include "sys/report.h"
#include "task/group.h"
#include "task/reduction.h"
#include "team/barrier.h"
#include "team/region.h"

namespace xomp {

void start_reduction_group(Member& member) {
  if (member.track)
    trace::group_begins(*member.track, nullptr);
  open_group(member).workshare = true;
}

void join_reductions(Member& member, WorkShare& share, uintptr_t* chain, bool first) {
  if (first) {
    register_group_reductions(member, chain);
    share.reductions = share_copies(chain);
  } else {
    adopt_copies(chain, reductions_in_force(member), member.count, *share.reductions);
  }
  hold_copies(*share.reductions);
  member.env->group->reductions = chain;
  member.env->group->copies = share.reductions;
}

void start_scope(Member& member, uintptr_t* chain) {
  start_reduction_group(member);
  bool first = arrive_at_construct(member);
  join_reductions(member, *member.workshare, chain, first);
  if (first)
    open_construct(member);
  leave_construct(member);
}

Taskgroup& reduction_group(const Member& member) {
  Taskgroup& group = innermost_group(member);
  if (!group.copies) [[unlikely]]
    sys::fatal("the end of a reduction of tasks that has not begun, or not in this child of fork");
  return group;
}

void end_reductions(Member& member, bool cancelled, const void* codeptr) {
  SharedCopies* copies = reduction_group(member).copies;
  taskgroup_end(member, codeptr);
  drop_copies(copies);
  if (!cancelled)
    barrier_at(member, codeptr);
}

unsigned parallel_reductions(void (*body)(void*), void* argument, unsigned threads, unsigned bind,
                             const trace::CallSite& site) {
  unsigned members = 0;
  struct Combined {
    uintptr_t* chain;
    unsigned* members;
  } combined{*static_cast<uintptr_t**>(argument), &members};
  auto prepare = [](Team& team, void* with) {
    auto& to = *static_cast<Combined*>(with);
    register_reductions(to.chain, nullptr, team.count);
    team.reductions = to.chain;
    *to.members = static_cast<unsigned>(team.count);
  };
  parallel_traced(body, argument, threads, bind, site, prepare, &combined);
  return members;
}

} // namespace xomp
