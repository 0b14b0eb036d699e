// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The smallest OpenMP program: one region in which every thread says hello to a counter.
// `hello regions` runs a second one and tells how long each took, in microseconds; `hello tasks`
// one in which a thread creates tasks, the first of the process, and tells after how many
// microseconds the others have each begun their first: half of them, and all; `hello memory` adds
// what the process occupies at its end, exactly counted by the kernel (/proc/self/smaps_rollup, in
// kB; ru_maxrss is only approximate on recent kernels).
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void print_memory(void) {
  FILE* file = fopen("/proc/self/smaps_rollup", "r");
  if (file == NULL)
    return;
  long rss = 0, pss = 0, anonymous = 0, value;
  for (char line[256]; fgets(line, sizeof line, file) != NULL;) {
    if (sscanf(line, "Rss: %ld", &value) == 1)
      rss = value;
    if (sscanf(line, "Pss: %ld", &value) == 1)
      pss = value;
    if (sscanf(line, "Anonymous: %ld", &value) == 1)
      anonymous = value;
  }
  fclose(file);
  printf(" rss_kb=%ld pss_kb=%ld anonymous_kb=%ld", rss, pss, anonymous);
}

static int greetings, threads;

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static double region(void) {
  double begin = now_us();
#pragma omp parallel
  {
#pragma omp atomic
    greetings++;
#pragma omp master
    threads = omp_get_num_threads();
  }
  return now_us() - begin;
}

enum { kTasks = 64, kMostThreads = 1024 };
static const double kTaskMicroseconds = 100;

/// By thread, in a cache line each: when its first task began; 0: it had none.
static struct {
  double begun;
  char rest[120];
} firsts[kMostThreads];

static int ascending(const void* a, const void* b) {
  double first = *(const double*)a, second = *(const double*)b;
  return (first > second) - (first < second);
}

/// After how long half of the threads that do not create tasks have begun one, and all of them; one
/// that had none counts as if it had begun when all tasks were done.
static void first_tasks(double* half, double* all) {
  // The threads are asleep, as in a program that has done something else meanwhile.
  struct timespec pause = {0, 20 * 1000 * 1000};
  nanosleep(&pause, NULL);
  double begin = 0, end = 0;
  int creator = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    creator = omp_get_thread_num();
    begin = now_us();
    for (int i = 0; i < kTasks; i++) {
#pragma omp task
      {
        int own = omp_get_thread_num();
        double start = now_us();
        if (firsts[own].begun == 0)
          firsts[own].begun = start;
        while (now_us() < start + kTaskMicroseconds)
          ;
#pragma omp atomic
        greetings++;
      }
    }
#pragma omp taskwait
    end = now_us();
  }
  double others[kMostThreads];
  int count = 0;
  for (int i = 0; i < threads; i++) {
    if (i != creator)
      others[count++] = (firsts[i].begun == 0 ? end : firsts[i].begun) - begin;
  }
  qsort(others, (size_t)count, sizeof others[0], ascending);
  *half = count ? others[(count - 1) / 2] : 0;
  *all = count ? others[count - 1] : 0;
}

int main(int argc, char** argv) {
  const char* more = argc > 1 ? argv[1] : "";
  double first = region(), second = 0;
  if (strcmp(more, "regions") == 0) {
    greetings = 0;
    second = region();
  }
  double half = -1, all = -1;
  int expected = threads;
  if (strcmp(more, "tasks") == 0 && threads <= kMostThreads) {
    first_tasks(&half, &all);
    expected += kTasks;
  }
  int ok = greetings == expected;
  printf("hello threads=%d ok=%d", threads, ok);
  if (second > 0)
    printf(" first_us=%.2f second_us=%.2f", first, second);
  if (half >= 0)
    printf(" half_us=%.2f all_us=%.2f", half, all);
  if (strcmp(more, "memory") == 0)
    print_memory();
  putchar('\n');
  return ok ? 0 : 1;
}
