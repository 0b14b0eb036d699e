// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How members come to tell listeners what they do (trace/stream.h), and when they stop. Each member
// updates its own tracing when it begins in a region; nobody changes another one's paths.
#pragma once
#include "team/team.h"

namespace xomp {

/// A member begins in a region: are there listeners now?
void update_tracing(Member& member);
/// The calling thread, in whatever it is in the middle of, in all teams in which it acts.
void update_tracing_now(Member& member);

/// What the master tells of the region that it opens, and of its end.
void trace_region_begins(Team& team, Member& creator, const trace::RegionCall& call);
/// `frame`: of the function that calls the master's body.
void trace_frame(Member& master, const void* frame);
void join_traced(Member& master);
/// Another member comes to the join.
void trace_implicit_ends(Member& member);

/// Of the region that the member is in; 0: nobody listened when it began.
uint64_t region_id(const Member& member);
/// Where in the program it was opened; null: nobody listened when it began.
const void* region_codeptr(const Member& member);

/// Where a tool listens: masked and master, by the thread that executes the region; a flush. Both
/// as far as the program calls for them.
[[gnu::cold]] void trace_masked(ompt_scope_endpoint_t endpoint, const void* codeptr);
[[gnu::cold]] void trace_flush(const void* codeptr);

/// For a tool: the thread runs the teams of a `teams` region one after the other, each of which is
/// an initial task. `next` makes it the team of that number.
void run_league_traced(Member& member, int teams, const trace::CallSite& site,
                       void (*next)(Member&, int), void (*body)(void*), void* data);

/// The thread comes to an initial task that it has not begun in (`update_tracing`): the rest of
/// another thread's.
void trace_initial_begins(Member& member);
/// The function of the program that the member's task executes; null: nobody listens, or it is a
/// thread's initial task.
const void* function_of(const Member& member);
/// What the member's initial task executes, for tools, as `function_of` says.
void trace_initial_function(Member& member, const void* function);
/// The thread's initial task is over.
void trace_initial_ends(Member& member);

/// A tool is looked for, before the first thread is met.
void meet_tool();

/// The thread ends; nothing is told of it any more.
void leave_track(Thread& thread);

/// Begins to record, also in the middle of a region: as far as the calling thread is concerned at
/// once, elsewhere from the next region on. 0, or an errno value.
int start_recording(const char* folder);
int stop_recording();

} // namespace xomp
