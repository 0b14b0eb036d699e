// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks with dependences in a team of one. Nobody else takes any of them, and in the order of their
// creation each comes after all that it depends on: so they lie on the stack as ordinary tasks do
// (Slot::kOrdered), and whoever waits for them begins them in that order (`run_in_order`). No table
// is asked, and no edge made. Where something comes up that has to know which waits for which, they
// move to the heap, and what their clauses say to the table. Rules: task/README.md.
#pragma once
#include "sys/memory.h"
#include "task/create.h"
#include "task/depend.h"

namespace xomp {

/// In the arguments of a slot, whose body is `run`. Behind it: the task's arguments, the addresses
/// of its dependences, and their types.
class alignas(16) InOrder {
public:
  static void run(void* memory);
  static InOrder& of(void* memory) { return *static_cast<InOrder*>(memory); }

  /// Whether there is room in a slot.
  static bool fits(const TaskSpec& spec);
  explicit InOrder(const TaskSpec& spec);

  uint32_t dependences() const { return count; }
  Dependence dependence(uint32_t i) { return {addresses()[i], types()[i]}; }

private:
  static std::size_t whole_words(std::size_t bytes) { return sys::round_up(bytes, sizeof(void*)); }
  char* arguments() { return reinterpret_cast<char*>(this + 1); }
  void** addresses() { return reinterpret_cast<void**>(arguments() + bytes); }
  Access* types() { return reinterpret_cast<Access*>(addresses() + count); }

  void (*body)(void*);
  uint32_t bytes; ///< from the arguments to the addresses
  uint32_t count; ///< of dependences
};

/// Creates a task with dependences, which may be deferred, in a team of one. False: not so.
bool create_in_order(Worker& worker, const TaskSpec& spec);

/// In a team of one: the dependences of the current task's children have to be known from here on.
inline void leave_order(Worker& worker) {
  if (worker.stack.has_ordered()) [[unlikely]]
    move_ordered_to_heap(worker);
}

/// Enters the dependences of such a task, which has moved to the heap after those created before
/// it. Whether it is ready.
bool enter_from_order(DeferredTask& task);

} // namespace xomp
