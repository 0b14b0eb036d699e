// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A host for the checker that is no runtime: it calls the callbacks as its scenarios say, most of
// them wrongly, to show that each rule can be broken.
//
//   fake_runtime list            scenarios, each with the rule that it breaks and words of the
//   complaint fake_runtime CHECKER NAME    plays one
#include <dlfcn.h>
#include <initializer_list>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "omp-tools.h"

namespace {

// ---- what the entry points say ----

struct Fake {
  ompt_data_t data = {0};
  ompt_frame_t frame = {{0}, {0}, 0, 0};
  int flags = 0;
  int index = 0;
};

ompt_callback_t callbacks[64];
ompt_data_t region_data, initial_region_data;
int team_size = 1;
Fake initial, implicit_task;
Fake other_implicit; ///< of the second thread
void (*look)();

thread_local Fake* current;
thread_local ompt_data_t thread_data;
thread_local int state = ompt_state_work_serial;
thread_local uint64_t state_mutex;
thread_local ompt_data_t* told_region = &initial_region_data;
bool forget_task, another_thread_data, enumerates_nothing, ids_repeat;
const char* missing = "";

ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback) {
  callbacks[event] = callback;
  return ompt_set_always;
}
bool forgets_callbacks, refuses_callbacks;
ompt_set_result_t set_callback_never(ompt_callbacks_t, ompt_callback_t) { return ompt_set_error; }
int get_callback(ompt_callbacks_t event, ompt_callback_t* callback) {
  *callback = forgets_callbacks ? nullptr : callbacks[event];
  return *callback != nullptr;
}
int get_state(ompt_wait_id_t* mutex) {
  *mutex = state_mutex;
  return state;
}
int get_task_info(int level, int* flags, ompt_data_t** data, ompt_frame_t** frame,
                  ompt_data_t** region, int* number) {
  if (level != 0 || forget_task)
    return 0;
  *flags = current->flags;
  *data = &current->data;
  *frame = &current->frame;
  *region = told_region;
  *number = current->index;
  return 2;
}
int get_parallel_info(int level, ompt_data_t** data, int* size) {
  if (level != 0)
    return 0;
  *data = told_region;
  *size = told_region == &initial_region_data ? 1 : team_size;
  return 2;
}
ompt_data_t* get_thread_data() { return another_thread_data ? &region_data : &thread_data; }
int enumerate_states(int now, int* next, const char** name) {
  if (now == ompt_state_work_parallel || enumerates_nothing)
    return 0;
  *next = ompt_state_work_parallel;
  *name = "ompt_state_work_parallel";
  return 1;
}
int enumerate_mutexes(int, int*, const char**) { return 0; }
uint64_t unique() {
  static uint64_t last;
  return ids_repeat ? 1 : ++last;
}
int one() { return 1; }

template <class F> ompt_interface_fn_t generic(F* function) {
  return reinterpret_cast<ompt_interface_fn_t>(function);
}

ompt_interface_fn_t lookup(const char* name) {
  if (strcmp(name, missing) == 0)
    return nullptr;
  const struct {
    const char* name;
    ompt_interface_fn_t function;
  } table[] = {
      {"ompt_set_callback",
       refuses_callbacks ? generic(set_callback_never) : generic(set_callback)},
      {"ompt_get_callback", generic(get_callback)},
      {"ompt_get_state", generic(get_state)},
      {"ompt_get_task_info", generic(get_task_info)},
      {"ompt_get_parallel_info", generic(get_parallel_info)},
      {"ompt_get_thread_data", generic(get_thread_data)},
      {"ompt_enumerate_states", generic(enumerate_states)},
      {"ompt_enumerate_mutex_impls", generic(enumerate_mutexes)},
      {"ompt_get_unique_id", generic(unique)},
  };
  for (const auto& entry : table)
    if (strcmp(entry.name, name) == 0)
      return entry.function;
  if (strcmp(name, "ompt_no_such_entry_point") == 0)
    return nullptr;
  return generic(one);
}

template <class F> F* to(ompt_callbacks_t event) { return reinterpret_cast<F*>(callbacks[event]); }
#define CALL(event, ...)                                                                           \
  to<std_function<ompt_callback_##event##_t>>(ompt_callback_##event)(__VA_ARGS__)
template <class P> struct Pointed;
template <class F> struct Pointed<F*> {
  using type = F;
};
template <class P> using std_function = typename Pointed<P>::type;
using ompt_callback_sync_region_wait_t = ompt_callback_sync_region_t;
using ompt_callback_reduction_t = ompt_callback_sync_region_t;
using ompt_callback_lock_init_t = ompt_callback_mutex_acquire_t;
using ompt_callback_lock_destroy_t = ompt_callback_mutex_t;
using ompt_callback_mutex_acquired_t = ompt_callback_mutex_t;
using ompt_callback_mutex_released_t = ompt_callback_mutex_t;

// ---- a runtime that does all right ----

void* library;
ompt_start_tool_result_t* tool;

/// An address in this program that is not taken for the runtime's: the runtime is where `lookup`
/// is.
const void* here;
/// One in the "runtime".
const void* inside() { return reinterpret_cast<const void*>(&lookup); }

