// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sched/sleepers.cc, task/wakeup.cc and the loop of task/wait_loop.h under the C++ memory model: no
// worker sleeps while a task lies somewhere that it may start. Tasks of one run wait for one
// another, so that a task which nobody comes for stops everything.
#include "checked_std.h"

#include "sched/sleepers.cc"
#include "task/wait_loop.h"
#include "task/wakeup.cc"
#include "workers.h"

namespace {

using namespace xomp;

constexpr int kMostTasks = 2;

struct Task : DeferredTask {
  std::atomic<int> ready{0}; ///< 1: to be had
};

/// A team's workers; its tasks are anybody's who may start them.
template <int kWorkers> struct Tasks : Workers<kWorkers> {
  FullFrame full_frames[kWorkers]; ///< of the tasks that the workers are in, outermost first
  Task* tasks[kMostTasks] = {};
  std::atomic<int> begun{0}, finished{0};

  /// Each creator takes the first of what it has to create.
  void start(int created) {
    Workers<kWorkers>::start(kNoPolicy);
    checked::sparingly = true;
    for (int i = 0; i < kWorkers; ++i) {
      this->workers[i]->ground.link.store(reinterpret_cast<uintptr_t>(&full_frames[i]),
                                          std::memory_order_relaxed);
      full_frames[i].owner = this->workers[i];
      full_frames[i].ancestor.store(i ? &full_frames[i - 1] : nullptr, std::memory_order_relaxed);
    }
    for (int i = 0; i < created; ++i) {
      tasks[i] = sys::create<Task>();
      tasks[i]->ready.store(0, std::memory_order_relaxed);
    }
    checked::sparingly = false;
  }
  void end() {
    for (Task* each : tasks)
      sys::destroy(each);
    Workers<kWorkers>::end();
  }
  /// Worker `id` creates task `n` in its own.
  void create(int id, int n) {
    tasks[n]->parent = &full_frames[id];
    tasks[n]->ready.store(1, std::memory_order_release);
    wake_for(*this->workers[id], *this->workers[id], full_frames[id]);
  }
  /// The task's body ends when all tasks have begun.
  void run(int all) {
    begun.fetch_add(1, std::memory_order_relaxed);
    while (begun.load(std::memory_order_relaxed) < all)
      sys::yield();
    if (finished.fetch_add(1, std::memory_order_acq_rel) + 1 == all)
      this->ring_all();
  }
  bool all_finished(int all) { return finished.load(std::memory_order_acquire) == all; }

  static constexpr Policy kNoPolicy{};
};

/// What the functions of the task room see, which are the test's own here.
struct Room {
  virtual DeferredTask* find(const Search& search) = 0;
  virtual void run() = 0;
};
Room* room = nullptr;

template <class Test, int kWorkers, int kTasks>
struct WakeTest : rl::test_suite<Test, kWorkers>, Tasks<kWorkers>, Room {
  void before() {
    this->start(kTasks);
    room = this;
  }
  void after() { this->end(); }
  DeferredTask* find(const Search& search) override {
    for (Task* task : this->tasks) {
      if (!task || task->ready.load(std::memory_order_acquire) != 1 || !allows(search, *task))
        continue;
      int ready = 1;
      if (task->ready.compare_exchange_strong(ready, 2, std::memory_order_acquire,
                                              std::memory_order_relaxed))
        return task;
    }
    return nullptr;
  }
  void run() override { Tasks<kWorkers>::run(kTasks); }
  void wait(int id, bool anything) {
    wait_until(*this->workers[id], anything, [&] { return this->all_finished(kTasks); });
  }
};

/// Two that sleep in a barrier, and one or two creators.
struct InBarrier : WakeTest<InBarrier, 3, 2> {
  void thread(unsigned index) {
    if (index < 2)
      return wait(static_cast<int>(index), true);
    create(2, 0);
    create(2, 1);
  }
};
struct TwoCreators : WakeTest<TwoCreators, 4, 2> {
  void thread(unsigned index) {
    int id = static_cast<int>(index);
    if (id < 2)
      create(id, id);
    else
      wait(id, true);
  }
};

/// Small ones, left to a worker that searches: whoever ceases to, and is the last one, wakes
/// another.
struct SmallOnes : WakeTest<SmallOnes, 3, 2> {
  static inline const Policy kInPlace = [] {
    Policy policy{};
    policy.in_place = true;
    return policy;
  }();

