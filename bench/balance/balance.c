// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long regions of uneven work take beside the least they could: a task sleeps instead of
// computing, and a sleep needs no processor, so a small machine stands for a large one. One shape
// computes.
//   balance SHAPE [REGIONS]   runs it REGIONS times (3) on the current number of threads and prints
//                             a line of key=value pairs for each
//   balance --list            the shapes: name, kind, what it is
// Exit status: 0; 1 if some work was not done, or done twice; 2 for bad input.
#include "shapes.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { kManyThreads = 16, kNanoseconds = 1000000000 };

static Kind kind;
static long unit; // in microseconds

// Units of work that each thread has done in this region, on a cache line of its own.
enum { kCacheLine = 64 };
static struct {
  _Alignas(kCacheLine) long units;
}* done;

static long nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * kNanoseconds + now.tv_nsec;
}

// Takes processor time, however busy the machine is with others.
static void compute(long units) {
  long end = nanoseconds(CLOCK_THREAD_CPUTIME_ID) + units * unit * 1000;
  while (nanoseconds(CLOCK_THREAD_CPUTIME_ID) < end)
    continue;
}

void work(long units) {
  done[omp_get_thread_num()].units += units;
  if (kind == kComputing) {
    compute(units);
    return;
  }
  long length = units * unit * 1000;
  struct timespec time = {length / kNanoseconds, length % kNanoseconds};
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &time) != 0)
    continue;
}

// Far above what a task costs and far below a second; where hundreds of threads wake up on a few
// processors, they are to do so less often.
static long unit_for(int threads) {
  if (kind == kComputing)
    return 100;
  return threads > kManyThreads ? 5000 : 2000;
}

static const Shape* find(const char* name) {
  for (const Shape* shape = kShapes; shape->name != NULL; shape++) {
    if (strcmp(shape->name, name) == 0)
      return shape;
  }
  return NULL;
}

static const char* kind_name(Kind which) { return which == kSleeping ? "sleeping" : "computing"; }

static void list(void) {
  for (const Shape* shape = kShapes; shape->name != NULL; shape++)
    printf("%s %s %s\n", shape->name, kind_name(shape->kind), shape->about);
}

// Priorities count up to OMP_MAX_TASK_PRIORITY, which nothing but the environment sets, and which
// the runtime has read by now. Not for shapes without: programs seldom have it set, and a runtime
// may treat all tasks differently where it is.
static void allow_priorities(char** argv) {
  if (getenv("OMP_MAX_TASK_PRIORITY") != NULL)
    return;
  setenv("OMP_MAX_TASK_PRIORITY", "1", 1);
  execv("/proc/self/exe", argv);
  perror("balance: /proc/self/exe");
  exit(2);
}

static int threads_of_region(void) {
  int threads = 0;
#pragma omp parallel
#pragma omp single
  threads = omp_get_num_threads();
  return threads;
}

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "--list") == 0) {
    list();
    return 0;
  }
  const Shape* shape = argc > 1 ? find(argv[1]) : NULL;
  long regions = argc > 2 ? strtol(argv[2], NULL, 10) : 3;
  if (shape == NULL || argc > 3 || regions < 1) {
    fprintf(stderr, "balance: expected a SHAPE of --list and a number of REGIONS\n");
    return 2;
  }
  if (shape->has_priorities)
    allow_priorities(argv);
  // Before there are threads, which inherit it: the kernel else lets sleeps last 50 us longer.
  prctl(PR_SET_TIMERSLACK, 1L);
  kind = shape->kind;
  int threads = threads_of_region(); // starts them
  unit = unit_for(threads);
  size_t bytes = (size_t)threads * sizeof *done;
  done = aligned_alloc(kCacheLine, bytes);
  if (done == NULL) {
    perror("balance");
    return 2;
  }
  int ok = 1;
  for (long region = 0; region < regions && ok; region++) {
    memset(done, 0, bytes);
    double began = omp_get_wtime();
    shape->run(threads);
    double seconds = omp_get_wtime() - began;
    long all = 0, busiest = 0;
    for (int thread = 0; thread < threads; thread++) {
      all += done[thread].units;
      busiest = done[thread].units > busiest ? done[thread].units : busiest;
    }
    ok = all == shape->total(threads);
    printf("balance shape=%s kind=%s threads=%d region=%ld unit=%ld total=%ld path=%ld "
           "busiest=%ld ok=%d seconds=%.9f\n",
           shape->name, kind_name(kind), threads, region, unit, shape->total(threads),
           shape->path(threads), busiest, ok, seconds);
  }
  return ok ? 0 : 1;
}
