// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/trace_creation.h"

#include "events/events.h"
#include "sys/assert.h"
#include "task/depend.h"

namespace xomp {
namespace {

trace::Code code_of(const TaskSpec& spec) {
  return spec.calls ? spec.calls : reinterpret_cast<trace::Code>(spec.body);
}

/// As the log has it. What the program says, whether or not the policy has anything to do for it.
uint8_t domain_of_data(int said) {
  return said < 0 ? trace::kNoDomain : static_cast<uint8_t>(said);
}

uint8_t trace_flags(const Worker& worker, const TaskSpec& spec) {
  unsigned flags = 0;
  if (!may_defer(worker, spec)) [[unlikely]]
    flags =
        trace::kTaskFlagUndeferred | (worker.env->flags & kEnvFinal ? trace::kTaskFlagFinal : 0);
  if (!(spec.flags & (kTaskUntied | kTaskDepend | kTaskDetach))) [[likely]]
    return static_cast<uint8_t>(flags);
  if (spec.flags & kTaskUntied)
    flags |= trace::kTaskFlagUntied;
  if (spec.flags & kTaskDepend)
    flags |= trace::kTaskFlagDependences;
  if (spec.flags & kTaskDetach)
    flags |= trace::kTaskFlagDetachable;
  return static_cast<uint8_t>(flags);
}

/// As a log has the reason.
unsigned number_of(AtOnce why) {
  constexpr auto kFirst = static_cast<unsigned>(AtOnce::kNot) + 1;
  unsigned number = static_cast<unsigned>(why) - kFirst;
  XOMP_ASSERT(number <= 0xff >> trace::kAtOnceShift);
  return number << trace::kAtOnceShift;
}

int tool_flags(uint8_t traced, unsigned flags) {
  unsigned flags_of_tool = ompt_task_explicit;
  if (traced & trace::kTaskFlagUndeferred)
    flags_of_tool |= ompt_task_undeferred;
  if (flags & kTaskUntied)
    flags_of_tool |= ompt_task_untied;
  if (flags & kTaskFinal || traced & trace::kTaskFlagFinal)
    flags_of_tool |= ompt_task_final;
  if (flags & kTaskMergeable)
    flags_of_tool |= ompt_task_mergeable;
  return static_cast<int>(flags_of_tool);
}

/// What a tool is told of a creation. `memory`: of the arguments.
void notify_tool(trace::Track& track, trace::TaskTrace& task, const TaskSpec& spec, void* memory) {
  // Device constructs do not say where they stand.
  uintptr_t frame = spec.stack ? spec.stack : sys::stack_pointer();
  trace::tool_task_created(track, task.tool, tool_flags(task.flags, spec.flags),
                           spec.flags & kTaskDepend,
                           {spec.codeptr, reinterpret_cast<const void*>(frame)});
  task.tool.memory = memory;
  task.tool.bytes = spec.size;
}

} // namespace

void trace_run_at_once(const Worker& worker, trace::TaskTrace& task, const TaskSpec& spec,
                       int domain, AtOnce why) {
  trace::Track& track = *worker.track;
  auto flags =
      static_cast<uint8_t>(trace_flags(worker, spec) | trace::kTaskFlagAtOnce | number_of(why));
  trace::task_created(track, task, code_of(spec), flags, track.domain, domain_of_data(domain));
  if (trace::listening(trace::kTool))
    notify_tool(track, task, spec, spec.data);
  if (spec.flags & kTaskDepend) [[unlikely]]
    trace_dependences(track, task, spec.depend);
}

void trace_created(Worker& worker, DeferredTask& task, const TaskSpec& spec) {
  trace::Track& track = *worker.track;
  trace::TaskTrace& trace = trace_of(task);
  trace.created = sys::ticks();
  trace.place = trace::address(spec.codeptr);
  uint8_t flags = trace_flags(worker, spec);
  if (spec.flags & kTaskFinal)
    flags |= trace::kTaskFlagFinal;
  trace::task_created(track, trace, code_of(spec), flags, track.domain,
                      domain_of_data(worker.env->child_domain));
  if (trace::listening(trace::kTool))
    notify_tool(track, trace, spec, task.payload);
  if (spec.flags & kTaskDepend)
    trace_dependences(track, trace, spec.depend);
}

void trace_deferred(Worker& worker, DeferredTask& task) {
  if (task.traced && worker.track) [[unlikely]]
    trace::task_deferred(*worker.track, trace_of(task));
}

} // namespace xomp
