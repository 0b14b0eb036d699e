// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// exit inside a task, inside a region from any thread, and while the program's other threads are in
// regions: the process ends at once with its code, and its exit handlers may use OpenMP. Naive
// version: a destructor of the library joins pool threads, one of which is the caller or waits for
// it.
// xomp-test: threads=1,2,4 timeout=120 skip=tsan compilers=gcc,clang
#include <omp.h>
#include <pthread.h>

#include "process.h"

static volatile int stop;

static void sum_in_handler(void) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 10; i++)
    sum += i;
  if (sum != 45)
    _exit(99);
}

static void* endless_regions(void* unused) {
  for (;;) {
#pragma omp parallel
    {
#pragma omp task
      stop++;
    }
  }
  return unused;
}

static void exit_in_task(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task
    if (i == 20)
      exit(21);
  }
}

static void exit_in_nested_task(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
  {
#pragma omp task
    {
#pragma omp task
      if (omp_get_ancestor_thread_num(1) == 1)
        exit(22);
#pragma omp taskwait
    }
  }
}

static void exit_from_last_thread(void) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == omp_get_num_threads() - 1)
      exit(23);
#pragma omp barrier
  }
}

static void exit_beside_regions(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&threads[i], NULL, endless_regions, NULL);
  usleep(20000);
  exit(24);
}

static void exit_between_regions(void) {
#pragma omp parallel
  {
    stop++;
  }
  exit(25);
}

static void return_with_handler(void) {
  atexit(sum_in_handler);
#pragma omp parallel
  {
    stop++;
  }
  exit(26);
}

static void* leave_process_to_others(void* main_thread) {
  pthread_join(*(pthread_t*)main_thread, NULL);
#pragma omp parallel
  {
    stop++;
  }
  exit(27);
}

// The main thread ends, another one goes on.
static void main_thread_ends(void) {
  static pthread_t main_thread, other;
  main_thread = pthread_self();
#pragma omp parallel
  {
    stop++;
  }
  pthread_create(&other, NULL, leave_process_to_others, &main_thread);
  pthread_exit(NULL);
}

int main(void) {
  void (*ways[])(void) = {exit_in_task,        exit_in_nested_task,  exit_from_last_thread,
                          exit_beside_regions, exit_between_regions, return_with_handler,
                          main_thread_ends};
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 7; i++) {
      pid_t child = fork();
      CHECK(child >= 0);
      if (child == 0) {
        alarm(30);
        ways[i]();
        _exit(98); // not reached
      }
      expect_exit(child, 21 + i);
    }
  }
  return 0;
}
