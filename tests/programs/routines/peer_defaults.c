// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What nobody has said is as on the compiler's own runtime, and shown so: schedule(runtime) is
// dynamic for gcc's programs and static for clang's, and threads that are bound lie close to each
// other for gcc's and are spread for clang's.
// xomp-test: compilers=gcc,clang threads=1 barriers=tree recorded=0 told=0
#include <omp.h>

#include "process.h"

#ifdef __clang__
static const char* const schedule = "OMP_SCHEDULE = 'STATIC'";
static const char* const binding = "OMP_PROC_BIND = 'SPREAD'";
static const int step = 2;
#else
static const char* const schedule = "OMP_SCHEDULE = 'DYNAMIC'";
static const char* const binding = "OMP_PROC_BIND = 'TRUE'";
static const int step = 1;
#endif

static void on_eight_places(void) {
  CHECK(omp_get_num_places() == 8);
#pragma omp parallel num_threads(4)
  CHECK(omp_get_place_num() == step * omp_get_thread_num());
}

static void expect_shown(const char* variable, const char* shown) {
  struct outcome child = run_self("", "OMP_DISPLAY_ENV=true", variable);
  CHECK(child.status == 0 && strstr(child.output, shown));
}

int main(int count, char** arguments) {
  if (count > 1) {
    if (*arguments[1])
      on_eight_places();
    CHECK(omp_get_level() == 0);
    return 0;
  }
  expect_shown(NULL, schedule);
  expect_shown("OMP_SCHEDULE=guided", "OMP_SCHEDULE = 'GUIDED'");
  expect_shown("OMP_PROC_BIND=true", binding);
  expect_shown("OMP_PLACES=threads", binding);
  expect_shown("OMP_PROC_BIND=close", "OMP_PROC_BIND = 'CLOSE'");
  CHECK(run_self("places", "OMP_PROC_BIND=true", "XOMP_TOPOLOGY=core:4 pu:2").status == 0);
  CHECK(run_self("places", "OMP_PLACES=threads", "XOMP_TOPOLOGY=core:4 pu:2").status == 0);
  return 0;
}