bool load(const char* path) {
  library = dlopen(path, RTLD_NOW);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return false;
  }
  auto start = reinterpret_cast<ompt_start_tool_result_t* (*)(unsigned, const char*)>(
      dlsym(library, "ompt_start_tool"));
  look = reinterpret_cast<void (*)()>(dlsym(library, "xomp_ompt_check_here"));
  here = dlsym(RTLD_DEFAULT, "printf"); // a library's code: as good as the program's
  tool = start(202111, "fake");
  return tool && look && here;
}

void initialize() { tool->initialize(lookup, 0, &tool->tool_data); }

void thread_begins(ompt_thread_t kind = ompt_thread_initial) {
  CALL(thread_begin, kind, &thread_data);
}
void thread_ends() { CALL(thread_end, &thread_data); }

/// The exit frame is older, that is, higher.
void set_frames(Fake& task, bool entered) {
  uintptr_t base = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  task.frame.exit_frame.ptr =
      task.flags & ompt_task_initial ? nullptr : reinterpret_cast<void*>(base + 64);
  task.frame.enter_frame.ptr = entered ? reinterpret_cast<void*>(base) : nullptr;
}

/// Around what is told from inside the runtime.
struct InRuntime {
  InRuntime() { set_frames(*current, true); }
  ~InRuntime() { set_frames(*current, false); }
};

void begin() {
  thread_begins();
  initial.flags = ompt_task_initial;
  current = &initial;
  set_frames(initial, false);
  CALL(implicit_task, ompt_scope_begin, &initial_region_data, &initial.data, 1, 1,
       ompt_task_initial);
}

void finish() {
  CALL(implicit_task, ompt_scope_end, nullptr, &initial.data, 0, 1, ompt_task_initial);
  thread_ends();
}

constexpr int kTeam = static_cast<int>(ompt_parallel_team) | ompt_parallel_invoker_program;

void region_begins(unsigned requested = 1, int flags = kTeam, const void* address = here) {
  InRuntime inside;
  CALL(parallel_begin, &current->data, &current->frame, &region_data, requested, flags, address);
}

void region_ends(int flags = kTeam) {
  CALL(parallel_end, &region_data, &initial.data, flags, here);
}

void implicit_begins(Fake& task = implicit_task, unsigned index = 0) {
  task.flags = ompt_task_implicit;
  task.index = static_cast<int>(index);
  CALL(implicit_task, ompt_scope_begin, &region_data, &task.data, static_cast<unsigned>(team_size),
       index, ompt_task_implicit);
  current = &task;
  told_region = &region_data;
  state = ompt_state_work_parallel;
  set_frames(task, false);
}

void implicit_ends(Fake& task = implicit_task) {
  CALL(implicit_task, ompt_scope_end, nullptr, &task.data, 0, static_cast<unsigned>(task.index),
       ompt_task_implicit);
  current = &initial;
  told_region = &initial_region_data;
  state = ompt_state_work_serial;
}

void into_region() {
  region_begins();
  implicit_begins();
}
void out_of_region() {
  implicit_ends();
  region_ends();
}

void create(Fake& task, int flags = ompt_task_explicit, int dependences = 0,
            const void* address = here) {
  InRuntime inside;
  task.flags = flags;
  CALL(task_create, &current->data, &current->frame, &task.data, flags, dependences, address);
}

void schedule(Fake& prior, ompt_task_status_t status, Fake& next) {
  CALL(task_schedule, &prior.data, status, &next.data);
  current = &next;
  set_frames(next, false);
}

/// Created, run, completed; from the current task.
void run(Fake& task) {
  Fake& by = *current;
  schedule(by, ompt_task_switch, task);
  schedule(task, ompt_task_complete, by);
}

ompt_data_t* region_of_now() { return told_region; }

void sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint) {
  InRuntime inside;
  CALL(sync_region, kind, endpoint, region_of_now(), &current->data, here);
}
void wait_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint) {
  InRuntime inside;
  CALL(sync_region_wait, kind, endpoint, region_of_now(), &current->data, here);
}

int state_for(ompt_sync_region_t kind) {
  return kind == ompt_sync_region_taskwait    ? ompt_state_wait_taskwait
         : kind == ompt_sync_region_taskgroup ? ompt_state_wait_taskgroup
                                              : ompt_state_wait_barrier_explicit;
}

void enter(ompt_sync_region_t kind) {
  sync_region(kind, ompt_scope_begin);
  wait_region(kind, ompt_scope_begin);
  state = state_for(kind);
}
void leave(ompt_sync_region_t kind) {
  wait_region(kind, ompt_scope_end);
  state = ompt_state_work_parallel;
  sync_region(kind, ompt_scope_end);
}
void wait_at(ompt_sync_region_t kind) {
  enter(kind);
  leave(kind);
}

void work(ompt_work_t kind, ompt_scope_endpoint_t endpoint) {
  CALL(work, kind, endpoint, region_of_now(), &current->data, 1, here);
}

