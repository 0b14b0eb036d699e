// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutual exclusion.
#include "parts.h"

static void ok_critical(void) {
  int count = 0;
#pragma omp parallel
  for (int i = 0; i < 50; ++i)
#pragma omp critical(one)
    ++count;
  EXPECT(count % 50 == 0);
}

// The two hold different mutexes at the same time. (Archer has a lock of its own that it takes when
// a mutex is acquired or released: what does not overlap looks ordered.)
static void race_critical(void) {
  int count = 0;
#pragma omp parallel
  for (int i = 0; i < 10; ++i)
    if (omp_get_thread_num() == 0) {
#pragma omp critical(one)
      {
        ++count;
        pause_briefly();
      }
    } else {
#pragma omp critical(another)
      {
        ++count;
        pause_briefly();
      }
    }
}

static void ok_lock(void) {
  int count = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
  for (int i = 0; i < 50; ++i) {
    while (!omp_test_lock(&lock))
      pause_briefly();
    ++count;
    omp_unset_lock(&lock);
    omp_set_lock(&lock);
    ++count;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  EXPECT(count % 100 == 0);
}

static void race_lock(void) {
  int count = 0;
  omp_lock_t locks[2];
  omp_init_lock(&locks[0]);
  omp_init_lock(&locks[1]);
#pragma omp parallel
  for (int i = 0; i < 10; ++i) {
    omp_lock_t* lock = &locks[omp_get_thread_num() != 0];
    omp_set_lock(lock);
    ++count;
    pause_briefly();
    omp_unset_lock(lock);
  }
  omp_destroy_lock(&locks[0]);
  omp_destroy_lock(&locks[1]);
}

static void ok_nest_lock(void) {
  int count = 0;
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp parallel
  for (int i = 0; i < 50; ++i) {
    omp_set_nest_lock(&lock);
    ++count;
    if (omp_test_nest_lock(&lock)) {
      ++count;
      omp_unset_nest_lock(&lock);
    }
    ++count;
    omp_unset_nest_lock(&lock);
  }
  omp_destroy_nest_lock(&lock);
  EXPECT(count % 150 == 0);
}

static void race_nest_lock(void) {
  int count = 0;
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp parallel
  for (int i = 0; i < 50; ++i) {
    omp_set_nest_lock(&lock);
    omp_set_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
    ++count;
  }
  omp_destroy_nest_lock(&lock);
}

// Too large for an instruction: the runtime has a lock for it.
static void ok_atomic(void) {
  long double sum = 0;
#pragma omp parallel
  for (int i = 0; i < 50; ++i)
#pragma omp atomic
    sum += 1;
  EXPECT((int)sum % 50 == 0);
}

static void race_atomic(void) {
  long double sum = 0;
#pragma omp parallel
  for (int i = 0; i < 50; ++i)
    sum += 1;
  sink = (int)sum;
}

const struct Part exclusion_parts[] = {
    PART(critical), PART(lock), PART(nest_lock), PART(atomic), {0},
};