  void before() {
    WakeTest::before();
    for (Worker* each : workers)
      each->policy = &kInPlace;
  }
  void thread(unsigned index) {
    if (index < 2)
      return wait(static_cast<int>(index), true);
    create_small(0);
    create_small(1);
  }
  void create_small(int n) {
    tasks[n]->parent = &full_frames[2];
    tasks[n]->ready.store(1, std::memory_order_release);
    wake_for_own(*workers[2], true);
  }
};

/// Tiny ones, which whoever goes to sleep leaves to their creator as long as another one searches.
struct TinyOnes : SmallOnes {
  void before() {
    SmallOnes::before();
    workers[0]->backoff.creator = workers[1]->backoff.creator = 2;
  }
  DeferredTask* find(const Search& search) override {
    return search.leaves_tiny ? nullptr : SmallOnes::find(search);
  }
};

/// Small ones, of which the second is pushed without a look at anything where the first one's
/// `answer` has set the limit (task/create_on_stack.cc); a worker about to sleep takes that back.
/// Worker 0 may be woken by anybody, and search. `kSays`: so does the creator that it has left
/// something to who searches, also where nobody slept before it set the limit.
template <bool kSays> struct SmallOnePushed : WakeTest<SmallOnePushed<kSays>, 4, 2> {
  using Base = WakeTest<SmallOnePushed, 4, 2>;
  std::atomic<int> limit{0}; ///< 1: nobody has a question

  void before() {
    Base::before();
    limit.store(0, std::memory_order_relaxed);
    for (Worker* each : this->workers)
      each->policy = &SmallOnes::kInPlace;
  }
  void thread(unsigned index) {
    if (index < 2)
      return this->wait(static_cast<int>(index), true);
    if (index == 3)
      return this->workers[0]->bell.ring();
    push(0);
    push(1);
  }
  DeferredTask* find(const Search& search) override {
    if (search.thorough) {
      limit.store(0, std::memory_order_relaxed);
      sys::heavy_fence();
    }
    return Base::find(search);
  }
  void push(int n) {
    bool asked = limit.load(std::memory_order_relaxed) == 0;
    this->tasks[n]->parent = &this->full_frames[2];
    this->tasks[n]->ready.store(1, std::memory_order_release);
    sys::light_fence();
    if (!asked && limit.load(std::memory_order_relaxed) != 0)
      return;
    wake_for_own(*this->workers[2], true);
    limit.store(1, std::memory_order_relaxed);
    if (kSays ? somebody_to_wake(*this->team, true) : somebody_sleeps_and_nobody_searches())
      limit.store(0, std::memory_order_relaxed);
  }
  bool somebody_sleeps_and_nobody_searches() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return this->team->asleep.load(std::memory_order_relaxed) > 0 &&
           this->team->searchers.load(std::memory_order_relaxed) == 0;
  }
};

/// On stacks, of which nobody looks at those whose owners have not entered `stacks_in_use`: the
/// first task enters it, in time for the look at who sleeps.
template <bool kInTime> struct FirstOnStack : WakeTest<FirstOnStack<kInTime>, 3, 1> {
  using Base = WakeTest<FirstOnStack, 3, 1>;

  void before() {
    Base::before();
    this->team->stacks_in_use.remove_all();
  }
  void thread(unsigned index) {
    if (index < 2)
      return this->wait(static_cast<int>(index), true);
    this->tasks[0]->parent = &this->full_frames[2];
    this->tasks[0]->ready.store(1, std::memory_order_release);
    if (kInTime)
      this->team->stacks_in_use.note(2);
    wake_for_own(*this->workers[2], false);
    if (!kInTime)
      this->team->stacks_in_use.note(2);
  }
  DeferredTask* find(const Search& search) override {
    return this->team->stacks_in_use.has(2) ? Base::find(search) : nullptr;
  }
};

/// The wait of one of two ends for another reason, perhaps when it was just woken.
struct WaitEnds : WakeTest<WaitEnds, 4, 1> {
  std::atomic<int> over{0};
  void thread(unsigned index) {
    switch (index) {
    case 0:
      return create(0, 0);
    case 1:
      over.store(1, std::memory_order_release);
      return workers[2]->bell.ring();
    case 2:
      return wait_until(*workers[2], true,
                        [&] { return over.load(std::memory_order_acquire) || all_finished(1); });
    default:
      return wait(3, true);
    }
  }
};

/// Worker 0 waits in a task, worker 1 in a child of it, and a child of that one creates two.
struct InTasks : WakeTest<InTasks, 3, 2> {
  void thread(unsigned index) {
    if (index < 2)
      return wait(static_cast<int>(index), false);
    create(2, 0);
    create(2, 1);
  }
};

} // namespace

namespace xomp {

bool allows(const Search& search, const DeferredTask& task) {
  const FullFrame* full_frame = task.parent;
  while (full_frame && Scope::of(full_frame).word != search.scope.word)
    full_frame = next_upwards(*full_frame);
  return search.scope.anything() || full_frame;
}
DeferredTask* next_task(Worker&, Search& search) { return room->find(search); }
void launch(Worker&, DeferredTask&) { room->run(); }
void launch_for_some(Worker&, DeferredTask&) { room->run(); }

} // namespace xomp

int main() {
  constexpr int kRuns = 50000;
  bool good = verified<InBarrier>("sleepers in a barrier", kRuns);
  good &= refuted<InBarrier>("sleepers in a barrier without fences", kRuns, {.fence = true});
  good &= refuted<InBarrier>("sleepers in a barrier without acquire", kRuns, {.acquire = true});
  good &= verified<TwoCreators>("sleepers in a barrier, two creators", kRuns);
  good &= verified<SmallOnes>("small tasks, left to who searches", kRuns);
  good &= refuted<SmallOnes>("small tasks, left to who searches, without fences", kRuns,
                             {.fence = true});
  good &= verified<TinyOnes>("tiny tasks, left to their creator", kRuns);
  good &= refuted<TinyOnes>("tiny tasks, left to their creator, without fences", kRuns,
                            {.fence = true});
  good &= verified<SmallOnePushed<true>>("a small task, pushed without a look", kRuns);
  good &= refuted<SmallOnePushed<true>>("a small task, pushed without a look, without fences",
                                        kRuns, {.fence = true});
  good &= refuted<SmallOnePushed<false>>("a small task, left to who is not told", kRuns, {});
  good &= verified<FirstOnStack<true>>("the first task on a stack", kRuns);
  good &= refuted<FirstOnStack<true>>("the first task on a stack, without fences", kRuns,
                                      {.fence = true});
  good &=
      refuted<FirstOnStack<false>>("the first task on a stack, that nobody knows of", kRuns, {});
  good &= verified<WaitEnds>("a sleeper whose wait ends", kRuns);
  good &= verified<InTasks>("sleepers in tasks", kRuns);
  good &= refuted<InTasks>("sleepers in tasks without fences", kRuns, {.fence = true});
  good &= refuted<InTasks>("sleepers in tasks without acquire", kRuns, {.acquire = true});
  return good ? 0 : 1;
}
