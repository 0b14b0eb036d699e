// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints how far apart the first two processors are that it may run on: nanoseconds in which one
// cache line travels from the one to the other and back. Of several short batches the fastest
// counts, so that a thread which lost its processor does not show. Prints nothing where there is
// one processor only, or where other programs left no time for a few batches. Linked statically to
// be small and quick.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { kBatches = 40, kFewest = 3, kTrips = 50, kSpinsPerLook = 1024 };
static const double kLongest = 4e6; // nanoseconds, from the start

// Odd while it is the other thread's turn.
static _Alignas(128) atomic_uint line;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

static bool stay_on(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  return pthread_setaffinity_np(pthread_self(), sizeof one, &one) == 0;
}

// Ends with the process.
static void* answer(void* processor) {
  if (!stay_on((int)(intptr_t)processor))
    return NULL;
  for (unsigned turn = 1;; turn += 2) {
    while (atomic_load_explicit(&line, memory_order_acquire) != turn)
      ;
    atomic_store_explicit(&line, turn + 1, memory_order_release);
  }
}

static bool travel(unsigned trip, double end) {
  atomic_store_explicit(&line, 2 * trip + 1, memory_order_release);
  for (unsigned spins = 1; atomic_load_explicit(&line, memory_order_acquire) != 2 * trip + 2;
       ++spins)
    if (spins % kSpinsPerLook == 0 && now() > end)
      return false;
  return true;
}

int main(void) {
  double end = now() + kLongest;
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) != 0 || CPU_COUNT(&usable) < 2)
    return 0;
  int pair[2];
  for (int found = 0, processor = 0; found < 2; ++processor)
    if (CPU_ISSET(processor, &usable))
      pair[found++] = processor;
  pthread_t other;
  if (!stay_on(pair[0]) || pthread_create(&other, NULL, answer, (void*)(intptr_t)pair[1]) != 0)
    return 0;
  double fastest = 0;
  unsigned trip = 0;
  int batches = 0;
  bool in_time = travel(trip++, end); // the other thread has begun
  while (in_time && batches < kBatches) {
    double start = now();
    for (int i = 0; in_time && i < kTrips; ++i)
      in_time = travel(trip++, end);
    double each = (now() - start) / kTrips;
    if (in_time && (batches++ == 0 || each < fastest))
      fastest = each;
  }
  if (batches >= kFewest)
    printf("%.1f\n", fastest);
  return 0;
}
