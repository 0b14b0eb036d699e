// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock that all threads want: locks KIND HOLD_US OUT_US SECONDS, where KIND is lock, nest,
// critical or atomic. Each thread takes it, holds it for so many microseconds, and wants it again
// so many later. An atomic operation that needs a lock cannot be held: there HOLD_US is 0. Prints
// how often the lock was taken, how often by the thread that got it least, and the longest wait.
// The clock is the system's: `omp_get_wtime` is part of what is compared, and libomp's counts whole
// microseconds, with which a lock would be held for half as long.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMostThreads = 1024 };

typedef struct {
  _Alignas(128) long entries;
  double longest_wait;
} Thread;

typedef enum { kLock, kNest, kCritical, kAtomic, kKinds } Kind;

static const char* const names[kKinds] = {"lock", "nest", "critical", "atomic"};
static Thread threads[kMostThreads];
// Each in a line of its own: whether a lock shares one with what it guards is not what is measured.
static _Alignas(128) omp_lock_t lock;
static _Alignas(128) omp_nest_lock_t nest_lock;
static _Alignas(128) long guarded; // counts entries: right only if one thread is inside at a time
static _Alignas(128) long double guarded_atomic; // too large for the processor's own operations

static double clock_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static void spend(double seconds) {
  double until = clock_now() + seconds;
  while (seconds > 0 && clock_now() < until) {
  }
}

/// Returns when the lock was taken.
static double inside(double hold) {
  double taken = clock_now();
  guarded++;
  spend(hold);
  return taken;
}

/// Takes the lock once. Returns when that was.
static double enter(Kind kind, double hold) {
  double taken = 0;
  switch (kind) {
  case kLock:
    omp_set_lock(&lock);
    taken = inside(hold);
    omp_unset_lock(&lock);
    break;
  case kNest:
    omp_set_nest_lock(&nest_lock);
    taken = inside(hold);
    omp_unset_nest_lock(&nest_lock);
    break;
  case kCritical:
#pragma omp critical
    taken = inside(hold);
    break;
  default:
#pragma omp atomic
    guarded_atomic += 1;
    taken = clock_now();
  }
  return taken;
}

/// Returns how long it took in all, since whoever waits at the end goes on until it was inside.
static double contend(Kind kind, double hold, double out, double seconds) {
  double began = 0;
#pragma omp parallel
  {
    Thread* me = &threads[omp_get_thread_num()];
    long entries = 0;
    double longest = 0;
#pragma omp barrier
    double now = clock_now(), end = now + seconds;
#pragma omp master
    began = now;
    while (now < end) {
      double wait = enter(kind, hold) - now;
      if (wait > longest)
        longest = wait;
      entries++;
      spend(out);
      now = clock_now();
    }
    me->entries = entries;
    me->longest_wait = longest;
  }
  return clock_now() - began;
}

int main(int argc, char** argv) {
  int kind = 0;
  double numbers[3] = {-1, -1, -1};
  for (int i = 2; i < argc && argc == 5; i++)
    numbers[i - 2] = strtod(argv[i], NULL);
  while (argc == 5 && kind < kKinds && strcmp(argv[1], names[kind]) != 0)
    kind++;
  double hold = numbers[0] * 1e-6, out = numbers[1] * 1e-6, seconds = numbers[2];
  if (kind == kKinds || hold < 0 || out < 0 || seconds <= 0 || (kind == kAtomic && hold > 0) ||
      omp_get_max_threads() > kMostThreads) {
    fprintf(stderr,
            "locks: expected lock, nest, critical or atomic, HOLD_US (0 for atomic), OUT_US and "
            "SECONDS, and at most %d threads\n",
            kMostThreads);
    return 2;
  }
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest_lock);
  double took = contend((Kind)kind, hold, out, seconds);
  long entries = 0, fewest = threads[0].entries;
  double longest = 0;
  for (int i = 0; i < omp_get_max_threads(); i++) {
    entries += threads[i].entries;
    fewest = threads[i].entries < fewest ? threads[i].entries : fewest;
    longest = threads[i].longest_wait > longest ? threads[i].longest_wait : longest;
  }
  int ok = entries == (kind == kAtomic ? (long)guarded_atomic : guarded);
  printf("locks kind=%s threads=%d hold_us=%g out_us=%g seconds=%g entries=%ld fewest=%ld "
         "longest_wait=%.9f ok=%d\n",
         names[kind], omp_get_max_threads(), hold * 1e6, out * 1e6, took, entries, fewest, longest,
         ok);
  return ok ? 0 : 1;
}
