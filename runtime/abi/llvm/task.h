// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks of this interface. The program asks for a task's memory, constructs its variables there and
// then says that it is a task. What it constructed may point to itself, so the block stays where it
// is: the task that the core knows has a pointer to it as its argument, which lies in place on its
// creator's stack.
#pragma once
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sys/memory.h"
#include "task/at_once.h"
#include "task/create.h"
#include "task/event.h"

namespace xomp::llvm {

struct Task;
using TaskEntry = int32_t (*)(int32_t, Task*);

/// kmp_task_t: the part of a task that the program reads and writes. Its variables follow.
struct Task {
  void* shared; ///< pointers to the variables that are shared
  TaskEntry entry;
  int32_t part; ///< of an untied task: where it goes on
  union {
    TaskEntry destructors; ///< of its variables
  };
  union {
    int32_t priority;
    void* second;
  };
};
static_assert(sizeof(Task) == 40);

/// `flags` of __kmpc_omp_task_alloc.
enum AllocFlag : uint32_t {
  kTied = 1u << 0,
  kFinal = 1u << 1,
  kHasDestructors = 1u << 3,
  kProxy = 1u << 4, ///< done when the program says so, not when its body has run
  kHasPriority = 1u << 5,
  kDetachable = 1u << 6,
  // Ours.
  kLarge = 1u << 27,     ///< its bytes are counted, for whoever has made it
  kNotKept = 1u << 28,   ///< its memory is none of the blocks that a worker keeps
  kOwnMemory = 1u << 29, ///< its block may be given back by any thread
  kRecorded = 1u << 30,  ///< a taskgraph keeps the block, to run it again
};
/// No compiler sets them.
constexpr uint32_t kOurs = kLarge | kNotKept | kOwnMemory | kRecorded;

/// Bytes of a task, so that its shared variables lie well behind it.
constexpr std::size_t whole(std::size_t size) {
  return sys::round_up(size, alignof(std::max_align_t));
}

/// What lies in front of it.
struct alignas(FreeBlocks::kAlign) TaskBlock {
  uint32_t flags;   ///< AllocFlag
  bool running;     ///< of an untied task, or one that is not deferred
  bool again;       ///< an untied task has said where it goes on
  uint16_t holders; ///< of a proxy, what still needs it: its body, its completion; atomic
  uint32_t beyond;  ///< bytes of all, beyond the least; not of kNotKept
  // Written where they are read, and not for every task.
  uint32_t lead;      ///< kNotKept: bytes in front, for variables that need more alignment
  EventHandle event;  ///< kDetachable, kProxy
  Included* included; ///< of a task that is not deferred
  Worker* owner;      ///< kLarge: the worker that has made it
  std::size_t size;   ///< kNotKept: bytes of all

  // NOLINTNEXTLINE(clang-analyzer-optin.cplusplus.UninitializedObject): as said above
  TaskBlock(std::size_t beyond, uint32_t flags) : beyond(static_cast<uint32_t>(beyond)) {
    // With `running`, `again` and `holders`, in one store.
    uint64_t first = flags;
    std::memcpy(this, &first, sizeof first);
  }

  /// Bytes of one whose task has no variables.
  static constexpr std::size_t least() { return sizeof(TaskBlock) + whole(sizeof(Task)); }
  std::size_t bytes() const { return flags & kNotKept ? size : least() + beyond; }
  std::size_t bytes_beyond() const { return bytes() - least(); }
  uint32_t bytes_in_front() const { return flags & kNotKept ? lead : 0; }
  std::size_t bytes_of_task() const { return bytes() - sizeof(TaskBlock); }

  /// kNoEvent: none was asked for.
  EventHandle awaits() const { return flags & (kDetachable | kProxy) ? event : kNoEvent; }

  /// Where its memory begins.
  void* memory() { return reinterpret_cast<char*>(this) - bytes_in_front(); }
  Task* task() { return reinterpret_cast<Task*>(this + 1); }
  static TaskBlock& of(Task* task) { return *(reinterpret_cast<TaskBlock*>(task) - 1); }
};
static_assert(std::endian::native == std::endian::little && offsetof(TaskBlock, beyond) == 8);

/// `beyond` and `lead` as in TaskBlock: the task is aligned to as much more.
TaskBlock& allocate_block(Worker& worker, std::size_t beyond, uint32_t flags, uint32_t lead);
/// Ends the variables' lives and gives the memory back.
void free_block(TaskBlock& block);
/// The task's body, until it is through.
void call_entry(TaskBlock& block);

/// Makes it a task, which may be deferred and has no dependences, and records it where a taskgraph
/// is.
void defer(TaskBlock& block, const void* codeptr);
/// Makes it a task of any kind.
void submit(Worker& worker, TaskBlock& block, const DependList& depend, bool deferrable,
            const void* codeptr);

} // namespace xomp::llvm
