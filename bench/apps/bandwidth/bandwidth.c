// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much memory a thread can read in a second while the others do the same (paper 3, Fig. 3).
// Each thread fills an array of its own, so that it lies near it, and then reads it several times.
#include "../../frame/app.h"

#include <omp.h>
#include <stdlib.h>

enum { kMegabyte = 1 << 20, kWords = kMegabyte / sizeof(uint64_t), kStreams = 4 };

static long megabytes, passes;

static uint64_t** arrays; // one for each thread that read
static uint64_t* sums;
static int readers;

static uint64_t* filled(void) {
  size_t words = (size_t)megabytes * kWords;
  uint64_t* array = malloc(words * sizeof *array);
  if (!array)
    app_reject("no memory for %ld MB", megabytes);
  for (size_t i = 0; i < words; i++)
    array[i] = i;
  return array;
}

// Several sums, so that no addition waits for the one before it.
static uint64_t read_all(const uint64_t* array) {
  size_t words = (size_t)megabytes * kWords;
  uint64_t sum[kStreams] = {0};
  for (long pass = 0; pass < passes; pass++)
    for (size_t i = 0; i < words; i += kStreams)
      for (int stream = 0; stream < kStreams; stream++)
        sum[stream] += array[i + (size_t)stream] + (uint64_t)pass;
  return sum[0] + sum[1] + sum[2] + sum[3];
}

static void run_serial(void) {
  readers = 1;
  sums[0] = read_all(arrays[0]);
}

static void run_threads(void) {
  readers = app_threads();
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < readers; i++)
    sums[i] = read_all(arrays[i]);
}

// The threads of the timed region are those that fill: static shares are the same twice.
static void prepare(void) {
  int most = omp_get_max_threads();
  arrays = calloc((size_t)most, sizeof *arrays);
  sums = calloc((size_t)most, sizeof *sums);
  if (!arrays || !sums)
    app_reject("no memory for %d threads", most);
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < most; i++)
    arrays[i] = filled();
}

static int check(void) {
  uint64_t words = (uint64_t)megabytes * kWords, each = words * (words - 1) / 2;
  uint64_t added = words * ((uint64_t)passes * (uint64_t)(passes - 1) / 2);
  int ok = 1;
  for (int i = 0; i < readers; i++)
    ok = ok && sums[i] == (uint64_t)passes * each + added;
  app_tasks(0);
  app_note("thread_gbs=%.3f", (double)megabytes * kMegabyte * (double)passes / app_seconds() / 1e9);
  return ok;
}

static const Variant kVariants[] = {
    {"threads", "every thread reads an array of its own", run_threads},
    {"serial", "no OpenMP", run_serial},
    {0},
};

static const Parameter kParameters[] = {
    {"megabytes", "of each array", kInteger, &megabytes, {"1", "64", "128", "256"}, 1, 65536},
    {"passes", "over it", kInteger, &passes, {"2", "8", "16", "32"}, 1, 1000000},
    {0},
};

int main(int argc, char** argv) {
  static const App app = {
      "bandwidth", "Bandwidth of memory per thread", kVariants, kParameters, prepare, check};
  return app_main(&app, argc, argv);
}
