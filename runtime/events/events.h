// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The event points: what the runtime tells whoever listens. Called only where somebody does, that
// is, by a worker that has a track. Here each becomes a record of the recorder; another listener
// gets its calls here as well, so that the runtime has one set of points.
//
// Everything is told by the thread that it happens to. A span is told when it begins, because a
// listener may want that, and recorded when it ends.
#pragma once
#include <atomic>
#include <cstdint>

#include "ompt/tool_events.h"
#include "sys/assert.h"
#include "sys/ticks.h"
#include "trace/stream.h"
#include "trace/task_trace.h"
#include "trace/track.h"

namespace xomp::trace {

using Code = const void*; ///< an address in the program

inline uint64_t address(Code code) { return reinterpret_cast<uintptr_t>(code); }

// ---- threads ----

/// The calling thread is met, or made. Its track.
Track& thread_begins(bool programs_own);
void thread_ends(Track& track);

// ---- regions ----

/// Of one parallel region, in its team.
struct RegionTrace {
  uint64_t id = 0;
  uint64_t region = 0; ///< which of the team's regions this is about
  int64_t begin = 0;
  uint64_t body = 0;
  /// Ticks when the master had waited for all. Release and acquire are those of the region's
  /// announcement: read by members that have been called to the next one.
  std::atomic<int64_t> joined{0};
  Code codeptr = nullptr; ///< of its construct
  ToolRegion tool;        ///< set only where a tool is there
};

/// How a region is asked for, as far as listeners want to know.
struct RegionCall {
  CallSite site;
  unsigned threads; ///< the program's wish; 0: it has none
  bool runs_itself; ///< the program calls the master's body
};

/// The master is about to open it; `region`: its number in the team, which has so many `threads`.
void region_begins(Track& track, RegionTrace& trace, uint64_t region, Code body, int threads,
                   const RegionCall& call);
/// It is over, and the master's implicit task as well.
void region_ends(Track& track, RegionTrace& trace, int threads);

/// A member's part in a region.
struct Part {
  RegionTrace& region;
  int number;
  bool initial; ///< not of a parallel region: an initial task
};

/// `outer`: what the thread was in the middle of.
void implicit_begins(Track& track, TaskTrace& task, TaskTrace* outer, uint64_t body,
                     const Part& part);
/// Its body has ended; the join follows. `region`: id, `member`: number in it.
void implicit_ends(Track& track, TaskTrace& task, uint64_t region, int member);
/// The thread is not in it any more.
void implicit_left(Track& track, TaskTrace& task);

// ---- explicit tasks ----

/// What is known when a task is created, for a task in whose memory `task` lies.
inline void task_created(Track& track, TaskTrace& task, Code body, uint8_t flags, uint8_t domain,
                         uint8_t data_domain) {
  XOMP_ASSERT(track.is_own());
  task.id = track.next_id();
  task.parent = track.task();
  task.body = address(body);
  task.creator = track.number;
  task.creator_domain = domain;
  task.data_domain = data_domain;
  task.flags = flags;
  task.notable = false;
}

/// A deferred task is there, and its creator goes on.
void task_deferred(Track& track, const TaskTrace& task);

/// It has a dependence on one list item; all memory: null. `kind`: 0 in, 1 out or inout, 2
/// inoutset, 3 mutexinoutset.
void task_depends(Track& track, const TaskTrace& task, const void* item, uint8_t kind);

/// Inline, so that `frame` is that of the function that calls the body.
[[gnu::always_inline]] inline void task_begins(Track& track, TaskTrace& task) {
  XOMP_ASSERT(track.is_own() && track.current != &task);
  bool tool_listens = listening(kTool);
  if (tool_listens) [[unlikely]]
    tool_task_begins(track, task.tool, __builtin_dwarf_cfa());
  task.outer = track.current;
  track.current = &task;
  if (tool_listens && task.tool.chunk.iterations) [[unlikely]]
    tool_dispatch(track, ompt_dispatch_taskloop_chunk, {.ptr = &task.tool.chunk});
  task.begin = sys::ticks();
}

/// How a task's body has ended.
struct Ending {
  uint8_t flags = 0; ///< more of Task's in trace/flags.def
  bool cancelled = false, detachable = false;
};

[[gnu::always_inline]] inline void task_ends(Track& track, TaskTrace& task, Ending how = {}) {
  int64_t end = sys::ticks();
  XOMP_ASSERT(track.is_own() && track.current == &task);
  track.current = task.outer;
  if (listening(kTool)) [[unlikely]]
    tool_task_ends(track, task.tool, task.outer ? &task.outer->tool : nullptr,
                   how.cancelled ? ompt_task_cancel : ompt_task_complete, how.detachable);
  if (listening(kRecorder)) [[likely]]
    track.writer.write_task(task.begin, end, task.id, task.parent, task.body,
                            {Kind::kTask, static_cast<uint8_t>(task.flags | how.flags),
                             task.creator_domain, task.data_domain, task.creator},
                            task.notable);
}

/// It will not run. `by_region`: its region is cancelled, not its taskgroup.
void task_discarded(Track& track, TaskTrace& task, uint8_t flags, bool by_region);

/// Of a task that was created when nobody listened, and is run now.
void task_met(Track& track, TaskTrace& task, Code body);

/// A taskgroup begins; its end is a wait.
void group_begins(Track& track, Code codeptr);

// ---- mutual exclusion ----

enum class MutexKind : uint8_t {
  kCritical = 1,
  kLock = 2,
  kNestLock = 3,
  kAtomic = 4,
  kOrdered = 5, ///< told to a tool alone; for the recorder it is a wait
};

/// The thread is about to ask for it; `tries`: it goes on without it when another has it.
void mutex_asked(Track& track, const void* mutex, MutexKind kind, bool tries, Code codeptr);
/// It tried in vain.
void mutex_missed(Track& track);
/// The thread asked for it at `asked` and has it now; `waited`: another had it.
void mutex_acquired(Track& track, const void* mutex, MutexKind kind, bool tries, Code codeptr,
                    int64_t asked, bool waited);
/// It gives it back; nothing is recorded if nobody listened when it got it.
void mutex_released(Track& track, const void* mutex, MutexKind kind, Code codeptr);
/// ordered regions exclude one another, too; what they waited is another wait.
void ordered_begins(Track& track, const void* loop, Code codeptr);
void ordered_ends(Track& track, const void* loop, Code codeptr);
/// A nestable lock's owner takes it once more, or gives that back.
void lock_entered_again(Track& track, const void* mutex, Code codeptr);
void lock_left_once(Track& track, const void* mutex, Code codeptr);

// ---- worksharing ----

/// The loop or the sections that an implicit task has a part in, as far as chunks come from the
/// runtime; for a tool a single as well. In its member.
struct WorkTrace {
  Kind kind = Kind::kNone; ///< kNone: none
  uint8_t flags;
  bool in_chunk;
  int64_t begin, chunk_begin;
  uint64_t trips, place;
  uint64_t first, count; ///< of the chunk
};

/// Whether listeners know of its part in a loop or in sections, which has not ended.
inline bool in_loop(const WorkTrace& work) {
  return work.kind == Kind::kLoop || work.kind == Kind::kSections;
}
/// The thread comes to its first chunk. `flags`: those of LOOP in docs/perflog-format.md.
void work_begins(Track& track, WorkTrace& work, Kind kind, uint64_t trips, uint8_t flags,
                 Code codeptr);
/// A tool alone is told of a chunk that begins, or a section (OMPT's dispatch). Of what the program
/// divides itself that is the first: it does not tell where that ends, nor of the next ones.
void dispatch_begins(Track& track, const WorkTrace& work, uint64_t first, uint64_t count);
void chunk_begins(Track& track, WorkTrace& work, uint64_t first, uint64_t count);
/// It comes for the next one.
void chunk_ends(Track& track, WorkTrace& work);
/// Its part is done.
void work_ends(Track& track, WorkTrace& work);

/// A taskloop, in which its tasks are created; `grouped`: it is a taskgroup as well.
void taskloop_begins(Track& track, uint64_t trips, Code codeptr, bool grouped);
void taskloop_ends(Track& track, uint64_t trips, Code codeptr);
/// The next task that is created is one of its chunks; no `count`: none is.
inline void taskloop_chunk(Track& track, uint64_t first, uint64_t count) {
  track.tool.chunk = {first, count};
}

/// For a tool the thread that executes it is in it until its part in something else begins or ends,
/// as compilers do not tell when.
void single_met(Track& track, WorkTrace& work, bool executes, Code codeptr);

/// ordered(n): `kind` is ompt_dependence_type_source or sink, of an iteration vector.
void doacross_traced(Track& track, ompt_dependence_type_t kind, const uint64_t* iteration,
                     unsigned rank);

/// Construct and ompt_cancel_activated or detected, in the numbers of OMPT.
void cancel_traced(Track& track, int flags, Code codeptr);
/// The error directive. By any thread.
void error_traced(ompt_severity_t severity, const char* message, std::size_t length, Code codeptr);
/// omp_control_tool.
int control_tool(uint64_t command, uint64_t modifier, void* argument, const CallSite& site);

// ---- balance ----

/// Tasks came from the worker on track `other`, or went there (kStealFlagGiven); none after all: 0.
void tasks_stolen(Track& track, uint32_t other, uint64_t tasks, uint8_t flags);
/// The worker on track `other` was asked for tasks, or sleeps, which asks this one
/// (kStealFlagGiven).
void tasks_requested(Track& track, uint32_t other, uint8_t flags);

// ---- waiting ----

/// A wait of the current task, for its scope. Null: nobody listens.
class Waiting {
public:
  /// `joined`: see `RegionTrace`; for a thread that finds out late that a wait is over.
  /// Inline, as the frame that enters the wait is the caller's.
  [[gnu::always_inline]] Waiting(Track* track, Kind kind, Code codeptr, uint64_t other = 0,
                                 uint8_t flags = 0, const std::atomic<int64_t>* joined = nullptr)
      : track(track) {
    if (track) [[unlikely]]
      begin(kind, {codeptr, __builtin_dwarf_cfa()}, other, flags, joined);
  }
  ~Waiting() {
    if (track) [[unlikely]]
      end();
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  Kind what() const { return kind; }
  /// From here on the wait has nothing to run, or something again.
  void stalls(bool begins) const;
  /// When the wait was over; now, if it is not.
  int64_t end_of_wait() const;

private:
  void begin(Kind what, const CallSite& where, uint64_t with, uint8_t how,
             const std::atomic<int64_t>* joined_at);
  void end();
  void trace_stall(bool begins) const;
  bool as_sync_region(ompt_sync_region_t& region) const;
  bool joins() const { return kind == Kind::kBarrier && flags & kBarrierFlagJoin; }

  Track* track;
  Waiting* outer;
  Kind kind;
  uint8_t flags;
  int64_t since;
  Code codeptr;
  uint64_t other;
  const std::atomic<int64_t>* joined;
};

/// Inside a wait: whether there is anything to run.
class Stalling {
public:
  void looked_in_vain(Track* track) {
    if (track && !since) [[unlikely]]
      begin(*track);
  }
  void sleeps(Track* track) {
    if (track && !slept) [[unlikely]]
      falls_asleep(*track);
  }
  /// There is a task, or the wait is over.
  void ends(Track* track) {
    if (since) [[unlikely]]
      end(*track);
  }

private:
  void begin(Track& track);
  void falls_asleep(Track& track);
  void end(Track& track);

  int64_t since = 0;
  bool slept = false;
};

} // namespace xomp::trace
