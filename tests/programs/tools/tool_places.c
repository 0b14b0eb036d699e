// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tool in the program (OMPT) is told where each construct is: the return address lies in the
// function that holds the construct, behind its beginning. Whatever the compiler makes of the
// library's calls to itself. In a sanitizer's build dladdr finds no name for some.
// Not by clang, whose regions are functions without a name for the dynamic linker.
// xomp-test: flags=-rdynamic flags=-fno-optimize-sibling-calls env=OMP_CANCELLATION=true recorded=0 told=0 skip=asan,tsan
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../../include/omp-tools.h"

// In a callback, from which `exit` would call the tool again.
#define HOLDS(condition, ...)                                                                      \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                              \
      fprintf(stderr, __VA_ARGS__);                                                                \
      fputc('\n', stderr);                                                                         \
      _exit(1);                                                                                    \
    }                                                                                              \
  } while (0)

// What was told of a construct, a bit each.
enum {
  kBegin = 1,
  kEnd = 2,
  kCreate = 4,
  kSync = 8,
  kWait = 16,
  kWork = 32,
  kAsked = 64,
  kAcquired = 128,
  kReleased = 256,
  kRound = 512,
  kInit = 1024,
  kDestroy = 2048,
  kCancel = 4096,
  kGroup = 8192,
  kMutex = kAsked | kAcquired | kReleased,
};

/// The function that holds the construct which the calling thread is in; null: any. What the thread
/// was told of it, and what it is not to look at.
static __thread const char* here;
static __thread unsigned heard, ignored;

static void met(unsigned what, const void* code) {
  if (!here || what & ignored)
    return;
  Dl_info function;
  const ElfW(Sym)* symbol = NULL;
  HOLDS(code, "of %s, event %u", here, what);
  HOLDS(dladdr1(code, &function, (void**)&symbol, RTLD_DL_SYMENT) && symbol, "%p of %s, event %u",
        code, here, what);
  HOLDS(strcmp(function.dli_sname, here) == 0, "%s instead of %s, event %u", function.dli_sname,
        here, what);
  long offset = (const char*)code - (const char*)function.dli_saddr;
  HOLDS(offset > 1 && offset < (long)symbol->st_size, "%ld bytes into %s, event %u", offset, here,
        what);
  heard |= what;
}

static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* region,
                              unsigned requested, int flags, const void* code) {
  met(kBegin, code);
}
static void on_parallel_end(ompt_data_t* region, ompt_data_t* task, int flags, const void* code) {
  met(kEnd, code);
}
static void on_create(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* made, int flags,
                      int dependences, const void* code) {
  met(kCreate, code);
}
static void on_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t end, ompt_data_t* region,
                    ompt_data_t* task, const void* code) {
  met(kind == ompt_sync_region_taskgroup ? kGroup : kSync, code);
}
static void on_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t end, ompt_data_t* region,
                    ompt_data_t* task, const void* code) {
  met(kind == ompt_sync_region_taskgroup ? kGroup : kWait, code);
}
static void on_work(ompt_work_t kind, ompt_scope_endpoint_t end, ompt_data_t* region,
                    ompt_data_t* task, uint64_t count, const void* code) {
  met(kWork, code);
}
static void on_asked(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t id,
                     const void* code) {
  met(kAsked, code);
}
static void on_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void* code) {
  met(kAcquired, code);
}
static void on_released(ompt_mutex_t kind, ompt_wait_id_t id, const void* code) {
  met(kReleased, code);
}
static void on_round(ompt_scope_endpoint_t end, ompt_wait_id_t id, const void* code) {
  met(kRound, code);
}
static void on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t id,
                         const void* code) {
  met(kInit, code);
}
static void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t id, const void* code) {
  met(kDestroy, code);
}
static void on_cancel(ompt_data_t* task, int flags, const void* code) { met(kCancel, code); }

static int initialize(ompt_function_lookup_t look_up, int device, ompt_data_t* data) {
  ompt_set_callback_t set = (ompt_set_callback_t)look_up("ompt_set_callback");
  set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
  set(ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end);
  set(ompt_callback_task_create, (ompt_callback_t)on_create);
  set(ompt_callback_sync_region, (ompt_callback_t)on_sync);
  set(ompt_callback_sync_region_wait, (ompt_callback_t)on_wait);
  set(ompt_callback_work, (ompt_callback_t)on_work);
  set(ompt_callback_mutex_acquire, (ompt_callback_t)on_asked);
  set(ompt_callback_mutex_acquired, (ompt_callback_t)on_acquired);
  set(ompt_callback_mutex_released, (ompt_callback_t)on_released);
  set(ompt_callback_nest_lock, (ompt_callback_t)on_round);
  set(ompt_callback_lock_init, (ompt_callback_t)on_lock_init);
  set(ompt_callback_lock_destroy, (ompt_callback_t)on_lock_destroy);
  set(ompt_callback_cancel, (ompt_callback_t)on_cancel);
  return 1;
}
static void finalize(ompt_data_t* data) {}

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}

// The constructs, each in a function that the dynamic linker knows by its name.
#define IN(name) __attribute__((noinline, noclone)) void name(void)

static volatile int sink; // of all threads
static long sum;

