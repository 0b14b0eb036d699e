// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions, barriers, and what one thread of a team does.
#include "parts.h"

static void ok_fork_join(void) {
  int before = 1, slots[kMost] = {0};
#pragma omp parallel
  slots[omp_get_thread_num()] = before;
  EXPECT(slots[0] == 1);
  before = 2;
#pragma omp parallel
  slots[omp_get_thread_num()] = before;
  EXPECT(slots[omp_get_max_threads() - 1] == 2);
}

static void race_fork_join(void) {
  int shared = 0;
#pragma omp parallel
  shared = omp_get_thread_num();
  sink = shared;
}

static void ok_barrier(void) {
  int slots[kMost] = {0};
#pragma omp parallel
  for (int round = 0; round < 10; ++round) {
    int me = omp_get_thread_num(), threads = omp_get_num_threads();
    slots[me] = round;
#pragma omp barrier
    EXPECT(slots[(me + 1) % threads] == round);
#pragma omp barrier
  }
}

static void race_barrier(void) {
  int slots[kMost] = {0};
#pragma omp parallel
  for (int round = 0; round < 10; ++round) {
    int me = omp_get_thread_num(), threads = omp_get_num_threads();
    slots[me] = round;
    sink = slots[(me + 1) % threads];
  }
}

static void ok_single(void) {
  int value = 0;
#pragma omp parallel
  for (int round = 1; round < 10; ++round) {
#pragma omp single
    value = round;
    EXPECT(value == round);
#pragma omp barrier
  }
}

static void race_single(void) {
  int value = 0;
#pragma omp parallel
  for (int round = 1; round < 10; ++round) {
#pragma omp single nowait
    value = round;
    sink = value;
  }
}

static void ok_copyprivate(void) {
#pragma omp parallel
  {
    int mine = 0;
#pragma omp single copyprivate(mine)
    mine = 7;
    EXPECT(mine == 7);
  }
}

static void race_copyprivate(void) {
#pragma omp parallel
  {
    int mine = 0;
    int* theirs;
#pragma omp single copyprivate(theirs)
    theirs = &mine;
    ++*theirs;
#pragma omp barrier
  }
}

static void ok_masked(void) {
  int value = 0;
#pragma omp parallel
  {
#pragma omp masked
    value = 1;
#pragma omp barrier
    EXPECT(value == 1);
  }
}

static void race_masked(void) {
  int value = 0;
#pragma omp parallel
  {
#pragma omp masked
    value = 1;
    sink = value;
  }
}

static void ok_nested(void) {
  int sums[kMost] = {0};
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    int slots[2] = {0};
#pragma omp parallel num_threads(2) shared(slots)
    slots[omp_get_thread_num()] = 1;
    sums[omp_get_thread_num()] = slots[0] + slots[1];
  }
  EXPECT(sums[0] >= 1);
}

static void race_nested(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    int value = 0;
#pragma omp parallel num_threads(2) shared(value)
    value += 1;
    sink = value;
  }
}

const struct Part region_parts[] = {
    PART(fork_join), PART(barrier), PART(single), PART(copyprivate),
    PART(masked),    PART(nested),  {0},
};