void acquire(ompt_mutex_t kind, uint64_t mutex) { CALL(mutex_acquire, kind, 0, 0, mutex, here); }
void acquired(ompt_mutex_t kind, uint64_t mutex) { CALL(mutex_acquired, kind, mutex, here); }
void released(ompt_mutex_t kind, uint64_t mutex) { CALL(mutex_released, kind, mutex, here); }

/// The rest of a scenario on another thread, which the runtime made.
void on_another_thread(void (*function)()) {
  static void (*what)();
  what = function;
  pthread_t thread;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        thread_begins(ompt_thread_worker);
        current = &other_implicit;
        what();
        thread_ends();
        return nullptr;
      },
      nullptr);
  pthread_join(thread, nullptr);
}

Fake a, b, c;
char elsewhere; ///< not on a stack

// ---- scenarios ----

void all_right() {
  begin();
  into_region();
  look();
  create(a);
  create(b, ompt_task_explicit | ompt_task_undeferred);
  run(b);
  enter(ompt_sync_region_taskwait);
  state = ompt_state_work_parallel;
  run(a);
  state = ompt_state_wait_taskwait;
  leave(ompt_sync_region_taskwait);
  work(ompt_work_loop_dynamic, ompt_scope_begin);
  CALL(dispatch, &region_data, &current->data, ompt_dispatch_iteration, ompt_data_t{.value = 3});
  work(ompt_work_loop_dynamic, ompt_scope_end);
  CALL(lock_init, ompt_mutex_lock, 0, 0, 8, here);
  acquire(ompt_mutex_lock, 8);
  acquired(ompt_mutex_lock, 8);
  acquire(ompt_mutex_test_lock, 8);
  released(ompt_mutex_lock, 8);
  CALL(lock_destroy, ompt_mutex_lock, 8, here);
  wait_at(ompt_sync_region_barrier_explicit);
  out_of_region();
  finish();
}

