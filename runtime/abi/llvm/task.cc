// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points of tasks, taskwait, taskyield, taskgroup and dependences.
#include "abi/llvm/task.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "abi/export.h"
#include "abi/llvm/depend.h"
#include "abi/llvm/ident.h"
#include "abi/llvm/task_reduction.h"
#include "abi/llvm/taskgraph.h"
#include "sys/assert.h"
#include "sys/memory.h"
#include "sys/recomputed.h"
#include "sys/report.h"
#include "task/event.h"
#include "task/group.h"
#include "task/run.h"
#include "task/taskwait.h"
#include "team/team.h"

namespace xomp::llvm {
namespace {

/// The program does not say what alignment a task of `size` bytes needs. A type's size is a
/// multiple of it; and twice as much where it is more than a block has, as the variables that need
/// it have the task itself in front of them.
uint32_t lead_of(std::size_t size) {
  constexpr std::size_t kBlock = FreeBlocks::kAlign, kPage = 4096;
  if (size < 4 * kBlock) [[likely]]
    return 0;
  std::size_t lowest = size & -size;
  std::size_t align = std::clamp(lowest < size ? lowest : size / 2, kBlock, kPage);
  return static_cast<uint32_t>(align - kBlock);
}
static_assert(std::size_t{4} * FreeBlocks::kAlign >= FreeBlocks::kSize, "kept blocks need no lead");

/// `TaskBlock::beyond` of the blocks that are kept.
constexpr std::size_t kMostBeyond = FreeBlocks::kSize - TaskBlock::least();

/// Those that cannot simply be kept for the next task.
constexpr uint32_t kFreedWithCare = kRecorded | kHasDestructors | kNotKept;
constexpr uint32_t kFreedApart = kFreedWithCare | kProxy;
/// Those that are not simply written to the stack.
constexpr uint32_t kSlow = kFinal | kDetachable | kProxy | kRecorded | kLarge;

std::atomic_ref<uint16_t> holders_of(TaskBlock& block) {
  return std::atomic_ref<uint16_t>(block.holders);
}

/// One of those that need it does no more.
void leave_block(TaskBlock& block) {
  // Acquire-release: what the others did with it comes before its end.
  if (!(block.flags & kProxy) || holders_of(block).fetch_sub(1, std::memory_order_acq_rel) == 1)
    free_block(block);
}

[[gnu::noinline]] void run_discarded(TaskBlock& block) {
  holders_of(block).store(1, std::memory_order_relaxed); // nobody will complete a proxy
  self->discards = false; // what its destructors create is another task
  leave_block(block);
}

/// The task's body, until it is through.
[[gnu::always_inline]] inline void call(TaskBlock& block) {
  Task* task = block.task();
  block.running = true;
  do {
    block.again = false;
    task->entry(thread_number(), task);
  } while (block.again);
}

/// Of a task that is untied, or whose memory is not simply kept.
[[gnu::noinline]] void run_other(TaskBlock& block) {
  call(block);
  if (block.flags & kFreedApart)
    return leave_block(block);
  self->blocks.give(&block, FreeBlocks::kSize);
}

/// The body of a task of the core.
void run_block(void* argument) {
  TaskBlock& block = **static_cast<TaskBlock**>(argument);
  Worker& worker = *self;
  if (worker.discards) [[unlikely]]
    return run_discarded(block);
  if ((block.flags & (kTied | kFreedApart)) != kTied) [[unlikely]]
    return run_other(block);
  int32_t number = thread_number();
  block.task()->entry(number, block.task());
  worker.blocks.give(&block, FreeBlocks::kSize);
}

/// The body of tasks that need nothing of what `run_other` does. None is ever discarded: where the
/// program may cancel, all are created slowly (`submit`).
[[gnu::aligned(64)]] void run_plain_block(void* argument) {
  XOMP_ASSERT(!self->discards);
  TaskBlock& block = **static_cast<TaskBlock**>(argument);
  int32_t number = thread_number();
  block.task()->entry(number, block.task());
  self->blocks.give(&block, FreeBlocks::kSize);
}

TaskBlock& begin_block(void* memory, std::size_t beyond, uint32_t flags, uint32_t lead = 0) {
  TaskBlock& block = *::new (memory) TaskBlock(beyond, flags);
  block.lead = lead;
  block.event = kNoEvent;
  return block;
}

/// In a block that is kept, of which there is none left.
[[gnu::noinline]] TaskBlock& allocate_kept(Worker& worker, std::size_t beyond, uint32_t flags) {
  return begin_block(worker.blocks.take(FreeBlocks::kSize), beyond, flags);
}

[[gnu::noinline]] TaskBlock& allocate_with_care(Worker& worker, std::size_t beyond, uint32_t flags,
                                                uint32_t lead) {
  std::size_t bytes = TaskBlock::least() + beyond;
  void* memory;
  if (lead == 0 && !(flags & kOwnMemory))
    memory = worker.blocks.take(bytes);
  else
    memory = static_cast<char*>(sys::allocate(lead + bytes, lead + FreeBlocks::kAlign)) + lead;
  bool large = bytes > Heap::kLargest && !(flags & kOwnMemory);
  flags |= kNotKept | (large ? uint32_t{kLarge} : 0);
  TaskBlock& block = begin_block(memory, 0, flags, lead);
  block.size = bytes;
  if (large) {
    block.owner = &worker;
    worker.blocks.count_large(bytes); // as `free_with_care` takes it off
  }
  return block;
}

[[gnu::noinline]] void free_with_care(TaskBlock& block) {
  if (block.flags & kRecorded)
    return;
  if (block.flags & kHasDestructors)
    block.task()->destructors(thread_number(), block.task());
  if (block.flags & kLarge)
    block.owner->blocks.uncount_large(block.bytes());
  if (block.bytes_in_front() || (block.flags & kOwnMemory))
    return sys::release(block.memory());
  self->blocks.give(&block, block.bytes());
}

} // namespace

TaskBlock& allocate_block(Worker& worker, std::size_t beyond, uint32_t flags, uint32_t lead) {
  if (beyond > kMostBeyond || (flags & kOwnMemory))
    return allocate_with_care(worker, beyond, flags, lead);
  void* memory = worker.blocks.take_kept();
  return memory ? begin_block(memory, beyond, flags) : allocate_kept(worker, beyond, flags);
}

void free_block(TaskBlock& block) {
  if (block.flags & kFreedWithCare) [[unlikely]]
    return free_with_care(block);
  self->blocks.give(&block, FreeBlocks::kSize);
}

void call_entry(TaskBlock& block) { call(block); }

[[gnu::noinline]] void submit(Worker& worker, TaskBlock& block, const DependList& depend,
                              bool deferrable, const void* codeptr) {
  TaskBlock* argument = &block;
  Task& task = *block.task();
  unsigned flags = kTaskDiscards;
  if (!(block.flags & kTied))
    flags |= kTaskUntied;
  if (block.flags & kFinal)
    flags |= kTaskFinal;
  if (!depend.empty())
    flags |= kTaskDepend;
  bool has_priority = block.flags & kHasPriority;
  if (has_priority)
    flags |= kTaskPriority;
  // Each member once: to clear all of it first takes as long as the rest.
  TaskSpec spec{run_block,
                &argument,
                nullptr,
                sizeof argument,
                alignof(TaskBlock*),
                deferrable,
                flags,
                depend,
                has_priority ? task.priority : 0,
                {nullptr},
                reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa()),
                codeptr,
                reinterpret_cast<const void*>(task.entry)};
  EventHandle event = block.awaits();
  if (event != kNoEvent) {
    spec.flags |= kTaskDetach | kTaskEventOpen;
    spec.detach = &event;
  } else if (block.flags & kLarge) {
    spec.flags |= kTaskOutside;
    spec.outside = block.bytes();
  }
  create_task(worker, spec);
}

