// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A child forked while other threads are busy is alone, and the runtime knows: its threads count
// neither for a dynamic number of threads nor against the thread limit, and no lock of the runtime
// stays held by a thread that the child does not have.
// xomp-test: flags=-D_GNU_SOURCE threads=2 barriers=tree timeout=90 skip=tsan,asan compilers=gcc,clang
// xomp-test: env=OMP_THREAD_LIMIT=4
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdbool.h>

#include "process.h"

static int inside, leave; // atomic

static int width(int threads) {
  int seen = 0;
  omp_set_dynamic(1);
#pragma omp parallel num_threads(threads)
#pragma omp single
  seen = omp_get_num_threads();
  omp_set_dynamic(0);
  return seen;
}

static void* be_busy(void* unused) {
#pragma omp parallel num_threads(4)
  {
    __atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED);
    while (!__atomic_load_n(&leave, __ATOMIC_RELAXED))
      usleep(1000);
  }
  return unused;
}

static void beside_a_region(void) {
  int before = width(2);
  pthread_t busy;
  CHECK(pthread_create(&busy, NULL, be_busy, NULL) == 0);
  while (__atomic_load_n(&inside, __ATOMIC_RELAXED) < 4)
    usleep(1000);
  pid_t child = fork();
  if (child == 0)
    _exit(width(2) == before ? 7 : 1);
  expect_exit(child, 7);
  __atomic_store_n(&leave, 1, __ATOMIC_RELAXED);
  CHECK(pthread_join(busy, NULL) == 0);
}

static void inside_a_region(void) {
  pid_t children[4];
#pragma omp parallel num_threads(4)
  {
    CHECK(omp_get_num_threads() == 4);
#pragma omp barrier
#pragma omp critical
    {
      pid_t child = fork();
      if (child == 0) {
        int seen = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
        seen = omp_get_num_threads();
        _exit(seen == 4 ? 7 : 1);
      }
      children[omp_get_thread_num()] = child;
    }
  }
  for (int i = 0; i < 4; ++i)
    expect_exit(children[i], 7);
}

// What compiled code calls for `allocate` in Fortran; the set of these blocks has a lock.
static void (*remember)(void*);
static bool (*forget)(void*);

static bool use_set(void) {
  char block;
  remember(&block);
  return forget(&block);
}

static void* allocate(void* unused) {
  while (!__atomic_load_n(&leave, __ATOMIC_RELAXED))
    CHECK(use_set());
  return unused;
}

static void beside_allocations(void) {
  *(void**)&remember = dlsym(RTLD_DEFAULT, "GOMP_add_alloc");
  *(void**)&forget = dlsym(RTLD_DEFAULT, "GOMP_is_alloc");
  CHECK(remember && forget);
  leave = 0;
  pthread_t allocating[2];
  for (int i = 0; i < 2; ++i)
    CHECK(pthread_create(&allocating[i], NULL, allocate, NULL) == 0);
  for (int i = 0; i < 60; ++i) {
    pid_t child = fork();
    if (child == 0)
      _exit(use_set() ? 7 : 1);
    expect_exit(child, 7);
  }
  __atomic_store_n(&leave, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 2; ++i)
    CHECK(pthread_join(allocating[i], NULL) == 0);
}

// Tasks that exclude others end in another thread while the child begins, which has such tasks of
// the same parent's.
enum { kTasks = 2000, kItems = 8 };
static char items[kTasks][kItems];
static omp_event_handle_t events[kTasks];
static int begin; // atomic

static void* fulfill(void* unused) {
  while (!__atomic_load_n(&begin, __ATOMIC_ACQUIRE))
    ;
  for (int i = 0; i < kTasks; ++i)
    omp_fulfill_event(events[i]);
  return unused;
}

static void beside_exclusions(void) {
  for (int round = 0; round < repeats(100); ++round) {
    begin = 0;
    for (int i = 0; i < kTasks; ++i) {
      char* own __attribute__((unused)) = items[i]; // only named
      omp_event_handle_t event;
#pragma omp task detach(event)                                                                     \
    depend(mutexinoutset : own[0], own[1], own[2], own[3], own[4], own[5], own[6], own[7])
      ;
      events[i] = event;
    }
    char other = 0;
    pthread_t fulfilling;
    CHECK(pthread_create(&fulfilling, NULL, fulfill, NULL) == 0);
    __atomic_store_n(&begin, 1, __ATOMIC_RELEASE);
    usleep(round % 20 * 10);
    pid_t child = fork();
    if (child == 0) {
      alarm(5);
      omp_event_handle_t event;
#pragma omp task detach(event) depend(mutexinoutset : other) shared(other)
      other = 7;
      omp_fulfill_event(event);
#pragma omp taskwait depend(in : other)
      _exit(other);
    }
    expect_exit(child, 7);
    CHECK(pthread_join(fulfilling, NULL) == 0);
#pragma omp taskwait
  }
}

int main(void) {
  beside_a_region();
  inside_a_region();
  beside_allocations();
  beside_exclusions();
  return 0;
}
