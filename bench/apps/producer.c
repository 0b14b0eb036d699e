// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One producer: producer TASKS NS BATCH creates that many tasks of so many nanoseconds in one loop
// of a single, and waits for them; or, where BATCH is not 0, so many at a time, all of which
// travel: it does nothing until others have run them, and then waits for them. Prints how long that
// took, how many of them other threads ran, and the peak of memory (VmHWM). A body counts down from
// a number that was measured before, since a look at a clock takes longer than the smallest.
#include <omp.h>
#include <stdatomic.h>
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

/// The same, so many at a time, by others.
static int hand_over(long tasks, long steps, long batch) {
  int producer = 0;
  static atomic_long left;
#pragma omp parallel
#pragma omp single
  {
    producer = omp_get_thread_num();
    for (long done = 0; done < tasks; done += batch) {
      long count = tasks - done < batch ? tasks - done : batch;
      atomic_store(&left, count);
      for (long i = 0; i < count; i++) {
#pragma omp task
        {
          count_down(steps);
          counters[omp_get_thread_num()].run++;
          atomic_fetch_sub_explicit(&left, 1, memory_order_release);
        }
      }
      while (atomic_load_explicit(&left, memory_order_acquire) > 0) {
      }
#pragma omp taskwait
    }
  }
  return producer;
}

int main(int argc, char** argv) {
  long numbers[3] = {-1, -1, -1};
  for (int i = 1; i < argc && argc == 4; i++)
    numbers[i - 1] = strtol(argv[i], NULL, 10);
  long tasks = numbers[0], ns = numbers[1], batch = numbers[2];
  if (tasks < 0 || ns < 0 || batch < 0 || omp_get_max_threads() > kMostThreads ||
      (batch > 0 && omp_get_max_threads() < 2)) {
    fprintf(stderr,
            "producer: expected a number of TASKS, their NS and a BATCH, and at most %d threads; "
            "with a batch at least 2\n",
            kMostThreads);
    return 2;
  }
  long steps = (long)(measured_rate() * (double)ns);
  create(omp_get_max_threads(), 0); // starts the threads
  for (int i = 0; i < kMostThreads; i++)
    counters[i].run = 0;
  double began = omp_get_wtime();
  int producer = batch ? hand_over(tasks, steps, batch) : create(tasks, steps);
  double seconds = omp_get_wtime() - began;
  long run = 0;
  for (int i = 0; i < kMostThreads; i++)
    run += counters[i].run;
  int ok = run == tasks;
  printf(
      "producer threads=%d tasks=%ld ns=%ld batch=%ld seconds=%.9f others=%ld peak_kb=%ld ok=%d\n",
      omp_get_max_threads(), tasks, ns, batch, seconds, run - counters[producer].run, peak_kb(),
      ok);
  return ok ? 0 : 1;
}