namespace {

/// Of DependInfo.
enum DependFlag : uint8_t {
  kIn = 1,
  kOut = 2,
  kMutexinoutset = 4,
  kInoutset = 8,
  kAllMemory = 0x80,
};
/// The address with which Intel's compilers say omp_all_memory; clang does by the flag.
constexpr uintptr_t kAllAddresses = ~uintptr_t{0};

} // namespace

Dependence read_dependence(const DependInfo& info) {
  if (info.flags & kAllMemory)
    return {nullptr, Access::kOut};
  if (info.flags & kOut)
    return {reinterpret_cast<uintptr_t>(info.address) == kAllAddresses ? nullptr : info.address,
            Access::kOut};
  if (info.flags & kMutexinoutset)
    return {info.address, Access::kMutexinoutset};
  return {info.address, info.flags & kInoutset ? Access::kInoutset : Access::kIn};
}

namespace {

/// Calls `act` with the dependences of two lists.
template <class Act>
[[gnu::always_inline]] inline void with_dependences(int32_t count, const DependInfo* list,
                                                    int32_t more, const DependInfo* rest, Act act) {
  if ((count | more) < 0) [[unlikely]]
    sys::fatal("a task with %d and %d dependences", count, more);
  Dependences dependences(static_cast<std::size_t>(count) + static_cast<std::size_t>(more));
  Dependence* to = dependences.begin();
  for (int32_t i = 0; i < count; ++i)
    *to++ = read_dependence(list[i]);
  for (int32_t i = 0; i < more; ++i)
    *to++ = read_dependence(rest[i]);
  act(dependences.list());
}

uint32_t flags_of_new(uint32_t flags) {
  flags &= ~kOurs;
  bool recorded = records_here();
  if (!(flags & kProxy) && !recorded) [[likely]]
    return flags;
  if (recorded && (flags & (kProxy | kDetachable))) {
    record_anew();
    recorded = false;
  }
  return flags | kOwnMemory | (recorded ? uint32_t{kRecorded} : 0);
}

int32_t do_nothing(int32_t, Task*) { return 0; }

/// What the program expects to find in it; of destructors and a priority it says so itself.
[[gnu::always_inline]] inline Task* begin_task(TaskBlock& block, std::size_t own, TaskEntry entry) {
  Task* task = block.task();
  task->shared = reinterpret_cast<char*>(task) + own;
  task->entry = entry;
  task->part = 0;
  return task;
}

/// Its arguments are in the registers in which __kmpc_omp_task_alloc has them.
[[gnu::noinline, gnu::noclone]] Task* new_task_with_care(const Ident*, int32_t, int32_t told,
                                                         std::size_t size, std::size_t shared_size,
                                                         TaskEntry entry) {
  constexpr auto kMost = static_cast<std::size_t>(PTRDIFF_MAX) / 2; // what is added fits as well
  if (size > kMost || shared_size > kMost)
    sys::fatal("a task of %zu bytes, %zu for its shared variables", size, shared_size);
  auto flags = static_cast<uint32_t>(told);
  std::size_t own = whole(std::max(size, sizeof(Task)));
  TaskBlock& block = allocate_block(me(), own - whole(sizeof(Task)) + shared_size,
                                    flags_of_new(flags), lead_of(size));
  if (block.flags & kProxy) {
    holders_of(block).store(2, std::memory_order_relaxed); // published with the task
    block.event = open_event();
  }
  return begin_task(block, own, entry);
}

[[gnu::always_inline]] inline Pushed push_block(void (*body)(void*), TaskBlock* block) {
  return push_quietly(*self, body, &block, sizeof block, alignof(TaskBlock*));
}

[[gnu::noinline]] int32_t answered() {
  answer(*self);
  return 0;
}

[[gnu::noinline]] int32_t submit_new(TaskBlock& block, const void* codeptr, const Ident* ident) {
  describe(ident, codeptr, reinterpret_cast<const void*>(block.task()->entry));
  if (block.flags & kRecorded)
    record_task(block, codeptr);
  submit(me(), block, {}, true, codeptr);
  return 0;
}

[[gnu::noinline]] int32_t run_new(TaskBlock* block, Worker& worker, void (*body)(void*)) {
  run_at_once(worker, body, &block);
  return 0;
}

/// Any task, where __kmpc_omp_task does not simply write it to the stack; `body`: its body there.
/// The order of the arguments is that of the entry point's.
[[gnu::noinline]] int32_t new_task(const Ident* ident, const void* codeptr, TaskBlock& block,
                                   void (*body)(void*)) {
  Worker& worker = *self;
  if (!(block.flags & kSlow) && (known_full(worker) || refused(worker)))
    return run_new(&block, worker, body);
  return submit_new(block, codeptr, ident);
}

/// One that is untied, or more than that.
[[gnu::noinline, gnu::noclone]] int32_t other_task(const Ident* ident, const void* codeptr,
                                                   TaskBlock& block, void (*body)(void*)) {
  if (block.running) {
    block.again = true;
    return 0;
  }
  Pushed pushed = block.flags & kSlow ? Pushed::kNo : push_block(body, &block);
  if (pushed == Pushed::kYes) [[likely]]
    return 0;
  return pushed == Pushed::kAsked ? answered() : new_task(ident, codeptr, block, body);
}

/// `codeptr` returns the place in the program.
template <class Codeptr>
[[gnu::always_inline]] inline int32_t push_or_submit(TaskBlock& block, Codeptr codeptr,
                                                     const Ident* ident) {
  if ((block.flags & (kTied | kSlow | kFreedApart)) != kTied) [[unlikely]]
    return other_task(ident, codeptr(), block, run_block);
  Pushed pushed = push_block(run_plain_block, &block);
  if (pushed == Pushed::kNo) [[unlikely]]
    return new_task(ident, codeptr(), block, run_plain_block);
  if (pushed == Pushed::kAsked) [[unlikely]]
    return answered();
  return 0;
}

/// A task that is not deferred has an event: an empty one waits for it. So a taskwait of the
/// creator's does, and its creator goes on when the body is through (OpenMP 5.1, section 1.2.5,
/// undeferred task), as on libomp.
void leave_to_empty_task(EventHandle& event) {
  TaskSpec empty{};
  empty.body = [](void*) {};
  empty.align = 1;
  empty.deferrable = true;
  empty.flags = kTaskDetach | kTaskEventOpen;
  empty.detach = &event;
  create_task(me(), empty);
}

/// As `call_body`, without a call of `run_plain_block`, which most are.
[[gnu::always_inline]] inline void call_block(Worker& worker, Slot* frame) {
  if (frame->body != run_plain_block) [[unlikely]]
    return call_body(worker, frame);
  TaskBlock& block = **reinterpret_cast<TaskBlock**>(frame->arguments);
  block.task()->entry(thread_number(), block.task());
  worker.blocks.give(&block, FreeBlocks::kSize);
}

/// A taskgraph is told of a taskwait. Where one records, its task has a full frame, so that none of
/// its taskwaits does without one of these calls.
struct RecordedWaits {
  static constexpr auto kBody = call_block;
  template <auto wait>
  [[gnu::noinline]] static void wait_and_record(Worker& worker, const void* codeptr) {
    wait(worker, codeptr);
    if (records_here())
      record_wait();
  }
  template <auto wait> static constexpr auto kCalled = wait_and_record<wait>;
};

void complete_proxy(Task* task) {
  // As `flags_of_new` and `allocate_with_care` make them.
  constexpr uint32_t kAlways = kProxy | kOwnMemory | kNotKept;
  if (!task || (TaskBlock::of(task).flags & (kAlways | kLarge)) != kAlways)
    sys::fatal("a task is completed that is none, or no proxy");
  TaskBlock& block = TaskBlock::of(task);
  EventHandle event = block.event;
  leave_block(block);
  fulfill(event);
}

} // namespace

