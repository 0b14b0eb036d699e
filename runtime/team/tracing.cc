// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/tracing.h"

#include <cstdlib>
#include <utility>

#include "conf/settings.h"
#include "events/events.h"
#include "ompt/tool.h"
#include "task/full_frame.h"
#include "team/barrier.h"
#include "team/constructs.h"
#include "team/member.h"
#include "team/thread.h"
#include "trace/recorder.h"

namespace xomp {

uint64_t region_id(const Member& member) {
  const trace::RegionTrace& trace = member.team->trace;
  return trace.region == member.region_seen ? trace.id : 0;
}

namespace {

trace::Track* track_of(Thread& thread) {
  if (!trace::listening(~uint32_t{0}))
    return nullptr;
  if (!thread.track) {
    if (trace::tool_starts())
      return nullptr;
    thread.track = &trace::thread_begins(thread.initial != nullptr);
  }
  thread.track->tool.places = &thread.places;
  thread.track->tool.base = thread.base;
  return thread.track;
}

/// Whether all creations take the slow path, and barriers ask.
void choose_paths(Member& member) {
  bool open = member.track || settings.creates_slowly();
  member.creates_slowly = open;
  member.barriers_ask = member.track || settings.cancellation;
  member.at_single = member.track ? AtSingle::kLook : way_at_single(member);
  member.track_number.store(member.track ? member.track->number : 0, std::memory_order_relaxed);
  if (open)
    member.gate.store(kGateOpen, std::memory_order_relaxed);
  choose_stack(member);
}

trace::Code code_of(void (*body)(void*)) { return reinterpret_cast<trace::Code>(body); }

/// `outer`: what the thread was in the middle of.
void trace_implicit_begins(Member& member, trace::TaskTrace* outer) {
  trace::Track& track = *member.track;
  track.domain = static_cast<uint8_t>(member.domain);
  member.work.kind = trace::Kind::kNone;
  Team& team = *member.team;
  trace::Part part{team.trace, member.id, !team.creator};
  uint64_t body = region_id(member) ? team.trace.body : trace::address(code_of(member.start.body));
  trace::implicit_begins(track, member.trace, outer, body, part);
  make_waits_traced(member);
}

/// Of the members that the thread is, the one in which it opened `member`'s team; or null.
Member* opener(const Member& member, const Thread& thread) {
  Member* creator = member.team->creator;
  return creator && creator->thread == &thread ? creator : nullptr;
}

/// From the outermost team in which the thread acts inwards.
void update_tracing_chain(Member& member, Thread& thread) {
  Member* outer = opener(member, thread);
  if (outer)
    update_tracing_chain(*outer, thread);
  bool traced = member.track;
  member.track = track_of(thread);
  choose_paths(member);
  if (!member.track || traced)
    return;
  member.work.kind = trace::Kind::kNone;
  // Nothing is known of an explicit task that it is in, nor of the implicit one then, unless that
  // was told of before.
  if (in_explicit_task(member))
    member.track->current = nullptr;
  else if (member.trace.id)
    member.track->current = &member.trace;
  else
    trace_implicit_begins(member, outer ? &outer->trace : nullptr);
}

} // namespace

void update_tracing(Member& member) {
  member.track = track_of(*member.thread);
  choose_paths(member);
  member.trace.id = 0;
  if (member.track)
    trace_implicit_begins(member, member.id == 0 ? member.track->current : nullptr);
}

void update_tracing_now(Member& member) { update_tracing_chain(member, *member.thread); }

void trace_region_begins(Team& team, Member& creator, const trace::RegionCall& call) {
  uint64_t region = team.region.load(std::memory_order_relaxed) + 1;
  trace::Code body = call.site.calls ? call.site.calls : code_of(team.members[0]->start.body);
  trace::region_begins(*creator.track, team.trace, region, body, team.count, call);
}

void trace_frame(Member& master, const void* frame) {
  if (master.track && trace::listening(trace::kTool))
    trace::tool_called_from(master.trace.tool, frame);
}

const void* region_codeptr(const Member& member) {
  return region_id(member) ? member.team->trace.codeptr : nullptr;
}

void trace_implicit_ends(Member& member) {
  if (!member.track)
    return;
  trace::work_ends(*member.track, member.work);
  if (member.trace.id)
    trace::implicit_ends(*member.track, member.trace, region_id(member), member.id);
}

void join_traced(Member& master) {
  Team& team = *master.team;
  trace::Track& track = *master.track;
  trace_implicit_ends(master);
  {
    trace::Waiting traced(&track, trace::Kind::kBarrier, region_codeptr(master), region_id(master),
                          trace::kBarrierFlagJoin);
    join(master);
  }
  // Relaxed: see `RegionTrace`.
  team.trace.joined.store(sys::ticks(), std::memory_order_relaxed);
  trace::implicit_left(track, master.trace);
  if (region_id(master))
    trace::region_ends(track, team.trace, team.count);
}

void trace_masked(ompt_scope_endpoint_t endpoint, const void* codeptr) {
  if (trace::Track* track = me().track)
    trace::tool_masked(*track, endpoint, codeptr);
}

void trace_flush(const void* codeptr) {
  if (trace::Track* track = me().track)
    trace::tool_flush(*track, codeptr);
}

namespace {

/// Not inline: the frame is that of the function that calls the body.
[[gnu::noinline]] void run_team_traced(Member& member, trace::Track& track,
                                       trace::ToolRegion& league, int number, const void* function,
                                       void (*body)(void*), void* data) {
  trace::TaskTrace* outer = track.current;
  trace::TaskTrace task; // a task for the tool; the recorder sees the outer one go on
  task.id = outer->id;
  task.parent = outer->parent;
  task.body = trace::address(function);
  task.outer = outer;
  trace::tool_team_begins(track, task.tool, league, number);
  track.current = &task;
  trace::tool_called_from(task.tool, __builtin_dwarf_cfa());
  body(data);
  trace::work_ends(track, member.work);
  trace::tool_implicit_ends(track, task.tool);
  track.current = outer;
  outer->notable |= task.notable;
}

} // namespace

void run_league_traced(Member& member, int teams, const trace::CallSite& site,
                       void (*next)(Member&, int), void (*body)(void*), void* data) {
  trace::Track& track = *member.track;
  const void* function = site.calls ? site.calls : code_of(body);
  trace::ToolRegion league;
  trace::tool_region_begins(track, league, teams, static_cast<unsigned>(teams),
                            ompt_parallel_league | unsigned{ompt_parallel_invoker_runtime}, site);
  for (int number = 0; number < teams; ++number) {
    next(member, number);
    run_team_traced(member, track, league, number, function, body, data);
  }
  trace::tool_region_ends(track, league);
}

void trace_initial_begins(Member& member) {
  if (member.track)
    trace_implicit_begins(member, nullptr);
}

const void* function_of(const Member& member) {
  trace::TaskTrace* task = member.track ? member.track->current : nullptr;
  return task ? reinterpret_cast<const void*>(task->body) : nullptr;
}

void trace_initial_function(Member& member, const void* function) {
  if (member.trace.id)
    member.trace.body = trace::address(function);
}

void trace_initial_ends(Member& member) {
  if (!member.track)
    return;
  member.trace.body = 0;
  trace_implicit_ends(member);
  trace::implicit_left(*member.track, member.trace);
}

namespace {

/// The process ends in good order. What the calling thread is not in the middle of is told to its
/// end; here and not in the library's destructor, because a tool that was loaded later is gone by
/// then.
void end_tool_with_process() {
  Member* known = self == &stranger ? nullptr : static_cast<Member*>(self);
  if (known && known->track && trace::tool_is_there() && known == known->thread->initial &&
      !in_explicit_task(*known) && known->track->current == &known->trace) {
    end_idle_teams(*known->thread);
    trace_initial_ends(*known);
    leave_track(*known->thread);
    known->track = nullptr;
  }
  trace::end_tool();
}

} // namespace

void meet_tool() {
  if (trace::start_tool())
    std::atexit(end_tool_with_process);
}

void leave_track(Thread& thread) {
  if (trace::Track* track = std::exchange(thread.track, nullptr))
    trace::thread_ends(*track);
}

int start_recording(const char* folder) {
  int error = trace::recorder.start(folder);
  update_tracing_now(me());
  return error;
}

int stop_recording() {
  int error = trace::recorder.stop();
  update_tracing_now(me());
  return error;
}

} // namespace xomp
