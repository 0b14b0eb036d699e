// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One producer: producer TASKS NS creates that many tasks of so many nanoseconds in one loop of a
// single, and waits for them. Prints how long that took, how many of them other threads ran, and
// the peak of memory (VmHWM). A body counts down from a number that was measured before, since a
// look at a clock takes longer than the smallest.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMostThreads = 1024, kCalibration = 200000 };

typedef struct {
  _Alignas(128) long run;
} Counter;

static Counter counters[kMostThreads];

static inline void count_down(long steps) {
  for (; steps > 0; steps--)
    __asm__ volatile("");
}

/// Steps of `count_down` in a nanosecond; the fastest of some measurements.
static double measured_rate(void) {
  double best = 0;
  for (int i = 0; i < 20; i++) {
    double began = omp_get_wtime();
    count_down(kCalibration);
    double rate = kCalibration / ((omp_get_wtime() - began) * 1e9);
    if (rate > best)
      best = rate;
  }
  return best;
}

static long peak_kb(void) {
  FILE* file = fopen("/proc/self/status", "r");
  long found = 0;
  if (file == NULL)
    return 0;
  for (char line[256]; fgets(line, sizeof line, file) != NULL;)
    sscanf(line, "VmHWM: %ld", &found);
  fclose(file);
  return found;
}

/// Returns the producer.
static int create(long tasks, long steps) {
  int producer = 0;
#pragma omp parallel
#pragma omp single
  {
    producer = omp_get_thread_num();
    for (long i = 0; i < tasks; i++) {
#pragma omp task
      {
        count_down(steps);
        counters[omp_get_thread_num()].run++;
      }
    }
  }
  return producer;
}

int main(int argc, char** argv) {
  long tasks = argc == 3 ? strtol(argv[1], NULL, 10) : -1;
  long ns = argc == 3 ? strtol(argv[2], NULL, 10) : -1;
  if (tasks < 0 || ns < 0 || omp_get_max_threads() > kMostThreads) {
    fprintf(stderr, "producer: expected a number of TASKS and their NS, and at most %d threads\n",
            kMostThreads);
    return 2;
  }
  long steps = (long)(measured_rate() * (double)ns);
  create(omp_get_max_threads(), 0); // starts the threads
  for (int i = 0; i < kMostThreads; i++)
    counters[i].run = 0;
  double began = omp_get_wtime();
  int producer = create(tasks, steps);
  double seconds = omp_get_wtime() - began;
  long run = 0;
  for (int i = 0; i < kMostThreads; i++)
    run += counters[i].run;
  int ok = run == tasks;
  printf("producer threads=%d tasks=%ld ns=%ld seconds=%.9f others=%ld peak_kb=%ld ok=%d\n",
         omp_get_max_threads(), tasks, ns, seconds, run - counters[producer].run, peak_kb(), ok);
  return ok ? 0 : 1;
}