void defer(TaskBlock& block, const void* codeptr) {
  push_or_submit(block, [=] { return codeptr; }, nullptr);
}

} // namespace xomp::llvm

using namespace xomp;
using namespace xomp::llvm;

XOMP_EXPORT Task* __kmpc_omp_task_alloc(const Ident*, int32_t, int32_t flags, std::size_t size,
                                        std::size_t shared_size, TaskEntry entry) {
  std::size_t own = whole(size);
  // Of less than the least, as sums that no size has, it is more than all.
  std::size_t beyond = own - whole(sizeof(Task)) + shared_size;
  auto told = static_cast<uint32_t>(flags);
  if (beyond > FreeBlocks::kSize - TaskBlock::least() || (told & (kProxy | kDetachable | kOurs)))
      [[unlikely]]
    return new_task_with_care(nullptr, 0, flags, size, shared_size, entry);
  // A thread that the runtime has not seen yet has kept no blocks, nor has one that records.
  void* memory = self->blocks.take_kept();
  if (!memory) [[unlikely]]
    return new_task_with_care(nullptr, 0, flags, size, shared_size, entry);
  return begin_task(*::new (memory) TaskBlock(beyond, told), own, entry);
}

/// Of a target construct with nowait, which the host runs.
XOMP_EXPORT Task* __kmpc_omp_target_task_alloc(const Ident* ident, int32_t thread, int32_t flags,
                                               std::size_t size, std::size_t shared_size,
                                               TaskEntry entry, int64_t) {
  return __kmpc_omp_task_alloc(ident, thread, flags, size, shared_size, entry);
}

