// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One process with object files of gcc and of clang: this source is compiled by both, and each half
// calls the other one's functions inside its regions, loops and tasks. All run on the same team,
// and the process has the threads that one runtime needs.
//
// xomp-test: threads=1,2,8 schedulers=slb,na-ws timeout=60 compilers=gcc,clang
// xomp-test: mixed=1 env=OMP_MAX_ACTIVE_LEVELS=3 env=OMP_CANCELLATION=true
#include <dirent.h>
#include <omp.h>

#include "check.h"

enum { kItems = 1000 };

// What one half lends to the other. `depth` counts down to 0; each level is the other half's.
#define DECLARE(half)                                                                              \
  void half##_nested(int depth, int* regions);                                                     \
  void half##_shares(int* counts);                                                                 \
  void half##_one_task(int* item, int* sum);                                                       \
  long half##_fib(int n);                                                                          \
  void half##_chain(int steps, int* value);                                                        \
  void half##_locked(omp_lock_t* lock, int* value);                                                \
  int* half##_own(void);                                                                           \
  void half##_cancels(int* started);                                                               \
  void half##_detached(omp_event_handle_t* event, int* done);                                      \
  void half##_region(int* members);
DECLARE(main)
DECLARE(other)

extern int own;
#pragma omp threadprivate(own)

#ifdef OTHER
#define MINE(name) other_##name
#define THEIRS(name) main_##name
#else
#define MINE(name) main_##name
#define THEIRS(name) other_##name
int own;
#pragma omp threadprivate(own)
#endif

void MINE(region)(int* members) {
#pragma omp parallel
#pragma omp atomic
  ++*members;
}

// Regions of two threads in regions of the other half; each has its own numbers.
void MINE(nested)(int depth, int* regions) {
  int level = omp_get_level();
#pragma omp parallel num_threads(2)
  {
    CHECK(omp_get_level() == level + 1);
    CHECK(omp_get_ancestor_thread_num(level + 1) == omp_get_thread_num());
#pragma omp single
    {
#pragma omp atomic
      ++*regions;
    }
    if (depth > 1)
      THEIRS(nested)(depth - 1, regions);
  }
}

// Worksharing of this half in a region of the other one, by all of its threads.
void MINE(shares)(int* counts) {
#pragma omp for schedule(dynamic, 3) nowait
  for (int i = 0; i < kItems; ++i)
#pragma omp atomic
    ++counts[i];
#pragma omp for schedule(static) ordered
  for (int i = 0; i < kItems; ++i) {
#pragma omp ordered
    counts[i] += i == 0 || counts[i - 1] >= 10 ? 10 : 0;
  }
#pragma omp single
  for (int i = 0; i < kItems; ++i)
    counts[i] += 100;
#pragma omp sections
  {
#pragma omp section
    counts[0] += 1000;
#pragma omp section
    counts[1] += 1000;
  }
}

void MINE(one_task)(int* item, int* sum) {
#pragma omp task firstprivate(item, sum)
  {
#pragma omp atomic
    *sum += *item;
  }
}

// A task of one half waits for a task of the other and one of its own.
long MINE(fib)(int n) {
  if (n < 2)
    return n;
  long a, b;
#pragma omp task shared(a)
  a = THEIRS(fib)(n - 1);
#pragma omp task shared(b)
  b = MINE(fib)(n - 2);
#pragma omp taskwait
  return a + b;
}

// Every other task of a chain of dependences.
void MINE(chain)(int steps, int* value) {
  if (steps == 0)
    return;
#pragma omp task depend(inout : value[0])
  *value = *value * 3 + steps;
  THEIRS(chain)(steps - 1, value);
}

void MINE(locked)(omp_lock_t* lock, int* value) {
  omp_set_lock(lock);
  ++*value;
  omp_unset_lock(lock);
}

int* MINE(own)(void) { return &own; }

// Cancels a taskgroup of the other half.
void MINE(cancels)(int* started) {
#pragma omp task firstprivate(started)
  {
#pragma omp atomic
    ++*started;
#pragma omp cancel taskgroup
  }
}

void MINE(detached)(omp_event_handle_t* event, int* done) {
  omp_event_handle_t own_event = 0;
#pragma omp task detach(own_event) firstprivate(done)
#pragma omp atomic
  ++*done;
  *event = own_event;
}

#ifndef OTHER

static int threads_of_process(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/task");
  CHECK(folder != NULL);
  while (readdir(folder))
    ++count;
  closedir(folder);
  return count - 2; // "." and ".."
}

static void one_pool(void) {
  int mine = 0, theirs = 0;
  main_region(&mine);
  int threads = threads_of_process();
  other_region(&theirs);
  CHECK(theirs == mine);
  CHECK(threads_of_process() == threads);
}

static void worksharing(void) {
  static int counts[kItems];
#pragma omp parallel
  {
    main_shares(counts);
    other_shares(counts);
    main_shares(counts);
  }
  for (int i = 0; i < kItems; ++i)
    CHECK(counts[i] == 3 * (1 + 10 + 100 + (i < 2 ? 1000 : 0)));
}

static void tasks(void) {
  int items[kItems], sum = 0, value = 0, expected = 0;
  long fib = 0;
  for (int i = 0; i < kItems; ++i)
    items[i] = i;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < kItems; ++i)
      other_one_task(&items[i], &sum);
    CHECK(sum == kItems * (kItems - 1) / 2);
    fib = other_fib(16);
    main_chain(15, &value);
  }
  CHECK(fib == 987);
  for (int step = 15; step > 0; --step)
    expected = expected * 3 + step;
  CHECK(value == expected);
}

static void shared_between_halves(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  int value = 0, team = 0;
#pragma omp parallel
  {
    for (int i = 0; i < 200; ++i) {
      main_locked(&lock, &value);
      other_locked(&lock, &value);
    }
    own = omp_get_thread_num() + 1;
    CHECK(other_own() == &own && main_own() == &own);
    *other_own() += 10;
#pragma omp single
    team = omp_get_num_threads();
  }
  CHECK(value == 400 * team);
#pragma omp parallel
  CHECK(*other_own() == omp_get_thread_num() + 11);
  omp_destroy_lock(&lock);
}

static void events(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
    other_detached(&event, &done);
#pragma omp task firstprivate(event)
    omp_fulfill_event(event);
#pragma omp taskwait
    CHECK(done == 1);
  }
}

static void cancelled_group(void) {
  int started = 0, after = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
      other_cancels(&started);
#pragma omp taskwait
      other_one_task(&(int){1}, &after);
    }
    CHECK(started == 1 && after == 0);
  }
}

int main(void) {
  one_pool();
  worksharing();
  tasks();
  shared_between_halves();
  events();
  cancelled_group();
  int regions = 0;
  main_nested(3, &regions);
  CHECK(regions == 1 + 2 + 4);
  one_pool();
  return 0;
}
#endif
