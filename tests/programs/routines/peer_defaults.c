// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What nobody has said is as on the compiler's own runtime, and shown so: schedule(runtime) is
// dynamic for gcc's programs and static for clang's, and threads that are bound lie close to each
// other for gcc's and are spread for clang's. Without places there is none for gcc's, and one with
// all processors for clang's. Under KMP_AFFINITY, which counts for clang's alone, threads take
// places in turn. Affinity is shown in the other runtime's words, on its stream.
// xomp-test: compilers=gcc,clang threads=1 barriers=tree recorded=0 told=0
#include <omp.h>

#include "process.h"

#ifdef __clang__
static const char* const schedule = "OMP_SCHEDULE = 'STATIC'";
static const char* const binding = "OMP_PROC_BIND = 'SPREAD'";
static const int step = 2;
#define OTHER_STREAM stderr
#else
static const char* const schedule = "OMP_SCHEDULE = 'DYNAMIC'";
static const char* const binding = "OMP_PROC_BIND = 'TRUE'";
static const int step = 1;
#define OTHER_STREAM stdout
#endif

static void on_eight_places(void) {
  CHECK(omp_get_num_places() == 8);
#pragma omp parallel num_threads(4)
  CHECK(omp_get_place_num() == step * omp_get_thread_num());
}

static void without_places(void) {
#ifdef __clang__
  int numbers[1024], partition = -1, processors = omp_get_place_num_procs(0);
  CHECK(omp_get_num_places() == 1 && omp_get_place_num() == 0);
  CHECK(processors == omp_get_num_procs() && processors <= 1024);
  omp_get_place_proc_ids(0, numbers);
  CHECK(processors == 1 || numbers[0] < numbers[processors - 1]);
  CHECK(omp_get_place_num_procs(1) == 0 && omp_get_place_num_procs(-1) == 0);
  CHECK(omp_get_partition_num_places() == 1);
  omp_get_partition_place_nums(&partition);
  CHECK(partition == 0);
#pragma omp parallel num_threads(2)
  CHECK(omp_get_place_num() == 0 && omp_get_partition_num_places() == 1);
#else
  CHECK(omp_get_num_places() == 0 && omp_get_place_num() == -1);
  CHECK(omp_get_place_num_procs(0) == 0 && omp_get_partition_num_places() == 0);
#endif
}

static void in_turn(void) {
#ifdef __clang__
  CHECK(omp_get_num_places() == 2 && omp_get_proc_bind() == 5);
#pragma omp parallel num_threads(5)
  CHECK(omp_get_place_num() == omp_get_thread_num() % 2);
#else
  CHECK(omp_get_num_places() == 0 && omp_get_proc_bind() == omp_proc_bind_false);
#endif
}

static void region_of_two(void) {
#pragma omp parallel num_threads(2)
  CHECK(omp_get_num_threads() == 2);
}

/// What comes to the other stream is lost.
static void show_affinity(void) {
  CHECK(freopen("/dev/null", "w", OTHER_STREAM));
  region_of_two();
  omp_display_affinity(NULL);
}

static void expect_affinity(void) {
  struct started child = start_self("affinity", "OMP_DISPLAY_AFFINITY=true", NULL);
  struct outcome ended = end_of(child);
  CHECK(ended.status == 0);
#ifdef __clang__
  char line[80];
  int process = (int)child.process;
  snprintf(line, sizeof line, "OMP: pid %d tid %d thread 0 bound to OS proc set {", process,
           process);
  const char* first = strstr(ended.output, line);
  CHECK(first && strstr(first + 1, line));
  CHECK(strstr(ended.output, " thread 1 bound to OS proc set {"));
#else
  CHECK(strstr(ended.output, "level 0 thread 0x"));
  const char* first = strstr(ended.output, "level 1 thread 0x");
  CHECK(first && strstr(first + 1, "level 1 thread 0x"));
#endif
}

static void show_on_stderr(void) {
  CHECK(freopen("/dev/null", "w", stdout));
  region_of_two();
}

static void expect_verbose(void) {
  struct outcome ended = run_self("verbose", "KMP_AFFINITY=verbose", NULL);
  CHECK(ended.status == 0);
#ifdef __clang__
  CHECK(strstr(ended.output, " thread 1 bound to OS proc set "));
#else
  CHECK(!*ended.output);
#endif
}

static void expect_shown(const char* variable, const char* shown) {
  struct outcome child = run_self("", "OMP_DISPLAY_ENV=true", variable);
  CHECK(child.status == 0 && strstr(child.output, shown));
}

int main(int count, char** arguments) {
  if (count > 1) {
    if (strcmp(arguments[1], "places") == 0)
      on_eight_places();
    else if (strcmp(arguments[1], "none") == 0)
      without_places();
    else if (strcmp(arguments[1], "turn") == 0)
      in_turn();
    else if (strcmp(arguments[1], "affinity") == 0)
      show_affinity();
    else if (strcmp(arguments[1], "verbose") == 0)
      show_on_stderr();
    CHECK(omp_get_level() == 0);
    return 0;
  }
  expect_affinity();
  expect_verbose();
  expect_shown(NULL, schedule);
  expect_shown("OMP_SCHEDULE=guided", "OMP_SCHEDULE = 'GUIDED'");
  expect_shown("OMP_PROC_BIND=true", binding);
  expect_shown("OMP_PLACES=threads", binding);
  expect_shown("OMP_PROC_BIND=close", "OMP_PROC_BIND = 'CLOSE'");
  CHECK(run_self("places", "OMP_PROC_BIND=true", "XOMP_TOPOLOGY=core:4 pu:2").status == 0);
  CHECK(run_self("places", "OMP_PLACES=threads", "XOMP_TOPOLOGY=core:4 pu:2").status == 0);
  CHECK(run_self("none", NULL, NULL).status == 0);
  CHECK(run_self("turn", "KMP_AFFINITY=compact", "XOMP_TOPOLOGY=core:2 pu:1").status == 0);
  return 0;
}