/// affinity clauses are hints.
XOMP_EXPORT int32_t __kmpc_omp_reg_task_with_affinity(const Ident*, int32_t, Task*, int32_t,
                                                      const void*) {
  return 0;
}

XOMP_EXPORT EventHandle __kmpc_task_allow_completion_event(const Ident*, int32_t, Task* task) {
  TaskBlock& block = TaskBlock::of(task);
  block.flags |= kDetachable; // as it was told when it asked for the task
  return block.event = open_event();
}

XOMP_EXPORT int32_t __kmpc_omp_task(const Ident* ident, int32_t, Task* task) {
  // Each time anew: read once it would be read on the fast path, too.
  auto codeptr = [] [[gnu::always_inline]] {
    __asm__ volatile("");
    return __builtin_return_address(0);
  };
  return push_or_submit(sys::recomputed(TaskBlock::of(task)), codeptr, ident);
}

/// An untied task that says where it goes on, or one that the caller does not come back to.
XOMP_EXPORT int32_t __kmpc_omp_task_parts(const Ident* ident, int32_t thread, Task* task) {
  return __kmpc_omp_task(ident, thread, task);
}

/// A proxy's work is done by another thread, which says here that it is done.
XOMP_EXPORT void __kmpc_proxy_task_completed(int32_t, Task* task) { complete_proxy(task); }
/// Said by a thread that is none of the team's.
XOMP_EXPORT void __kmpc_proxy_task_completed_ooo(Task* task) { complete_proxy(task); }

