// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Task creation. The fast path, inline: an ordinary task is written to the top of its creator's
// stack (queue/split_stack.h) and begun later, by its creator's thread or by a thief.
#pragma once
#include <bit>
#include <cstring>

#include "sys/stack.h"
#include "task/depend_list.h"
#include "task/frame.h"

namespace xomp {

/// `flags` of GOMP_task and GOMP_taskloop (GNU ABI).
enum TaskFlag : unsigned {
  kTaskUntied = 1u << 0,
  kTaskFinal = 1u << 1,
  kTaskMergeable = 1u << 2,
  kTaskDepend = 1u << 3,
  kTaskPriority = 1u << 4,
  kTaskUp = 1u << 8,
  kTaskGrainsize = 1u << 9,
  kTaskIf = 1u << 10,
  kTaskNogroup = 1u << 11,
  kTaskReduction = 1u << 12,
  kTaskDetach = 1u << 13,
  kTaskStrict = 1u << 14,
  // Beyond what the interface knows.
  kTaskDiscards = 1u << 24, ///< its body is called when it is discarded, to free what it has
  kTaskEventOpen =
      1u << 25, ///< detach: `open_event` made the event, of which `detach` has the handle
  kTaskOutside = 1u << 26,      ///< so many bytes of its arguments lie in a block of the program's
  kTaskEventAwaited = 1u << 27, ///< detach, not deferred: the creator waits for the event as well
  kTaskGuarded = 1u << 28,      ///< where it lies on a stack, it may be discarded there
  kTaskInHeap = 1u << 29,       ///< it does not lie on a stack
};

struct TaskSpec {
  void (*body)(void*);
  void* data;
  void (*copy)(
      void*,
      void*); ///< constructs the argument block at its first argument from its second; or null
  std::size_t size, align; ///< of the argument block
  bool deferrable;         ///< the `if` clause
  unsigned flags;
  DependList depend; ///< kTaskDepend
  int priority;
  union {
    void* detach;        ///< omp_event_handle_t* to fill
    std::size_t outside; ///< kTaskOutside
  };
  uintptr_t stack;     ///< of the construct
  const void* codeptr; ///< in the program: the return address
  const void*
      calls; ///< the program's function, where `body` is one of ours that calls it; else null
};

/// Whether the program lets it be deferred: no if(0), and not part of a final task.
inline bool may_defer(const Worker& worker, const TaskSpec& spec) {
  return spec.deferrable && !(worker.env->flags & kEnvFinal);
}

/// Whether it is to be begun before others.
inline bool is_urgent(const TaskSpec& spec) {
  return (spec.flags & kTaskPriority) && spec.priority > 0 && settings.max_task_priority > 0;
}

/// Any task, any flag. `worker` is the calling thread's.
void create_task(Worker& worker, const TaskSpec& spec);

/// One with dependences; the other ways: task/create_on_stack.h, task/create_deferred.h.
void create_with_dependences(Worker& worker, const TaskSpec& spec, bool deferrable);

/// A task without a body, which keeps the order between what it waits for and what waits for it.
void create_empty(Worker& worker, const DependList& depend, const void* codeptr);

/// The worker has pushed a task, and others have a question, or sleep.
void answer(Worker& worker);

/// Offers a task that lay on the stack, if it is `ready`; see `move_to_heap`.
void offer_moved(Worker& worker, DeferredTask& task, bool ready);

/// Whether the policy would refuse a task now and there is stack left to run it at once (paper 1,
/// section II.B).
[[gnu::always_inline]] inline bool refused(const Worker& worker) {
  // Relaxed: a hint; a thread that goes through the gate looks at the queue itself.
  return sys::stack_reaches(worker.gate);
}

/// Whether so much of the stack is in use that no more tasks should be run on top of it: a chain of
/// tasks, each creating the next, would exhaust it.
inline bool deep(const Worker& worker) { return sys::stack_pointer() < worker.stack_limit; }

/// Eight bytes that the caller has just written, as one number or as two: each half by a load of
/// its own, as a load of what two stores wrote, or of a number and the gap behind it, waits for
/// these to reach the cache.
[[gnu::always_inline]] inline uint64_t word_at(const char* from) {
  static_assert(std::endian::native == std::endian::little);
  auto half = [](const char* at) -> uint64_t {
    uint32_t number;
    std::memcpy(&number, at, sizeof number);
    return number;
  };
  uint64_t low = half(from), high = half(from + sizeof(uint32_t));
  __asm__("" : "+r"(low), "+r"(high)); // the compiler would make one load of them
  return low | high << 32;
}

/// Copies `size` bytes, nothing beyond them. By words, of which the task then reads each at once.
[[gnu::always_inline]] inline void copy_arguments(void* to, const void* from, std::size_t size) {
  if (__builtin_constant_p(size)) { // ours, in registers
    std::memcpy(to, from, size);
    return;
  }
  auto* out = static_cast<char*>(to);
  const auto* in = static_cast<const char*>(from);
  if (size - 8 <= 8) [[likely]] { // most: a pointer and a number
    uint64_t first = word_at(in), last = word_at(in + size - 8);
    std::memcpy(out, &first, 8);
    std::memcpy(out + size - 8, &last, 8);
    return;
  }
  if (size < 8) {
    for (std::size_t i = 0; i < size; ++i)
      out[i] = in[i];
    return;
  }
  uint64_t last = word_at(in + size - 8);
  for (std::size_t i = 0; i + 8 < size; i += 8) {
    uint64_t word = word_at(in + i);
    std::memcpy(out + i, &word, 8);
  }
  std::memcpy(out + size - 8, &last, 8);
}

/// Writes the task's argument block to `to`, where it has any.
inline void make_arguments(void* to, const TaskSpec& spec) {
  if (spec.copy)
    spec.copy(to, spec.data);
  else if (spec.size)
    std::memcpy(to, spec.data, spec.size);
}

/// Whether arguments of this size can lie in a slot.
inline bool fits_in_slot(std::size_t size, std::size_t align) {
  return size <= Slot::kRoom && align <= Slot::kAlign;
}

enum class Pushed { kNo, kYes, kAsked };

/// As `push_quietly`; `write` writes the arguments to where it is told.
template <class Write>
[[gnu::always_inline]] inline Pushed push_written(Worker& worker, void (*body)(void*),
                                                  std::size_t size, std::size_t align,
                                                  Write write) {
  SplitStack& stack = worker.stack;
  Slot* slot = stack.top() + 1;
  // Relaxed: a hint, and the look below counts.
  if (slot >= stack.limit.load(std::memory_order_relaxed) || !fits_in_slot(size, align))
      [[unlikely]]
    return Pushed::kNo;
  XOMP_ASSERT(worker.count == 1 || worker.task_team->stacks_in_use.has(worker.id));
  slot->body = body;
  write(slot->arguments);
  stack.push(slot);
  // Again: whoever asked between the look above and the push has not seen the task.
  sys::light_fence();
  return stack.is_asked() ? Pushed::kAsked : Pushed::kYes;
}

/// As `push_task`, but the caller has to `answer`, where it is asked.
[[gnu::always_inline]] inline Pushed push_quietly(Worker& worker, void (*body)(void*),
                                                  const void* data, std::size_t size,
                                                  std::size_t align) {
  return push_written(worker, body, size, align, [=](char* to) { copy_arguments(to, data, size); });
}

/// Writes a task to the worker's stack if nothing asks for more than that. `size`, `align`: of its
/// arguments, which are copied as they are.
[[gnu::always_inline]] inline bool push_task(Worker& worker, void (*body)(void*), const void* data,
                                             std::size_t size, std::size_t align) {
  Pushed pushed = push_quietly(worker, body, data, size, align);
  if (pushed == Pushed::kAsked) [[unlikely]]
    answer(worker);
  return pushed != Pushed::kNo;
}

/// Runs a task at once, in its creator's stack frame.
[[gnu::always_inline]] inline void run_at_once(Worker& worker, void (*body)(void*), void* data) {
  in_frame(worker, body, [&] { body(data); });
}

/// Runs a task at once whose argument block the program copies: the copy lives on this stack.
void run_copied_at_once(Worker& worker, void (*body)(void*), void* data, void (*copy)(void*, void*),
                        std::size_t size, std::size_t align);

} // namespace xomp