const struct Scenario {
  const char* name;
  const char* rules; ///< all that are broken, joined by '+'
  const char* words; ///< of the complaint
  void (*play)();
} scenarios[] = {
    {"all_right", "", "", all_right},

    // data
    {"task_data_not_fresh", "data", "not zero at first",
     [] {
       begin();
       a.data.value = 7;
       create(a);
       run(a);
       finish();
     }},
    {"region_data_not_fresh", "data", "not zero at first",
     [] {
       begin();
       region_data.value = 7;
       into_region();
       out_of_region();
       finish();
     }},
    {"thread_data_not_fresh", "data", "not zero at first",
     [] {
       thread_data.value = 7;
       begin();
       finish();
     }},
    {"task_not_created", "data", "names no task",
     [] {
       begin();
       CALL(task_schedule, &initial.data, ompt_task_switch, &a.data);
       finish();
     }},
    {"task_run_after_its_end", "data", "is over",
     [] {
       begin();
       create(a);
       schedule(initial, ompt_task_switch, a);
       create(b);
       schedule(a, ompt_task_complete, initial);
       CALL(task_schedule, &initial.data, ompt_task_switch, &a.data);
       run(b);
       finish();
     }},

    // threads
    {"thread_begins_twice", "threads", "has begun already",
     [] {
       begin();
       thread_begins();
       finish();
     }},
    {"callback_before_thread_begin", "threads", "has not begun",
     [] { CALL(flush, &thread_data, here); }},
    {"thread_ends_in_a_task", "ends+threads", "still in task",
     [] {
       begin();
       thread_ends();
     }},
    {"thread_ends_with_foreign_data", "threads", "not that of the thread's beginning",
     [] {
       begin();
       CALL(implicit_task, ompt_scope_end, nullptr, &initial.data, 0, 1, ompt_task_initial);
       CALL(thread_end, &initial.data);
     }},
    {"flush_with_foreign_data", "threads", "not that of this thread",
     [] {
       begin();
       CALL(flush, &initial.data, here);
       finish();
     }},

    // regions
    {"region_ends_twice", "regions", "has not begun, or is over",
     [] {
       begin();
       into_region();
       out_of_region();
       region_ends();
       finish();
     }},
    {"region_ends_without_its_tasks", "regions", "of its 0 implicit tasks",
     [] {
       begin();
       region_begins();
       region_ends();
       finish();
     }},
    {"implicit_task_of_no_region", "regions", "has not begun, or is over",
     [] {
       begin();
       CALL(implicit_task, ompt_scope_begin, &region_data, &implicit_task.data, 1, 0,
            ompt_task_implicit);
       finish();
     }},
    {"foreign_region_at_a_barrier", "regions", "belongs to region",
     [] {
       begin();
       into_region();
       told_region = &region_data;
       CALL(work, ompt_work_loop, ompt_scope_begin, &initial_region_data, &current->data, 1, here);
       CALL(work, ompt_work_loop, ompt_scope_end, &region_data, &current->data, 1, here);
       out_of_region();
       finish();
     }},
    {"no_region_at_a_taskwait", "regions", "no data of the region",
     [] {
       begin();
       sync_region(ompt_sync_region_taskwait, ompt_scope_begin);
       CALL(sync_region, ompt_sync_region_taskwait, ompt_scope_end, nullptr, &current->data, here);
       finish();
     }},

    // implicit
    {"same_index_twice", "implicit", "a second implicit task with index 0",
     [] {
       begin();
       team_size = 2;
       region_begins(2);
       implicit_begins();
       on_another_thread([] {
         implicit_begins(other_implicit, 0);
         wait_at(ompt_sync_region_barrier_explicit);
         implicit_ends(other_implicit);
       });
       wait_at(ompt_sync_region_barrier_explicit);
       out_of_region();
       finish();
     }},
    {"index_beyond_the_team", "implicit", "index 5 in a team of 1",
     [] {
       begin();
       region_begins();
       implicit_begins(implicit_task, 5);
       out_of_region();
       finish();
     }},
    {"team_larger_than_requested", "implicit", "2 threads where 1 were requested",
     [] {
       begin();
       team_size = 2;
       region_begins(1);
       implicit_begins();
       on_another_thread([] {
         implicit_begins(other_implicit, 1);
         wait_at(ompt_sync_region_barrier_explicit);
         implicit_ends(other_implicit);
       });
       wait_at(ompt_sync_region_barrier_explicit);
       out_of_region();
       finish();
     }},
    {"implicit_task_ends_before_its_barrier", "implicit", "ends before the barrier",
     [] {
       begin();
       team_size = 2;
       region_begins(2);
       implicit_begins();
       on_another_thread([] {
         implicit_begins(other_implicit, 1);
         implicit_ends(other_implicit);
       });
       wait_at(ompt_sync_region_barrier_explicit);
       out_of_region();
       finish();
     }},
    {"index_changes", "implicit", "index 3 at the end",
     [] {
       begin();
       into_region();
       CALL(implicit_task, ompt_scope_end, nullptr, &implicit_task.data, 0, 3, ompt_task_implicit);
       region_ends();
       finish();
     }},
    {"implicit_task_inside_another", "implicit", "which did not begin region",
     [] {
       begin();
       into_region();
       create(a);
       schedule(implicit_task, ompt_task_switch, a);
       static ompt_data_t inner; // begun by a
       {
         InRuntime inside;
         CALL(parallel_begin, &a.data, &a.frame, &inner, 2, kTeam, here);
       }
       create(b);
       schedule(a, ompt_task_switch, b);
       CALL(implicit_task, ompt_scope_begin, &inner, &c.data, 2, 0, ompt_task_implicit);
     }},
    {"initial_task_with_another_number", "implicit", "not 1 of 1",
     [] {
       thread_begins();
       CALL(implicit_task, ompt_scope_begin, &initial_region_data, &initial.data, 1, 0,
            ompt_task_initial);
       CALL(implicit_task, ompt_scope_end, nullptr, &initial.data, 0, 0, ompt_task_initial);
       thread_ends();
     }},

    // arguments
    {"implicit_end_with_region", "arguments", "it may be gone",
     [] {
       begin();
       into_region();
       CALL(implicit_task, ompt_scope_end, &region_data, &implicit_task.data, 0, 0,
            ompt_task_implicit);
       region_ends();
       finish();
     }},
    {"implicit_end_with_size", "arguments", "where 0 is said",
     [] {
       begin();
       into_region();
       CALL(implicit_task, ompt_scope_end, nullptr, &implicit_task.data, 1, 0, ompt_task_implicit);
       region_ends();
       finish();
     }},
    {"region_without_invoker", "arguments", "do not say who calls",
     [] {
       begin();
       constexpr int kFlags = static_cast<int>(ompt_parallel_team);
       region_begins(1, kFlags);
       implicit_begins();
       implicit_ends();
       region_ends(kFlags);
       finish();
     }},
    {"region_flags_change", "arguments", "at the beginning",
     [] {
       begin();
       into_region();
       implicit_ends();
       region_ends(static_cast<int>(ompt_parallel_team) | ompt_parallel_invoker_runtime);
       finish();
     }},
    {"task_without_kind", "arguments", "name no kind of task",
     [] {
       begin();
       create(a, static_cast<int>(ompt_task_untied));
       run(a);
       finish();
     }},
    {"status_unknown", "arguments", "a status of 99",
     [] {
       begin();
       create(a);
       CALL(task_schedule, &initial.data, static_cast<ompt_task_status_t>(99), &a.data);
       run(a);
       finish();
     }},
    {"endpoint_unknown", "arguments", "an endpoint of 9",
     [] {
       begin();
       CALL(masked, static_cast<ompt_scope_endpoint_t>(9), &initial_region_data, &initial.data,
            here);
       finish();
     }},
    {"dependence_unknown", "arguments", "a dependence of kind 77",
     [] {
       begin();
       create(a, ompt_task_explicit, 1);
       ompt_dependence_t list = {{0}, static_cast<ompt_dependence_type_t>(77)};
       CALL(dependences, &a.data, &list, 1);
       run(a);
       finish();
     }},
    {"cancel_without_construct", "arguments", "name no construct",
     [] {
       begin();
       CALL(cancel, &initial.data, ompt_cancel_activated, here);
       finish();
     }},
    {"mutex_unknown", "arguments", "a mutex of kind 12",
     [] {
       begin();
       acquire(static_cast<ompt_mutex_t>(12), 1);
       acquired(static_cast<ompt_mutex_t>(12), 1);
       released(static_cast<ompt_mutex_t>(12), 1);
       finish();
     }},
    {"work_unknown", "arguments", "worksharing of kind 9",
     [] {
       begin();
       work(static_cast<ompt_work_t>(9), ompt_scope_beginend);
       finish();
     }},

    // schedule
    {"created_by_another_task", "schedule", "the thread is in task",
     [] {
       begin();
       into_region();
       create(a);
       CALL(sync_region, ompt_sync_region_taskwait, ompt_scope_beginend, &region_data, &a.data,
            here);
       run(a);
       out_of_region();
       finish();
     }},
    {"prior_is_not_current", "schedule", "the prior task is",
     [] {
       begin();
       into_region();
       create(a);
       create(b);
       schedule(implicit_task, ompt_task_switch, a);
       CALL(task_schedule, &implicit_task.data, ompt_task_switch, &b.data);
       CALL(task_schedule, &b.data, ompt_task_complete, &a.data);
     }},
    {"completed_twice", "data", "names no task",
     [] {
       begin();
       create(a);
       run(a);
       CALL(task_schedule, &a.data, ompt_task_complete, &initial.data);
       finish();
     }},
    {"runs_twice_at_once", "schedule", "runs already",
     [] {
       begin();
       team_size = 2;
       region_begins(2);
       implicit_begins();
       create(a);
       schedule(implicit_task, ompt_task_switch, a);
       on_another_thread([] {
         implicit_begins(other_implicit, 1);
         CALL(task_schedule, &other_implicit.data, ompt_task_switch, &a.data);
         CALL(task_schedule, &a.data, ompt_task_complete, &other_implicit.data);
         wait_at(ompt_sync_region_barrier_explicit);
         implicit_ends(other_implicit);
       });
       current = &implicit_task;
       told_region = &region_data;
     }},
    {"tied_task_moves", "schedule", "goes on on another thread",
     [] {
       begin();
       team_size = 2;
       region_begins(2);
       implicit_begins();
       create(a);
       schedule(implicit_task, ompt_task_switch, a);
       schedule(a, ompt_task_yield, implicit_task);
       on_another_thread([] {
         implicit_begins(other_implicit, 1);
         schedule(other_implicit, ompt_task_switch, a);
         schedule(a, ompt_task_complete, other_implicit);
         wait_at(ompt_sync_region_barrier_explicit);
         implicit_ends(other_implicit);
       });
       wait_at(ompt_sync_region_barrier_explicit);
       out_of_region();
       finish();
     }},
    {"implicit_task_completed", "schedule", "is completed by scheduling",
     [] {
       begin();
       into_region();
       create(a);
       CALL(task_schedule, &implicit_task.data, ompt_task_complete, &a.data);
       current = &a;
       schedule(a, ompt_task_complete, implicit_task);
     }},
    {"late_event_of_running_task", "schedule", "its code is not over",
     [] {
       begin();
       create(a);
       schedule(initial, ompt_task_switch, a);
       CALL(task_schedule, &a.data, ompt_task_late_fulfill, nullptr);
       schedule(a, ompt_task_complete, initial);
       finish();
     }},
    {"early_event_of_detached_task", "schedule", "its code is over",
     [] {
       begin();
       create(a);
       schedule(initial, ompt_task_switch, a);
       schedule(a, ompt_task_detach, initial);
       CALL(task_schedule, &a.data, ompt_task_early_fulfill, nullptr);
       CALL(task_schedule, &a.data, ompt_task_late_fulfill, nullptr);
       finish();
     }},
    {"from_a_task_to_itself", "schedule", "to itself",
     [] {
       begin();
       CALL(task_schedule, &initial.data, ompt_task_switch, &initial.data);
       finish();
     }},
    {"taskwait_that_is_none", "schedule", "is no taskwait",
     [] {
       begin();
       create(a);
       CALL(task_schedule, &a.data, ompt_taskwait_complete, nullptr);
       finish();
     }},

    // constraint
    {"unrelated_task_in_a_taskwait", "constraint", "does not descend",
     [] {
       begin();
       into_region();
       create(a);
       create(b);
       schedule(implicit_task, ompt_task_switch, a);
       enter(ompt_sync_region_taskwait);
       state = ompt_state_work_parallel;
       run(b);
       state = ompt_state_wait_taskwait;
       leave(ompt_sync_region_taskwait);
       schedule(a, ompt_task_complete, implicit_task);
       out_of_region();
       finish();
     }},

    // dependences
    {"begins_before_its_source", "dependences", "begins before task",
     [] {
       begin();
       create(a, ompt_task_explicit, 1);
       ompt_dependence_t out = {{0}, ompt_dependence_type_out};
       CALL(dependences, &a.data, &out, 1);
       create(b, ompt_task_explicit, 1);
       CALL(dependences, &b.data, &out, 1);
       CALL(task_dependence, &a.data, &b.data);
       run(b);
       run(a);
       finish();
     }},
    {"dependences_not_told", "dependences", "have not been told",
     [] {
       begin();
       create(a, ompt_task_explicit, 1);
       run(a);
       finish();
     }},
    {"dependences_not_announced", "dependences", "created without dependences",
     [] {
       begin();
       create(a);
       ompt_dependence_t out = {{0}, ompt_dependence_type_out};
       CALL(dependences, &a.data, &out, 1);
       run(a);
       finish();
     }},
    {"dependences_told_twice", "dependences", "are told again",
     [] {
       begin();
       create(a, ompt_task_explicit, 1);
       ompt_dependence_t out = {{0}, ompt_dependence_type_out};
       CALL(dependences, &a.data, &out, 1);
       CALL(dependences, &a.data, &out, 1);
       run(a);
       finish();
     }},
    {"dependence_told_late", "dependences", "told after its begin",
     [] {
       begin();
       create(a, ompt_task_explicit, 1);
       create(b, ompt_task_explicit, 1);
       ompt_dependence_t out = {{0}, ompt_dependence_type_out};
       CALL(dependences, &a.data, &out, 1);
       CALL(dependences, &b.data, &out, 1);
       schedule(initial, ompt_task_switch, b);
       CALL(task_dependence, &a.data, &b.data);
       schedule(b, ompt_task_complete, initial);
       run(a);
       finish();
     }},

    // waits
    {"taskwait_leaves_a_child", "waits", "of its children are not over",
     [] {
       begin();
       create(a);
       wait_at(ompt_sync_region_taskwait);
       state = ompt_state_work_serial;
       run(a);
       finish();
     }},
    {"taskgroup_leaves_a_descendant", "waits", "tasks in it are not over",
     [] {
       begin();
       sync_region(ompt_sync_region_taskgroup, ompt_scope_begin);
       create(a);
       schedule(initial, ompt_task_switch, a);
       create(b);
       schedule(a, ompt_task_complete, initial);
       sync_region(ompt_sync_region_taskgroup, ompt_scope_end);
       run(b);
       finish();
     }},
    {"barrier_leaves_a_task", "waits", "leaves a barrier",
     [] {
       begin();
       into_region();
       create(a);
       wait_at(ompt_sync_region_barrier_explicit);
       run(a);
       out_of_region();
       finish();
     }},
    {"barrier_of_a_cancelled_region", "", "",
     [] {
       begin();
       into_region();
       create(a);
       CALL(cancel, &implicit_task.data, ompt_cancel_parallel | ompt_cancel_activated, here);
       wait_at(ompt_sync_region_barrier_explicit);
       run(a);
       out_of_region();
       finish();
     }},
    {"region_leaves_a_task", "ends+waits", "of its tasks are not over",
     [] {
       begin();
       into_region();
       create(a);
       out_of_region();
     }},
    {"barrier_leaves_a_detached_task", "waits", "leaves a barrier",
     [] {
       begin();
       into_region();
       create(a);
       schedule(implicit_task, ompt_task_switch, a);
       schedule(a, ompt_task_detach, implicit_task);
       wait_at(ompt_sync_region_barrier_explicit);
       CALL(task_schedule, &a.data, ompt_task_late_fulfill, nullptr);
       out_of_region();
       finish();
     }},

    // nesting
    {"work_not_begun", "nesting", "which it has not begun",
     [] {
       begin();
       work(ompt_work_loop, ompt_scope_end);
       finish();
     }},
    {"work_ends_as_another", "nesting", "which it has not begun",
     [] {
       begin();
       work(ompt_work_loop_static, ompt_scope_begin);
       work(ompt_work_loop_dynamic, ompt_scope_end);
       work(ompt_work_loop_static, ompt_scope_end);
       finish();
     }},
    {"constructs_overlap", "nesting", "that it began later",
     [] {
       begin();
       work(ompt_work_sections, ompt_scope_begin);
       CALL(masked, ompt_scope_begin, &initial_region_data, &initial.data, here);
       work(ompt_work_sections, ompt_scope_end);
       finish();
     }},
    {"task_ends_inside_a_construct", "nesting", "are open",
     [] {
       begin();
       create(a);
       schedule(initial, ompt_task_switch, a);
       sync_region(ompt_sync_region_taskgroup, ompt_scope_begin);
       schedule(a, ompt_task_complete, initial);
       finish();
     }},
    {"wait_outside_of_a_synchronization", "nesting", "outside of such a synchronization",
     [] {
       begin();
       wait_region(ompt_sync_region_taskwait, ompt_scope_begin);
       state = ompt_state_overhead;
       wait_region(ompt_sync_region_taskwait, ompt_scope_end);
       state = ompt_state_work_serial;
       finish();
     }},
    {"barrier_in_an_explicit_task", "nesting", "explicit task",
     [] {
       begin();
       create(a);
       schedule(initial, ompt_task_switch, a);
       sync_region(ompt_sync_region_barrier_explicit, ompt_scope_begin);
       schedule(a, ompt_task_cancel, initial);
       finish();
     }},
    {"dispatch_outside_of_work", "nesting", "has begun no worksharing",
     [] {
       begin();
       CALL(dispatch, &initial_region_data, &initial.data, ompt_dispatch_iteration,
            ompt_data_t{.value = 1});
       finish();
     }},
    {"reduction_not_ended", "nesting", "are open",
     [] {
       begin();
       CALL(reduction, ompt_sync_region_reduction, ompt_scope_begin, &initial_region_data,
            &initial.data, here);
       finish();
     }},

    // mutexes
    {"acquired_without_asking", "mutexes", "was not asked for",
     [] {
       begin();
       acquired(ompt_mutex_critical, 5);
       released(ompt_mutex_critical, 5);
       finish();
     }},
    {"asked_and_never_acquired", "mutexes", "has not been told to have it",
     [] {
       begin();
       acquire(ompt_mutex_critical, 5);
       create(a);
       run(a);
       finish();
     }},
    {"another_one_acquired", "mutexes", "was not asked for",
     [] {
       begin();
       acquire(ompt_mutex_critical, 5);
       acquired(ompt_mutex_critical, 6);
       released(ompt_mutex_critical, 6);
       finish();
     }},
    {"released_without_having", "mutexes", "which it does not have",
     [] {
       begin();
       released(ompt_mutex_atomic, 5);
       finish();
     }},
    {"asks_for_what_it_has", "mutexes", "which it has",
     [] {
       begin();
       acquire(ompt_mutex_ordered, 5);
       acquired(ompt_mutex_ordered, 5);
       acquire(ompt_mutex_ordered, 5);
       acquired(ompt_mutex_ordered, 5);
       released(ompt_mutex_ordered, 5);
       finish();
     }},
    {"task_ends_in_a_critical", "mutexes", "and has critical",
     [] {
       begin();
       create(a);
       schedule(initial, ompt_task_switch, a);
       acquire(ompt_mutex_critical, 5);
       acquired(ompt_mutex_critical, 5);
       schedule(a, ompt_task_complete, initial);
       finish();
     }},
    {"lock_not_initialized", "mutexes", "has not been initialized",
     [] {
       begin();
       acquire(ompt_mutex_lock, 5);
       acquired(ompt_mutex_lock, 5);
       released(ompt_mutex_lock, 5);
       finish();
     }},
    {"lock_destroyed_twice", "mutexes", "was not initialized",
     [] {
       begin();
       CALL(lock_init, ompt_mutex_nest_lock, 0, 0, 5, here);
       CALL(lock_destroy, ompt_mutex_nest_lock, 5, here);
       CALL(lock_destroy, ompt_mutex_nest_lock, 5, here);
       finish();
     }},
    {"nest_lock_released_inside", "mutexes", "inner rounds are open",
     [] {
       begin();
       CALL(lock_init, ompt_mutex_nest_lock, 0, 0, 5, here);
       acquire(ompt_mutex_nest_lock, 5);
       acquired(ompt_mutex_nest_lock, 5);
       acquire(ompt_mutex_nest_lock, 5);
       CALL(nest_lock, ompt_scope_begin, 5, here);
       released(ompt_mutex_nest_lock, 5);
       finish();
     }},
    {"nest_lock_round_too_many", "mutexes", "the last round",
     [] {
       begin();
       CALL(lock_init, ompt_mutex_nest_lock, 0, 0, 5, here);
       acquire(ompt_mutex_nest_lock, 5);
       acquired(ompt_mutex_nest_lock, 5);
       CALL(nest_lock, ompt_scope_end, 5, here);
       finish();
     }},

    // states
    {"waits_while_it_works", "states", "does not fit task",
     [] {
       begin();
       state = ompt_state_wait_taskwait;
       create(a);
       state = ompt_state_work_serial;
       run(a);
       finish();
     }},
    {"works_while_it_waits", "states", "in a wait of task",
     [] {
       begin();
       enter(ompt_sync_region_taskwait);
       state = ompt_state_work_serial;
       leave(ompt_sync_region_taskwait);
       state = ompt_state_work_serial;
       finish();
     }},
    {"parallel_outside_of_regions", "states", "does not fit task",
     [] {
       begin();
       state = ompt_state_work_parallel;
       create(a);
       run(a);
       finish();
     }},
    {"another_mutex_waited_for", "states", "was asked for",
     [] {
       begin();
       acquire(ompt_mutex_critical, 5);
       state = ompt_state_wait_critical;
       state_mutex = 6;
       acquired(ompt_mutex_critical, 5);
       state = ompt_state_work_serial;
       released(ompt_mutex_critical, 5);
       finish();
     }},
    {"waits_in_its_own_code", "states", "in a task's own code",
     [] {
       begin();
       state = ompt_state_overhead;
       look();
       finish();
     }},

    // frames
    {"no_enter_frame_at_a_creation", "frames", "has no enter frame",
     [] {
       begin();
       a.flags = ompt_task_explicit;
       CALL(task_create, &initial.data, &initial.frame, &a.data, ompt_task_explicit, 0, here);
       run(a);
       finish();
     }},
    {"enter_frame_in_its_own_code", "frames", "and it has an enter frame",
     [] {
       begin();
       InRuntime inside;
       look();
       finish();
     }},
    {"exit_frame_of_the_initial_task", "frames", "has an exit frame",
     [] {
       begin();
       initial.frame.exit_frame.ptr = __builtin_frame_address(0);
       look();
       finish();
     }},
    {"no_exit_frame", "frames", "has no exit frame",
     [] {
       begin();
       into_region();
       implicit_task.frame.exit_frame.ptr = nullptr;
       look();
       out_of_region();
       finish();
     }},
    {"frame_elsewhere", "frames", "is not on this stack",
     [] {
       begin();
       into_region();
       implicit_task.frame.exit_frame.ptr = &elsewhere;
       look();
       out_of_region();
       finish();
     }},
    {"frames_in_the_wrong_order", "frames", "younger than",
     [] {
       begin();
       into_region();
       char* frame = static_cast<char*>(__builtin_frame_address(0));
       implicit_task.frame.exit_frame.ptr = frame;
       implicit_task.frame.enter_frame.ptr = frame + 32;
       work(ompt_work_loop, ompt_scope_beginend);
       out_of_region();
       finish();
     }},

    // addresses
    {"no_return_address", "no-address", "no return address",
     [] {
       begin();
       create(a, ompt_task_explicit, 0, nullptr);
       run(a);
       finish();
     }},
    {"return_address_in_the_runtime", "addresses", "lies in the runtime",
     [] {
       begin();
       create(a, ompt_task_explicit, 0, inside());
       run(a);
       finish();
     }},
    {"return_address_in_data", "addresses", "is not code",
     [] {
       begin();
       create(a, ompt_task_explicit, 0, &state_mutex);
       run(a);
       finish();
     }},

    // info
    {"task_info_of_another", "info", "is named",
     [] {
       begin();
       into_region();
       current = &initial;
       initial.flags = ompt_task_implicit;
       initial.frame.exit_frame.ptr = __builtin_frame_address(0);
       look();
       current = &implicit_task;
       initial.flags = ompt_task_initial;
       out_of_region();
       finish();
     }},
    {"no_task_info", "info", "nothing is known of the current task",
     [] {
       begin();
       forget_task = true;
       look();
       finish();
     }},
    {"team_size_differs", "info", "a team size of 3",
     [] {
       begin();
       into_region();
       team_size = 3;
       look();
       out_of_region();
       finish();
     }},
    {"thread_number_differs", "info", "thread number 2",
     [] {
       begin();
       into_region();
       implicit_task.index = 2;
       look();
       implicit_task.index = 0;
       out_of_region();
       finish();
     }},
    {"thread_data_elsewhere", "info", "not where it was",
     [] {
       begin();
       another_thread_data = true;
       look();
       finish();
     }},

    // ends
    {"task_never_run", "ends", "is not over",
     [] {
       begin();
       create(a);
       finish();
     }},
    {"region_never_ended", "ends", "regions are not over",
     [] {
       begin();
       into_region();
       implicit_ends();
       finish();
     }},
    {"thread_never_ended", "ends", "threads have not ended",
     [] {
       begin();
       CALL(implicit_task, ompt_scope_end, nullptr, &initial.data, 0, 1, ompt_task_initial);
     }},
    {"called_after_the_end", "ends", "after the tool was finalized",
     [] {
       begin();
       finish();
       tool->finalize(&tool->tool_data);
       CALL(flush, &thread_data, here);
     }},
};

