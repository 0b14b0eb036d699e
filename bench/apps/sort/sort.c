// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts n integers by merge sort with parallel merges: four tasks sort the quarters, two merge them
// to halves, and a merge is split at the median of its longer part until it is small; as Cilk's
// cilksort and the Barcelona suite (BOTS) do.
#include "sequential.h"

#include "../../frame/app.h"

#include <stdlib.h>

static long n, quick, merge, insertion;
static Key *keys, *room;
static uint64_t tasks;

// Where the longer of two sorted parts is halved, and what precedes that in the shorter one.
typedef struct {
  const Key *longer, *shorter;
  long longer_count, shorter_count;
  long longer_first, shorter_first;
} Cut;

static Cut cut(const Key* a, long a_count, const Key* b, long b_count) {
  Cut it = a_count < b_count ? (Cut){b, a, b_count, a_count, b_count / 2, 0}
                             : (Cut){a, b, a_count, b_count, a_count / 2, 0};
  it.shorter_first = count_below(it.shorter, it.shorter_count, it.longer[it.longer_first]);
  return it;
}

#define PRAGMA(...) _Pragma(#__VA_ARGS__)

// Both functions return how many tasks they made.
#define SORT(NAME, CLAUSES)                                                                        \
  static uint64_t NAME##_merge(const Key* a, long a_count, const Key* b, long b_count, Key* to) {  \
    if (a_count < merge || b_count < merge) {                                                      \
      merge_serially(a, a_count, b, b_count, to);                                                  \
      return 0;                                                                                    \
    }                                                                                              \
    Cut at = cut(a, a_count, b, b_count);                                                          \
    uint64_t first, second;                                                                        \
    PRAGMA(omp task shared(first, at) CLAUSES)                                                     \
    first = NAME##_merge(at.longer, at.longer_first, at.shorter, at.shorter_first, to);            \
    PRAGMA(omp task shared(second, at) CLAUSES)                                                    \
    second = NAME##_merge(at.longer + at.longer_first, at.longer_count - at.longer_first,          \
                          at.shorter + at.shorter_first, at.shorter_count - at.shorter_first,      \
                          to + at.longer_first + at.shorter_first);                                \
    _Pragma("omp taskwait") return first + second + 2;                                             \
  }                                                                                                \
  static uint64_t NAME(Key* own, Key* other, long count) {                                         \
    if (count < quick) {                                                                           \
      sort_serially(own, count, insertion);                                                        \
      return 0;                                                                                    \
    }                                                                                              \
    long part = count / 4;                                                                         \
    long begin[] = {0, part, 2 * part, 3 * part, count};                                           \
    uint64_t made[6];                                                                              \
    for (int i = 0; i < 4; i++) {                                                                  \
      PRAGMA(omp task shared(made, begin) CLAUSES)                                                 \
      made[i] = NAME(own + begin[i], other + begin[i], begin[i + 1] - begin[i]);                   \
    }                                                                                              \
    _Pragma("omp taskwait") for (int i = 0; i < 4; i += 2) {                                       \
      PRAGMA(omp task shared(made, begin) CLAUSES)                                                 \
      made[4 + i / 2] = NAME##_merge(own + begin[i], begin[i + 1] - begin[i], own + begin[i + 1],  \
                                     begin[i + 2] - begin[i + 1], other + begin[i]);               \
    }                                                                                              \
    _Pragma("omp taskwait") uint64_t total =                                                       \
        6 + NAME##_merge(other, begin[2], other + begin[2], count - begin[2], own);                \
    for (int i = 0; i < 6; i++)                                                                    \
      total += made[i];                                                                            \
    return total;                                                                                  \
  }                                                                                                \
  static void run_##NAME(void) {                                                                   \
    _Pragma("omp parallel") _Pragma("omp single") tasks = NAME(keys, room, n);                     \
  }

SORT(tied, )
SORT(untied, untied)

// The same without tasks; a merge need not be split then.
static void serial(Key* own, Key* other, long count) {
  if (count < quick) {
    sort_serially(own, count, insertion);
    return;
  }
  long part = count / 4, half = 2 * part;
  serial(own, other, part);
  serial(own + part, other + part, part);
  serial(own + half, other + half, part);
  serial(own + half + part, other + half + part, count - half - part);
  merge_serially(own, part, own + part, part, other);
  merge_serially(own + half, part, own + half + part, count - half - part, other + half);
  merge_serially(other, half, other + half, count - half, own);
}

static void run_serial(void) { serial(keys, room, n); }

static const Variant kVariants[] = {
    {"tied", "tied tasks", run_tied},
    {"untied", "untied tasks", run_untied},
    {"serial", "no OpenMP", run_serial},
    {0},
};

// n: paper 1 section VI has 1B, 2^30 (268M in its sweeps); papers 3 and 5 have 128M with 32768 for
// quick and merge.
static const Parameter kParameters[] = {
    {"n", "integers", kInteger, &n, {"65536", "2097152", "16777216", "1073741824"}, 1, 2147483648},
    {"quick",
     "fewer integers are sorted by quicksort",
     kInteger,
     &quick,
     {"2048", "2048", "2048", "2048"},
     4,
     1e9},
    {"merge",
     "a merge with fewer integers in a part is serial",
     kInteger,
     &merge,
     {"2048", "2048", "2048", "2048"},
     2,
     1e9},
    {"insertion",
     "up to so many integers are sorted by insertion",
     kInteger,
     &insertion,
     {"20", "20", "20", "20"},
     1,
     1e9},
    {0},
};

// A one-to-one mapping of the numbers below 2^bits that looks like chance: either step can be
// undone.
static uint64_t scramble(uint64_t number, int bits) {
  uint64_t mask = ((uint64_t)1 << bits) - 1;
  for (int round = 0; round < 3; round++) {
    number = (number * 0x9e3779b97f4a7c15 + 0x632be59bd9b4e019) & mask;
    number ^= number >> (bits / 2 + 1);
  }
  return number;
}

// The numbers from 0 to n - 1 in an order that takes no shuffling to draw: a number that is mapped
// to n or more is mapped again.
static void prepare(void) {
  keys = malloc(n * sizeof *keys);
  room = calloc(n, sizeof *room);
  if (keys == NULL || room == NULL)
    app_reject("no memory for %ld integers", n);
  int bits = 1;
  while ((int64_t)1 << bits < n)
    bits++;
  for (long i = 0; i < n; i++) {
    uint64_t key = (uint64_t)i;
    do
      key = scramble(key, bits);
    while (key >= (uint64_t)n);
    keys[i] = (Key)key;
    room[i] = 0; // so that the clock does not see the pages being made
  }
}

// Sorted, and what was given: exactly the numbers from 0.
static int check(void) {
  app_tasks(tasks);
  for (long i = 0; i < n; i++)
    if (keys[i] != i)
      return 0;
  return 1;
}

int main(int argc, char** argv) {
  static const App app = {"sort", "Parallel merge sort", kVariants, kParameters, prepare, check};
  return app_main(&app, argc, argv);
}
