// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task is not run on top of its creator while few wait: it may wait for what its creator does
// next. OpenMP does not promise that, both libgomp and libomp do it, and programs rely on it. Each
// kind is small enough, often enough, for a runtime that guesses to take it for small. Kinds that
// need a second thread are left out with one. Outside of all regions tasks are run at once.
// xomp-test: threads=1,2,3,4,8 timeout=60 recorded=0 told=0 compilers=gcc,clang
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

#include "check.h"

enum { kRounds = 200, kWarm = 300, kTasks = 8 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long sum;

static void locked_add(void) {
  pthread_mutex_lock(&mutex);
  sum++;
  pthread_mutex_unlock(&mutex);
}

/// The creator holds the lock that its tasks take; before, they are small.
static void lock_while_creating(void) {
  for (int i = 0; i < kWarm; i++) {
#pragma omp task
    locked_add();
    if (i % 16 == 15) {
#pragma omp taskwait
    }
  }
  for (int round = 0; round < kRounds; round++) {
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < kTasks; i++) {
#pragma omp task
      locked_add();
    }
    pthread_mutex_unlock(&mutex);
#pragma omp taskwait
  }
}

static void lock_across_taskloop(void) {
  for (int round = 0; round < kRounds; round++) {
    pthread_mutex_lock(&mutex);
#pragma omp taskloop nogroup num_tasks(kTasks)
    for (int i = 0; i < kTasks; i++)
      locked_add();
    pthread_mutex_unlock(&mutex);
#pragma omp taskwait
  }
}

static void critical_add(void) {
#pragma omp critical(outer)
  sum++;
}

static void critical_in_critical(void) {
  for (int round = 0; round < kRounds; round++) {
#pragma omp critical(outer)
    for (int i = 0; i < kTasks; i++) {
#pragma omp task
      critical_add();
    }
#pragma omp taskwait
  }
}

/// With dependences, so that they lie in a queue.
static void lock_and_dependences(void) {
  static char items[kTasks];
  for (int round = 0; round < kRounds; round++) {
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < kTasks; i++) {
#pragma omp task depend(inout : items[i % 3])
      locked_add();
    }
    pthread_mutex_unlock(&mutex);
#pragma omp taskwait
  }
}

/// The task waits for what the creator writes after having created it.
static void flag(void) {
  for (int round = 0; round < kRounds; round++) {
    int ready = 0;
#pragma omp task shared(ready)
    while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
      sched_yield();
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
  }
}

/// The first of two siblings waits for the second one. Needs a thread besides the one that the
/// first blocks.
static void later_sibling_semaphore(void) {
  for (int round = 0; round < kRounds; round++) {
    sem_t posted;
    sem_init(&posted, 0, 0);
#pragma omp task shared(posted)
    sem_wait(&posted);
#pragma omp task shared(posted)
    sem_post(&posted);
#pragma omp taskwait
    sem_destroy(&posted);
  }
}

static void later_sibling_condition(void) {
  static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  static int ready;
  for (int round = 0; round < kRounds; round++) {
    ready = 0;
#pragma omp task
    {
      pthread_mutex_lock(&mutex);
      while (!ready)
        pthread_cond_wait(&changed, &mutex);
      pthread_mutex_unlock(&mutex);
    }
#pragma omp task
    {
      pthread_mutex_lock(&mutex);
      ready = 1;
      pthread_cond_signal(&changed);
      pthread_mutex_unlock(&mutex);
    }
#pragma omp taskwait
  }
}

static void pipe_between_siblings(void) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  for (int round = 0; round < kRounds; round++) {
    char got = 0;
#pragma omp task shared(got)
    CHECK(read(ends[0], &got, 1) == 1);
#pragma omp task
    CHECK(write(ends[1], "x", 1) == 1);
#pragma omp taskwait
    CHECK(got == 'x');
  }
  close(ends[0]);
  close(ends[1]);
}

/// A task that makes progress for others until it is told to end, as MPI programs have; its creator
/// waits for it in its own way.
static void progress(void) {
  for (int round = 0; round < kRounds / 10; round++) {
    int stop = 0, polls = 0;
#pragma omp task shared(stop, polls)
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
      __atomic_fetch_add(&polls, 1, __ATOMIC_RELAXED);
      sched_yield();
    }
    while (__atomic_load_n(&polls, __ATOMIC_RELAXED) < 3)
      usleep(20); // no task scheduling point
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
  }
}

/// A thread in the kernel, and all it has created is out of its hands.
static void creator_blocks(void) {
  for (int round = 0; round < kRounds / 10; round++) {
    sem_t done;
    sem_init(&done, 0, 0);
    for (int i = 0; i < kTasks; i++) {
#pragma omp task shared(done)
      sem_post(&done);
    }
    for (int i = 0; i < kTasks; i++)
      sem_wait(&done);
#pragma omp taskwait
    sem_destroy(&done);
  }
}

/// Where there is no region there is nothing to wait for.
static void at_once_outside(void) {
  int done = 0;
#pragma omp task shared(done)
  done = 1;
  CHECK(done == 1);
}

static void run(const char* name, void (*kind)(void)) {
  fprintf(stderr, "%s\n", name);
#pragma omp parallel
#pragma omp single
  kind();
}
#define RUN(kind) run(#kind, kind)

int main(void) {
  at_once_outside();
  RUN(lock_while_creating);
  CHECK(sum == kWarm + kRounds * kTasks);
  RUN(lock_across_taskloop);
  RUN(critical_in_critical);
  RUN(lock_and_dependences);
  CHECK(sum == kWarm + 4 * kRounds * kTasks);
  RUN(flag);
  at_once_outside();
  if (omp_get_max_threads() == 1)
    return 0;
  RUN(later_sibling_semaphore);
  RUN(later_sibling_condition);
  RUN(pipe_between_siblings);
  RUN(progress);
  RUN(creator_blocks);
  return 0;
}