namespace {

[[gnu::always_inline]] inline int32_t task_with_deps(Caller caller, Task* task, int32_t count,
                                                     const DependInfo* list, int32_t more,
                                                     const DependInfo* rest) {
  TaskBlock& block = TaskBlock::of(task);
  if (!task->entry) [[unlikely]] // `taskwait depend nowait` of Intel's compilers
    task->entry = do_nothing;
  with_dependences(count, list, more, rest, [&](const DependList& depend) {
    if (block.flags & kRecorded) [[unlikely]]
      record_task(block, caller.codeptr, depend);
    submit(me(), block, depend, true, caller.codeptr);
  });
  return 0;
}

/// The function that a call hands over with its first argument.
constexpr auto kEntryOf = [](Task* task, auto...) {
  return reinterpret_cast<const void*>(task->entry);
};

} // namespace

XOMP_EXPORT int32_t __kmpc_omp_task_with_deps(const Ident* ident, int32_t, Task* task,
                                              int32_t count, const DependInfo* list, int32_t more,
                                              const DependInfo* rest) {
  return call_described<task_with_deps, kEntryOf>(trace::listening(trace::kRecorder), ident, task,
                                                  count, list, more, rest);
}

namespace {

[[gnu::always_inline]] inline void begin_if0(FramedCaller caller, Task* task) {
  TaskBlock& block = TaskBlock::of(task);
  if (block.flags & kRecorded) [[unlikely]]
    record_wait(&block, caller.codeptr);
  // Each member once, as in `submit`.
  TaskSpec spec{run_block,
                nullptr,
                nullptr,
                0,
                0,
                false,
                block.flags & kFinal ? unsigned{kTaskFinal} : 0,
                {},
                0,
                {nullptr},
                reinterpret_cast<uintptr_t>(caller.frame),
                caller.codeptr,
                reinterpret_cast<const void*>(task->entry)};
  if (block.awaits() != kNoEvent) [[unlikely]]
    leave_to_empty_task(block.event);
  Worker& worker = me();
  block.included = ::new (worker.blocks.take(sizeof(Included))) Included;
  block.running = true;
  begin_included(worker, spec, *block.included);
}

} // namespace

