// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/wait.h"

#include "sys/cpu.h"
#include "sys/memory.h"
#include "task/depend.h"
#include "task/family.h"
#include "task/waiting.h"

namespace xomp {

void wait_for_children(Worker& worker) {
  Family& family = *worker.top;
  if (!family.live)
    return;
  wait_in_task(worker, [&] { return finished(worker, family); });
  // Every predecessor in the table is done: forget them, so that their memory is not kept. It is
  // freed when memory is needed: a look now would cost as much as tasks are named by queues.
  if (family.depends)
    clear_table(*family.depends);
}

void taskwait_depend(Worker& worker, void** depend) {
  Family* family = family_of_current(worker);
  if (!family || !family->depends)
    return;
  DependList list(depend);
  std::size_t bound = 0;
  for_each_predecessor(*family, list, [&](DeferredTask&) { ++bound; });
  if (bound == 0)
    return;
  // The predecessors are kept by their table references while we wait: nobody enters new ones
  // meanwhile, except tasks that run below this wait, and those have families of their own.
  auto** tasks = static_cast<DeferredTask**>(sys::allocate(bound * sizeof(DeferredTask*)));
  std::size_t count = 0;
  for_each_predecessor(*family, list, [&](DeferredTask& task) {
    if (count < bound)
      tasks[count++] = &task;
  });
  wait_in_task(worker, [&] {
    while (count && tasks[count - 1]->phase(std::memory_order_acquire) == kDone)
      --count;
    return count == 0;
  });
  sys::release(tasks);
}

void taskyield(Worker& worker) {
  Family* family = family_of_current(worker);
  Search search{Scope{family, false}, true};
  if (DeferredTask* task = next_task(worker, family, search))
    launch(worker, *task);
}

} // namespace xomp