// ---- entry points: wrong before the first callback ----

const struct Setting {
  const char* name;
  const char* words;
  void (*set)();
} settings[] = {
    {"entry_point_missing", "no ompt_get_state", [] { missing = "ompt_get_state"; }},
    {"states_not_enumerated", "does not know of work in parallel",
     [] { enumerates_nothing = true; }},
    {"ids_repeat", "is not unique", [] { ids_repeat = true; }},
    {"callbacks_forgotten", "not what was set", [] { forgets_callbacks = true; }},
    {"callbacks_refused", "error for thread_begin", [] { refuses_callbacks = true; }},
};

int list() {
  for (const Scenario& scenario : scenarios)
    printf("%s\t%s\t%s\n", scenario.name, scenario.rules, scenario.words);
  for (const Setting& setting : settings)
    printf("%s\t%s\t%s\n", setting.name, "entry-points", setting.words);
  return 0;
}

int play(const char* name) {
  for (const Setting& setting : settings)
    if (strcmp(setting.name, name) == 0) {
      setting.set();
      initialize();
      if (!refuses_callbacks)
        all_right();
      tool->finalize(&tool->tool_data);
      return 0;
    }
  for (const Scenario& scenario : scenarios)
    if (strcmp(scenario.name, name) == 0) {
      initialize();
      scenario.play();
      tool->finalize(&tool->tool_data);
      return 0;
    }
  fprintf(stderr, "no scenario %s\n", name);
  return 2;
}

} // namespace

int main(int count, char** arguments) {
  if (count == 2 && strcmp(arguments[1], "list") == 0)
    return list();
  if (count != 3 || !load(arguments[1]))
    return 2;
  return play(arguments[2]);
}
