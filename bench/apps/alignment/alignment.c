// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Alignment: all pairs of a set of proteins, aligned as in the Barcelona suite (BOTS) and ClustalW;
// see pair.h. A task per pair: `single` has one thread make them, `for` shares the outer loop.
// Papers 3 (section 2) and 5 (section 4) align 100 proteins, paper 1 (section VI) 1000.
#include "pair.h"

#include "../../frame/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* input;
static long count, length, seed;
static Protein* proteins;
static Pair* pairs; // of i and j with i < j: at i * count + j

static void one(long i, long j) { pairs[i * count + j] = pair_align(&proteins[i], &proteins[j]); }

// One function per variant: whether a task is tied is fixed when it is compiled.
#define ALIGN(NAME, GENERATOR, TASK)                                                               \
  static void NAME(void) {                                                                         \
    _Pragma("omp parallel")                                                                        \
        _Pragma(GENERATOR) for (long i = 0; i < count; i++) for (long j = i + 1; j < count; j++) { \
      _Pragma(TASK) one(i, j);                                                                     \
    }                                                                                              \
  }

ALIGN(single_tied, "omp single", "omp task")
ALIGN(single_untied, "omp single", "omp task untied")
ALIGN(for_tied, "omp for schedule(dynamic)", "omp task")
ALIGN(for_untied, "omp for schedule(dynamic)", "omp task untied")

static void serial(void) {
  for (long i = 0; i < count; i++)
    for (long j = i + 1; j < count; j++)
      one(i, j);
}

static void prepare(void) {
  char name[256];
  snprintf(name, sizeof name, "alignment/%s", input);
  const char* path = app_data(name);
  proteins = path ? proteins_read(path, count) : proteins_draw(count, length, (uint64_t)seed);
  pairs = calloc((size_t)(count * count), sizeof *pairs);
  if (pairs == NULL)
    app_reject("out of memory for %ld x %ld pairs", count, count);
}

// Each alignment found must be worth what the first pass promised. Some of the pairs, or all if
// they are few, are aligned again.
static int check(void) {
  enum { kAgain = 200 };
  long all = count * (count - 1) / 2, index = 0, every = all / kAgain + 1;
  long score = 0, identities = 0;
  int ok = 1;
  for (long i = 0; i < count; i++)
    for (long j = i + 1; j < count; j++, index++) {
      Pair got = pairs[i * count + j];
      score += got.score;
      identities += got.identities;
      ok &= got.path_score == got.score && got.score >= 0;
      if (index % every != 0)
        continue;
      Pair again = pair_align(&proteins[i], &proteins[j]);
      ok &= again.score == got.score && again.identities == got.identities;
    }
  app_note("score=%ld identities=%ld", score, identities);
  app_tasks(strcmp(app_variant(), "serial") == 0 ? 0 : (uint64_t)all);
  return ok;
}

static const Variant kVariants[] = {
    {"single-tied", "one thread makes tied tasks", single_tied},
    {"single-untied", "one thread makes untied tasks", single_untied},
    {"for-tied", "a shared loop makes tied tasks", for_tied},
    {"for-untied", "a shared loop makes untied tasks", for_untied},
    {"serial", "no OpenMP", serial},
    {0},
};

static const Parameter kParameters[] = {
    {"input",
     "the file alignment/INPUT below --data",
     kText,
     &input,
     {"prot.20.aa", "prot.20.aa", "prot.100.aa", "prot.100.aa"},
     0,
     0},
    {"proteins", "the first of the input", kInteger, &count, {"8", "20", "50", "100"}, 2, 10000},
    {"length",
     "average length of drawn proteins",
     kInteger,
     &length,
     {"200", "400", "700", "700"},
     1,
     100000},
    {"seed", "of drawn proteins", kInteger, &seed, {"1", "1", "1", "1"}, 0, 1e9},
    {0},
};

int main(int argc, char** argv) {
  static const App app = {
      "alignment", "Protein alignment, pair by pair", kVariants, kParameters, prepare, check};
  return app_main(&app, argc, argv);
}
