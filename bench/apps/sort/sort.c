// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts n integers by merge sort with parallel merges: four tasks sort the quarters, two merge them
// to halves, and a merge is split at the median of its longer part until it is small; as Cilk's
// cilksort and the Barcelona suite (BOTS) do.
#include "problem.h"

static uint64_t tasks;

#define PRAGMA(...) _Pragma(#__VA_ARGS__)

// Both functions return how many tasks they made.
#define SORT(NAME, CLAUSES)                                                                        \
  static uint64_t NAME##_merge(const Key* a, long a_count, const Key* b, long b_count, Key* to) {  \
    if (a_count <= merge || b_count <= merge) {                                                    \
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

static void run_serial(void) { serial(keys, room, n); }

static const Variant kVariants[] = {
    {"tied", "tied tasks", run_tied},
    {"untied", "untied tasks", run_untied},
    {"serial", "no OpenMP", run_serial},
    {0},
};

static int check(void) {
  app_tasks(tasks);
  return sorted();
}

int main(int argc, char** argv) {
  static const App app = {"sort", "Parallel merge sort", kVariants, kParameters, prepare, check};
  return app_main(&app, argc, argv);
}