XOMP_EXPORT void __kmpc_omp_task_begin_if0(const Ident* ident, int32_t, Task* task) {
  call_described<begin_if0, kEntryOf, FramedCaller>(self->track, ident, task);
}
XOMP_EXPORT void __kmpc_omp_task_complete_if0(const Ident*, int32_t, Task* task) {
  if (!task || !TaskBlock::of(task).running) [[unlikely]]
    sys::fatal("a task is completed that was not begun");
  TaskBlock& block = TaskBlock::of(task);
  if (block.again)
    call(block);
  end_included(me(), *block.included);
  self->blocks.give(block.included, sizeof(Included));
  free_block(block);
}

XOMP_EXPORT int32_t __kmpc_omp_taskwait(const Ident* ident, int32_t) {
  taskwait<RecordedWaits>(*self, run_children<RecordedWaits>, Described{ident});
  return 0;
}
XOMP_EXPORT void __kmpc_omp_wait_deps(const Ident* ident, int32_t, int32_t count,
                                      const DependInfo* list, int32_t more,
                                      const DependInfo* rest) {
  const void* codeptr = __builtin_return_address(0);
  with_dependences(count, list, more, rest, [&](const DependList& depend) {
    if (depend.empty())
      return;
    Member& member = me();
    if (member.track) [[unlikely]]
      describe(ident, codeptr);
    taskwait_depend(member, depend, codeptr);
  });
  if (records_here()) [[unlikely]]
    record_wait();
}
/// `nowait`: an empty task with these dependences.
XOMP_EXPORT void __kmpc_omp_taskwait_deps_51(const Ident* ident, int32_t, int32_t count,
                                             const DependInfo* list, int32_t more,
                                             const DependInfo* rest, int32_t nowait) {
  const void* codeptr = __builtin_return_address(0);
  if (records_here()) [[unlikely]]
    record_wait();
  with_dependences(count, list, more, rest, [&](const DependList& depend) {
    if (depend.empty())
      return;
    Member& member = me();
    if (member.track) [[unlikely]]
      describe(ident, codeptr);
    if (nowait)
      create_empty(member, depend, codeptr);
    else
      taskwait_depend(member, depend, codeptr);
  });
}

XOMP_EXPORT int32_t __kmpc_omp_taskyield(const Ident*, int32_t, int32_t) {
  if (!yields_idly(*self)) [[unlikely]]
    yield_to_any(me());
  return 0;
}

XOMP_EXPORT void __kmpc_taskgroup(const Ident*, int32_t) { taskgroup_start(me()); }

namespace {

[[gnu::always_inline]] inline void end_taskgroup(Caller caller) {
  end_group_with_reductions(me(), caller.codeptr);
  if (records_here()) [[unlikely]]
    record_wait();
}

} // namespace

XOMP_EXPORT void __kmpc_end_taskgroup(const Ident* ident, int32_t) {
  call_described<end_taskgroup>(self->track, ident);
}