IN(in_parallel) {
#pragma omp parallel
  __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
}
IN(in_parallel_for) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 8; ++i)
    sink = i;
}
IN(in_parallel_sections) {
#pragma omp parallel sections
  {
    sink = 1;
#pragma omp section
    sink = 2;
  }
}
IN(in_parallel_with_task_reduction) {
  long total = 0;
#pragma omp parallel reduction(task, + : total)
  total++;
  sum += total;
}
IN(in_teams) {
#pragma omp teams num_teams(2)
  sink = omp_get_team_num();
}
IN(in_barrier) {
#pragma omp barrier
  sink = 0;
}
IN(in_for) {
#pragma omp for schedule(dynamic)
  for (int i = 0; i < 8; ++i)
    sink = i;
}
IN(in_ull_for) {
#pragma omp for schedule(guided)
  for (unsigned long long i = 0; i < 8; ++i)
    sink = (int)i;
}
IN(in_for_with_task_reduction) {
#pragma omp for reduction(task, + : sum)
  for (int i = 0; i < 8; ++i)
    sum++;
}
IN(in_ordered) {
#pragma omp for ordered schedule(static, 1)
  for (int i = 0; i < 8; ++i) {
#pragma omp ordered
    sink = i;
  }
}
IN(in_sections) {
#pragma omp sections
  {
    sink = 1;
#pragma omp section
    sink = 2;
  }
}
IN(in_single) {
#pragma omp single
  sink = 1;
}
IN(in_single_copied) {
  int copied;
#pragma omp single copyprivate(copied)
  copied = 1;
  sink = copied;
}
IN(in_critical) {
#pragma omp critical
  sink = 1;
}
IN(in_named_critical) {
#pragma omp critical(name)
  sink = 1;
}
IN(in_cancel) {
#pragma omp for
  for (int i = 0; i < 64; ++i) {
    if (omp_get_thread_num() == 0) {
#pragma omp cancel for
    }
    sink = i;
  }
}
/// The thread that looks never comes to an end but by another one's cancellation.
IN(in_cancellation_point) {
#pragma omp for schedule(static, 1)
  for (int i = 0; i < 64; ++i) {
    if (omp_get_thread_num() == 1) {
#pragma omp cancel for
    }
    while (omp_get_thread_num() == 0) {
#pragma omp cancellation point for
    }
  }
}
IN(in_task) {
#pragma omp task
  sink = 1;
#pragma omp task if (0)
  sink = 1;
#pragma omp taskwait
  sink = 2;
}
IN(in_depend) {
#pragma omp task depend(out : sum)
  sink = 1;
#pragma omp taskwait depend(in : sum)
  sink = 2;
}
IN(in_taskgroup) {
#pragma omp taskgroup
  {
#pragma omp task
    sink = 1;
  }
  sink = 2;
}
IN(in_taskloop) {
#pragma omp taskloop grainsize(1)
  for (int i = 0; i < 4; ++i)
    sink = i;
  sink = 2;
}
IN(in_target) {
#pragma omp target nowait map(from : sink)
  sink = 1;
#pragma omp target enter data nowait map(to : sink) depend(out : sink)
#pragma omp taskwait
  sink = 2;
}
IN(in_lock) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  omp_set_lock(&lock);
  omp_unset_lock(&lock);
  sink = omp_test_lock(&lock);
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);
}
IN(in_nest_lock) {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
  omp_set_nest_lock(&lock);
  sink = omp_test_nest_lock(&lock);
  omp_unset_nest_lock(&lock);
  omp_unset_nest_lock(&lock);
  omp_destroy_nest_lock(&lock);
}

static void watch(void (*construct)(void), const char* name, unsigned expected) {
  here = name;
  heard = 0;
  // The loop of a combined construct is in the region's function, of which the linker does not
  // know; the taskgroup that is a part of a loop with task reductions has no call of its own.
  ignored = (expected & kBegin ? kWork : 0) | (~expected & kGroup);
  construct();
  here = NULL;
  HOLDS((heard & expected) == expected, "%s: %x of %x", name, heard, expected);
}
#define WATCH(function, expected) watch(function, #function, expected)
/// By all members of a team; its first is watched.
#define WATCH_FIRST(function, expected)                                                            \
  (omp_get_thread_num() == 0 ? WATCH(function, expected) : function())

int main(void) {
  WATCH(in_parallel, kBegin | kEnd | kSync);
  WATCH(in_parallel_for, kBegin | kEnd | kSync);
  WATCH(in_parallel_sections, kBegin | kEnd | kSync);
  WATCH(in_parallel_with_task_reduction, kBegin | kEnd | kSync);
  WATCH(in_teams, kBegin | kEnd);
  WATCH(in_lock, kMutex | kInit | kDestroy);
  WATCH(in_nest_lock, kMutex | kRound | kInit | kDestroy);
#pragma omp parallel
  {
    int several = omp_get_num_threads() > 1;
    WATCH_FIRST(in_barrier, kSync);
    WATCH_FIRST(in_for, kWork | kSync);
    WATCH_FIRST(in_ull_for, kWork | kSync);
    WATCH_FIRST(in_for_with_task_reduction, kSync);
    WATCH_FIRST(in_ordered, kMutex | kWork | kSync);
    WATCH_FIRST(in_sections, kWork | kSync);
    WATCH_FIRST(in_single, kWork | kSync);
    WATCH_FIRST(in_single_copied, kWork | kSync);
    WATCH_FIRST(in_critical, kMutex);
    WATCH_FIRST(in_named_critical, kMutex);
    WATCH_FIRST(in_cancel, kCancel | kSync);
    if (several)
      WATCH_FIRST(in_cancellation_point, kCancel | kSync);
    WATCH_FIRST(in_task, kCreate | kSync);
    WATCH_FIRST(in_depend, kCreate); // nothing may be left to wait for
    WATCH_FIRST(in_taskgroup, kCreate | kGroup);
    WATCH_FIRST(in_taskloop, kCreate | kWork | kGroup);
    WATCH_FIRST(in_target, kCreate | kSync);
    WATCH_FIRST(in_lock, kMutex | kInit | kDestroy);
  }
  return sum > 0 ? 0 : 1;
}
