// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of the ways a task goes that is not simply written to the stack.
#include "task/create.h"

#include "sys/assert.h"
#include "task/create_deferred.h"
#include "task/create_on_stack.h"
#include "task/event.h"
#include "task/run.h"

namespace xomp {

namespace {

[[gnu::always_inline]] inline void create(Worker& worker, const TaskSpec& spec) {
  bool deferrable = may_defer(worker, spec);
  if (spec.flags & kTaskDepend)
    return create_with_dependences(worker, spec, deferrable);
  if (deferrable && fits_on_stack(worker, spec))
    return create_on_stack(worker, spec);
  create_deferred(worker, spec, deferrable);
}

[[gnu::noinline]] void create_examined(Worker& worker, const TaskSpec& spec) {
  if (!cancelled(worker, *worker.env)) {
    TaskSpec examined = spec;
    examined.flags |= flags_where_examined(worker, spec);
    return create(worker, examined);
  }
  if (spec.flags & kTaskDiscards)
    discard(worker, spec.body, spec.data);
  if (spec.flags & kTaskEventOpen)
    close_event(*static_cast<EventHandle*>(spec.detach));
  else if (spec.flags & kTaskDetach)
    *static_cast<EventHandle*>(spec.detach) = kNoEvent;
}

} // namespace

void create_task(Worker& worker, const TaskSpec& spec) {
  XOMP_ASSERT(self == &worker && worker.env && begun(worker));
  if (settings.examines_tasks) [[unlikely]]
    return create_examined(worker, spec);
  create(worker, spec);
}

void create_empty(Worker& worker, const DependList& depend, const void* codeptr) {
  TaskSpec spec{};
  spec.body = [](void*) {};
  spec.align = 1;
  spec.deferrable = true;
  spec.flags = kTaskDepend;
  spec.depend = depend;
  spec.codeptr = spec.calls = codeptr;
  create_task(worker, spec);
}

} // namespace xomp
