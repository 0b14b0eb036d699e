// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes that hold a lock across a wait. Locks are taken in the order of their numbers, so that the
// program has no deadlock of its own.
#include <omp.h>
#include <pthread.h>

#include "failure.h"
#include "run.h"

namespace stress {

namespace {

omp_lock_t locks[4];
omp_nest_lock_t nest_lock;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void acquire(int lock) {
  if (lock < 4)
    omp_set_lock(&locks[lock]);
  else if (lock == 4)
    omp_set_nest_lock(&nest_lock);
  else
    pthread_mutex_lock(&mutex);
}
void release(int lock) {
  if (lock < 4)
    omp_unset_lock(&locks[lock]);
  else if (lock == 4)
    omp_unset_nest_lock(&nest_lock);
  else
    pthread_mutex_unlock(&mutex);
}
int holders[kLocks]; // plain: exclusion is what is tested
void hold(int lock, int by) {
  holders[lock] += by;
  if (holders[lock] != (by > 0))
    fail("two tasks hold the same lock");
}

} // namespace

void init_locks() {
  for (auto& lock : locks)
    omp_init_lock(&lock);
  omp_init_nest_lock(&nest_lock);
}
void destroy_locks() {
  for (auto& lock : locks)
    omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest_lock);
}

Value run_locked(Key key, const Shape& shape, Context below) {
  Value sum = 0;
  int lock = below.first_lock - 1;
  auto with_tasks = [&] {
    hold(lock, 1);
    sum = draw(key, 51, 2) ? run_taskwait(key, shape, below) : run_taskgroup(key, shape, below);
    hold(lock, -1);
  };
  if (lock == kLocks - 1) {
#pragma omp critical(stress_innermost)
    with_tasks();
  } else {
    acquire(lock);
    with_tasks();
    release(lock);
  }
  return sum;
}

} // namespace stress
