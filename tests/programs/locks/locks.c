// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutual exclusion holds for every kind of lock, and a nestable lock belongs to a task.
// xomp-test: threads=1,2,8 timeout=60 compilers=gcc,clang libs=-Wl,--as-needed,-latomic
#include <omp.h>

#include "check.h"

enum { kRounds = 20000 };

// The layout and owner of locks in binaries older than GCC 4.4.
typedef struct {
  int words[2];
} old_nest_lock;
void old_init_nest_lock(old_nest_lock*);
void old_set_nest_lock(old_nest_lock*);
void old_unset_nest_lock(old_nest_lock*);
int old_test_nest_lock(old_nest_lock*);
void old_destroy_nest_lock(old_nest_lock*);
void old_init_lock(int*);
void old_set_lock(int*);
void old_unset_lock(int*);
__asm__(".symver old_init_nest_lock, omp_init_nest_lock@OMP_1.0");
__asm__(".symver old_set_nest_lock, omp_set_nest_lock@OMP_1.0");
__asm__(".symver old_unset_nest_lock, omp_unset_nest_lock@OMP_1.0");
__asm__(".symver old_test_nest_lock, omp_test_nest_lock@OMP_1.0");
__asm__(".symver old_destroy_nest_lock, omp_destroy_nest_lock@OMP_1.0");
__asm__(".symver old_init_lock, omp_init_lock@OMP_1.0");
__asm__(".symver old_set_lock, omp_set_lock@OMP_1.0");
__asm__(".symver old_unset_lock, omp_unset_lock@OMP_1.0");

static void simple_locks(int threads) {
  omp_lock_t lock;
  int old_lock;
  long by_lock = 0, by_test = 0, by_old = 0;
  omp_init_lock(&lock);
  old_init_lock(&old_lock);
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < kRounds; i++) {
    omp_set_lock(&lock);
    by_lock++;
    omp_unset_lock(&lock);
    while (!omp_test_lock(&lock))
      ;
    by_test++;
    omp_unset_lock(&lock);
    old_set_lock(&old_lock);
    by_old++;
    old_unset_lock(&old_lock);
  }
  CHECK(by_lock == (long)threads * kRounds);
  CHECK(by_test == (long)threads * kRounds);
  CHECK(by_old == (long)threads * kRounds);
  omp_set_lock(&lock);
  CHECK(!omp_test_lock(&lock));
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);
}

static void nestable_locks(int threads) {
  omp_nest_lock_t lock;
  old_nest_lock old_lock;
  long count = 0, old_count = 0;
  omp_init_nest_lock(&lock);
  old_init_nest_lock(&old_lock);
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < kRounds / 4; i++) {
    omp_set_nest_lock(&lock);
    omp_set_nest_lock(&lock);
    CHECK(omp_test_nest_lock(&lock) == 3);
    count++;
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);

    old_set_nest_lock(&old_lock);
    CHECK(old_test_nest_lock(&old_lock) == 2);
    old_count++;
    old_unset_nest_lock(&old_lock);
    old_unset_nest_lock(&old_lock);
  }
  CHECK(count == (long)threads * (kRounds / 4));
  CHECK(old_count == (long)threads * (kRounds / 4));
  omp_destroy_nest_lock(&lock);
  old_destroy_nest_lock(&old_lock);
}

#ifndef __clang__ // whose nestable locks belong to a thread
// Another task of the same thread is another owner.
static void owner_is_the_task(void) {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
  omp_set_nest_lock(&lock);
  int nesting = -1;
#pragma omp task if (0) shared(lock, nesting)
  nesting = omp_test_nest_lock(&lock);
  CHECK(nesting == 0);
  CHECK(omp_test_nest_lock(&lock) == 2);
  omp_unset_nest_lock(&lock);
  omp_unset_nest_lock(&lock);
#pragma omp task if (0) shared(lock, nesting)
  {
    nesting = omp_test_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
  }
  CHECK(nesting == 1);
  omp_destroy_nest_lock(&lock);
}
#endif

static void critical_and_atomic(int threads) {
  long unnamed = 0, named = 0, other = 0;
  long double sum = 0; // too wide for an atomic instruction: GOMP_atomic_start, or libatomic
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < kRounds; i++) {
#pragma omp critical
    unnamed++;
#pragma omp critical(one)
    named++;
#pragma omp critical(two)
    other++;
#pragma omp atomic
    sum += 1;
  }
  CHECK(unnamed == (long)threads * kRounds);
  CHECK(named == (long)threads * kRounds);
  CHECK(other == (long)threads * kRounds);
  CHECK(sum == (long double)threads * kRounds);
}

int main(void) {
  int threads = omp_get_max_threads();
  simple_locks(threads);
  nestable_locks(threads);
#ifndef __clang__
  owner_is_the_task();
#endif
  critical_and_atomic(threads);
  return 0;
}
