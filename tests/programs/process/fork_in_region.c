// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A child that was forked inside a region is alone, as a thread that is in none: on nesting level
// 0, with regions of full width, and constructs for all of its team, which is itself. So it is
// wherever in the region the process was forked, and on whichever thread. What the constructs that
// it was in have left is not handed out to it, and it may come to their ends; to the region's on
// the thread that opened that. Naive version: the child waits for its team.
// xomp-test: threads=2,4 schedulers=auto,slb,na-ws,mts timeout=120 skip=tsan,asan compilers=gcc,clang
// xomp-test: flags=-Wno-unused-but-set-variable
#include <omp.h>

#include "process.h"

enum { kWidth = 3, kIterations = 30 };

// 45 in each thread.
static int sum_of_loops(void) {
  static int sum;
#pragma omp single
  sum = 0;
#pragma omp for
  for (int i = 0; i < 10; ++i) {
#pragma omp atomic
    sum += i;
  }
#pragma omp single nowait
  __atomic_fetch_add(&sum, 10, __ATOMIC_RELAXED);
#pragma omp sections
  {
#pragma omp section
    __atomic_fetch_add(&sum, 100, __ATOMIC_RELAXED);
#pragma omp section
    __atomic_fetch_add(&sum, 200, __ATOMIC_RELAXED);
  }
#pragma omp for schedule(dynamic) ordered
  for (int i = 0; i < 4; ++i) {
#pragma omp ordered
    sum += 1000;
  }
#pragma omp barrier
#pragma omp critical(of_the_child)
  sum += 10000;
  return sum;
}

static int sum_of_tasks(void) {
  int sum = 0;
  char order;
  (void)order; // it has an address only
#pragma omp taskgroup
  {
    for (int i = 0; i < 10; ++i) {
#pragma omp task shared(sum) depend(inout : order)
      sum += i;
    }
  }
  for (int i = 0; i < 10; ++i) {
#pragma omp task shared(sum)
#pragma omp atomic
    sum += 100;
  }
#pragma omp taskwait
#pragma omp taskloop shared(sum)
  for (int i = 0; i < 10; ++i) {
#pragma omp atomic
    sum += 10000;
  }
  return sum;
}

static int width(void) {
  int threads = 0, at = 0;
#pragma omp parallel num_threads(kWidth) reduction(+ : threads)
  {
    threads++;
#pragma omp masked
    at = omp_get_level();
#pragma omp barrier
  }
  return at == omp_get_level() + 1 ? threads : -1;
}

static void check_alone(void) {
  alarm(15);
  CHECK_OR(_exit, omp_get_level() == 0 && omp_get_active_level() == 0 && !omp_in_parallel());
  CHECK_OR(_exit, omp_get_num_threads() == 1 && omp_get_thread_num() == 0);
  CHECK_OR(_exit, omp_get_team_size(0) == 1 && omp_get_ancestor_thread_num(0) == 0);
  for (int round = 0; round < 2; ++round) {
    CHECK_OR(_exit, sum_of_loops() == 45 + 310 + 4000 + 10000);
    CHECK_OR(_exit, sum_of_tasks() == 45 + 1000 + 100000);
    CHECK_OR(_exit, width() == kWidth);
  }
}

static int is_child; // of the thread that goes on in it

// How the child goes on: it ends at once, with the handlers of `exit`, or not here; in a loop or
// sections, before whose end it begins no other ones but in regions.
enum how { kEnds, kExits, kGoesOn, kGoesOnInLoop };

static pid_t forked(enum how how) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child != 0)
    return child;
  is_child = 1;
  if (how == kGoesOnInLoop)
    CHECK_OR(_exit, width() == kWidth && sum_of_tasks() == 45 + 1000 + 100000);
  else
    check_alone();
  if (how == kEnds)
    _exit(7);
  if (how == kExits)
    exit(7);
  return 0;
}

static void fork_here(enum how how) {
  pid_t child = forked(how);
  if (child)
    expect_exit(child, 7);
}

// The child has come out of the region.
static void leave_if_child(void) {
  if (!is_child)
    return;
  check_alone();
  exit(7);
}

static void by_each_thread(enum how how) {
#pragma omp parallel
  for (int i = 0; i < omp_get_num_threads(); ++i) {
    if (i == omp_get_thread_num())
      fork_here(how);
#pragma omp barrier
  }
}

