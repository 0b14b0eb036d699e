// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks with dependences in a team of one. Nobody else takes any of them, and in the order of their
// creation each comes after all that it depends on: so they lie on the stack as ordinary tasks do,
// and whoever begins one runs its siblings in front of it first. No table is asked, and no edge
// made. Where something comes up that has to know who waits for whom (`leave_order`), they move to
// the heap, and their dependences to the table. Rules: task/README.md.
#pragma once
#include "task/create.h"

namespace xomp {

/// In the arguments of a slot, whose body is `run`; what the program says of the task's dependences
/// and the arguments lie behind it.
class InOrder {
public:
  explicit InOrder(const TaskSpec& spec);
  static void run(void* memory);

  /// Bytes that a task takes on the stack; SIZE_MAX: too many, or of another layout. The one copied
  /// is that without depend objects, which may be gone when the dependences are needed.
  static std::size_t room_for(const TaskSpec& spec) {
    std::size_t count = count_of(spec.depend);
    if (count - 1 >= Slot::kRoom / sizeof(void*)) // 0: of the other layout
      return SIZE_MAX;
    return sizeof(InOrder) + bytes_of(count) + spec.size;
  }

  void (*body() const)(void*) { return task; }
  void** depend() { return reinterpret_cast<void**>(this + 1); }
  void* arguments() { return reinterpret_cast<char*>(depend()) + bytes_of(count_of(depend())); }

private:
  static std::size_t count_of(void** depend) { return reinterpret_cast<std::size_t>(depend[0]); }
  /// The addresses, and two words in front of them.
  static std::size_t bytes_of(std::size_t count) { return (2 + count) * sizeof(void*); }

  void (*task)(void*);
};

/// Whether a task with dependences, which may be deferred, can be one of these.
bool fits_in_order(const Worker& worker, const TaskSpec& spec);
void create_in_order(Worker& worker, const TaskSpec& spec);

/// The dependences of the current task's children have to be known from here on: if some of them
/// wait so, all that waits on the stack moves to the heap.
void leave_order(Worker& worker);
/// Such a one, in the heap now. Oldest first.
void offer_from_order(Worker& worker, DeferredTask& task);

} // namespace xomp
