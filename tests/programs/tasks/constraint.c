// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The task scheduling constraint (OpenMP 5.2, 12.9): a thread that waits in a task starts only
// descendants of it. Naive versions: a taskwait that runs any task of its queue enters the critical
// region (or takes the lock) that its own stack holds already, and the program deadlocks; a queue
// whose tasks only its consumer may take keeps a child from its waiting parent while the consumer
// is blocked in the mutex that this parent holds.
// xomp-test: schedulers=xqueue-ws,q,l,cq,ws,mts threads=1,2,4,8 env=XOMP_QUEUE_SIZE=16 timeout=60 compilers=gcc,clang
#include <omp.h>
#include <pthread.h>

#include "check.h"

enum { kTasks = 200, kChildren = 6 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static omp_lock_t lock;
static int inside; // plain: protected by what is tested

static void children(int* sum, int depth) {
  for (int i = 0; i < kChildren; i++) {
#pragma omp task
    {
      if (depth > 0) {
        int below = 0;
        children(&below, depth - 1);
#pragma omp taskwait
#pragma omp atomic
        *sum += below;
      } else {
#pragma omp atomic
        *sum += i;
      }
    }
  }
}

static void hold(int kind) {
  int sum = 0;
  CHECK(++inside == 1);
  children(&sum, 1);
  if (kind & 1) {
#pragma omp taskgroup
    children(&sum, 0);
#pragma omp taskwait
    CHECK(sum == kChildren * 15 + 15);
  } else {
#pragma omp taskyield
#pragma omp taskwait
    CHECK(sum == kChildren * 15);
  }
  --inside;
}

static void one_holder(int kind) {
  switch (kind % 6) {
  case 0:
  case 1:
#pragma omp critical(constraint)
    hold(kind);
    break;
  case 2:
  case 3:
    omp_set_lock(&lock);
    hold(kind);
    omp_unset_lock(&lock);
    break;
  default:
    pthread_mutex_lock(&mutex);
    hold(kind);
    pthread_mutex_unlock(&mutex);
  }
}

int main(void) {
  omp_init_lock(&lock);
  for (int kind = 0; kind < 6; kind++) {
    // All from one task, from every thread, and from tasks inside a taskgroup.
#pragma omp parallel
    {
#pragma omp single nowait
      for (int i = 0; i < kTasks; i++) {
#pragma omp task
        one_holder(kind);
      }
      for (int i = 0; i < kTasks / 8; i++) {
#pragma omp task untied
        one_holder(kind);
      }
#pragma omp taskgroup
      for (int i = 0; i < kTasks / 8; i++) {
#pragma omp task priority(i)
        one_holder(kind);
      }
#pragma omp barrier
      one_holder(kind); // by implicit tasks, while others wait in the barrier
    }
  }
  omp_destroy_lock(&lock);
  return 0;
}