static void by_all_at_once(void) {
#pragma omp parallel
  for (int round = 0; round < repeats(20); ++round) {
    for (int i = 0; i < 10; ++i) { // they are in the middle of something
#pragma omp task
      __asm__ volatile("");
    }
    fork_here(kEnds);
  }
}

static void by_the_first_which_goes_on(void) {
#pragma omp parallel
  {
#pragma omp masked
    fork_here(kGoesOn);
#pragma omp barrier
  }
  leave_if_child();
}

static void in_loops(void) {
  int more = 0;
  pid_t child = 0;
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < kIterations; ++i) {
    if (is_child)
      more++;
    else if (omp_get_thread_num() == 0 && !child)
      child = forked(kGoesOnInLoop);
    else
      usleep(100);
  }
  CHECK(more == 0);
  leave_if_child();
  expect_exit(child, 7);
  child = 0;
#pragma omp parallel num_threads(kWidth)
#pragma omp for schedule(static)
  for (int i = 0; i < kIterations; ++i) {
    if (is_child)
      more++;
    else if (i == 0)
      child = forked(kGoesOnInLoop);
  }
  CHECK(!is_child || more == kIterations / kWidth - 1); // what the program divides itself
  leave_if_child();
  expect_exit(child, 7);
  child = 0;
#pragma omp parallel for schedule(static, 1) ordered
  for (int i = 0; i < kIterations; ++i) {
#pragma omp ordered
    if (i == 0)
      child = forked(kGoesOnInLoop);
  }
  leave_if_child();
  expect_exit(child, 7);
}

static void in_sections_and_single(void) {
  pid_t child = 0;
  for (int i = 0; i < 4; ++i) {
#pragma omp parallel
    {
#pragma omp sections
      {
#pragma omp section
        fork_here(kEnds);
#pragma omp section
        fork_here(kExits);
      }
#pragma omp single
      fork_here(kExits);
#pragma omp critical
      fork_here(kEnds);
#pragma omp critical(named)
      if (omp_get_thread_num() == 0)
        child = forked(kGoesOn);
    }
    leave_if_child();
    expect_exit(child, 7);
  }
}

static void in_tasks(void) {
  pid_t child = 0;
#pragma omp parallel
#pragma omp masked
  {
    for (int i = 0; i < 20; ++i) {
#pragma omp task
      fork_here(i % 2 ? kEnds : kExits);
    }
#pragma omp taskwait
#pragma omp taskgroup
    {
#pragma omp taskgroup
      {
        for (int i = 0; i < 20; ++i) {
#pragma omp task
          usleep(100);
        }
        child = forked(kGoesOn);
      }
    }
  }
  leave_if_child();
  expect_exit(child, 7);
}

static void in_nested_regions(void) {
  pid_t child = 0;
  omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(1)
#pragma omp parallel num_threads(2)
  fork_here(kEnds);
#pragma omp parallel num_threads(2)
#pragma omp masked
  {
#pragma omp parallel for num_threads(2) schedule(dynamic)
    for (int i = 0; i < 2; ++i) {
      if (omp_get_thread_num() == 0 && !child)
        child = forked(kGoesOnInLoop);
      else if (!is_child)
        usleep(1000);
    }
    if (is_child)
      check_alone();
  }
  omp_set_max_active_levels(1);
  leave_if_child();
  if (child)
    expect_exit(child, 7);
}

// And the child once more.
static void in_a_child(void) {
#pragma omp parallel
  {
    pid_t child = fork();
    if (child == 0) {
      check_alone();
#pragma omp parallel num_threads(2)
#pragma omp critical
      fork_here(kExits);
      fork_here(kEnds);
      exit(7);
    }
    expect_exit(child, 7);
  }
}

// What is left of a worker has no end of a region to come to: it says so.
static void workers_cannot_go_on(void) {
#pragma omp parallel
  if (omp_get_thread_num() == 1) {
    pid_t child = fork();
    if (child)
      CHECK(status_at_end(child) != 0);
    else
      CHECK_OR(_exit, close(2) == 0); // what it says is not this test's
  }
}

int main(void) {
  by_each_thread(kEnds);
  by_each_thread(kExits);
  by_all_at_once();
  by_the_first_which_goes_on();
  in_loops();
  in_sections_and_single();
  in_tasks();
  in_nested_regions();
  in_a_child();
  workers_cannot_go_on();
  return 0;
}
