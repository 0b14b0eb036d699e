// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is kept of threads, parallel regions and tasks, as the callbacks tell of them.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "omp-tools.h"
#include "pool.h"

namespace ompt_check {

struct Task;
struct Thread;

/// A growing array; freed by `clear`.
template <class T> struct List {
  T* items = nullptr;
  uint32_t size = 0, room = 0;

  void push(const T& item) {
    if (size == room) {
      room = room ? 2 * room : 8;
      items = static_cast<T*>(realloc(static_cast<void*>(items), room * sizeof(T)));
      if (!items)
        abort();
    }
    items[size++] = item;
  }
  void erase(uint32_t index) {
    for (--size; index < size; ++index)
      items[index] = items[index + 1];
  }
  T& last() { return items[size - 1]; }
  void clear() {
    free(static_cast<void*>(items));
    *this = {};
  }
};

/// A taskgroup: the tasks that its end waits for.
struct Group {
  std::atomic<int> open{0};
  std::atomic<int> users{1};
  Group* outer = nullptr;
};

struct Region : Record {
  uint64_t id;
  Task* creator; ///< null for the implicit region around an initial task
  int flags;
  unsigned requested;
  std::atomic<unsigned> team_size;
  std::atomic<unsigned> begun, ended; ///< implicit tasks
  std::atomic<uint64_t> indices;      ///< those below 64, as bits
  /// Explicit tasks that are not over, by the parity of the barrier that waits for them: when a
  /// barrier ends, tasks may exist that wait for the next one, but none for the one after that.
  std::atomic<int> open_tasks[2];
  /// Its threads leave barriers with tasks open, and not all come to the same ones.
  std::atomic<bool> cancelled;
  bool over;

  void release() {}
};

enum class Construct : uint8_t { kSync, kWait, kWork, kMasked, kReduction };

/// Something that a task has begun and not ended.
struct Open {
  Construct construct;
  int kind;
  Group* group; ///< of a taskgroup
};

struct Held {
  ompt_mutex_t kind; ///< without the kinds for tests
  ompt_wait_id_t mutex;
  int rounds;
};

enum class TaskState : uint8_t { kCreated, kRunning, kSuspended, kDetached, kOver };

struct Task : Record {
  uint64_t id;
  std::atomic<TaskState> state;
  int flags;
  bool has_dependences, dependences_told, fulfilled, reached_barrier;
  bool waits_for_some; ///< in a taskwait with dependences
  unsigned index;      ///< of an implicit task
  unsigned barrier;    ///< how many barriers came before: its own if implicit, else its creator's
  Region* region;
  Task* parent;        ///< null for an initial task
  Group *home, *group; ///< the taskgroup that it was created in; the innermost that it is in now
  /// Where it runs, or ran last; of a task that was suspended in favour of another: that thread.
  Thread* thread;
  Task* under;               ///< what this thread was in when it came to this task
  std::atomic<int> children; ///< that are not over
  List<Open> open;
  List<Held> held;
  List<uint64_t> sources; ///< numbers of tasks that have to be over before it begins

  bool is(int flag) const { return (flags & flag) != 0; }
  bool has_own_index() const { return is(ompt_task_implicit | ompt_task_initial); }
  bool in(Construct construct, int kind) const;
  bool in_barrier() const;
  /// Forgets what it has open.
  void abandon();
  void release();
};

struct Thread : Record {
  unsigned number;
  ompt_thread_t kind;
  const ompt_data_t* data;
  Task* current;
  uint64_t callbacks;
  bool asks; ///< has been told to acquire a mutex, not that it has it
  ompt_mutex_t asked_kind;
  ompt_wait_id_t asked_mutex;

  void release() {}
};

inline Pool<Region, 0xa1> regions;
inline Pool<Task, 0xa2> tasks;
inline Pool<Thread, 0xa3> threads;

/// Null: it was not told to begin, or was told to end.
Thread* calling_thread();
void set_calling_thread(Thread* thread);
/// Whether the calling thread has been one, and has ended.
bool thread_ended();
void set_thread_ended();
/// 0 if it is not known.
unsigned calling_thread_number();

uint64_t next_region_id();
uint64_t next_task_id();
unsigned next_thread_number();

/// For messages: the number of the task, 0 if there is none.
inline uint64_t id_of(const Task* task) { return task ? task->id : 0; }
inline uint64_t id_of(const Region* region) { return region ? region->id : 0; }
uint64_t task_id(const ompt_data_t* data);
uint64_t region_id(const ompt_data_t* data);

/// A task's record is kept for its children's, so that ancestors can be found.
void drop(Task* task);

void use(Group* group);
void drop(Group* group);

bool is_barrier(int sync_kind);
/// Without the kinds for tests, which are told of as the others when they are given back.
ompt_mutex_t plain_kind(ompt_mutex_t kind);

} // namespace ompt_check
