// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The routines that read and set ICVs and tell where a thread is.
// xomp-test: threads=1,2,8 compilers=gcc,clang
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <limits.h>
#include <omp.h>
#include <string.h>

#include "check.h"

static void threads(void) {
  int most = omp_get_max_threads();
  CHECK(omp_get_thread_num() == 0 && omp_get_num_threads() == 1 && !omp_in_parallel());
  CHECK(omp_get_level() == 0 && omp_get_active_level() == 0);
  CHECK(omp_get_ancestor_thread_num(0) == 0 && omp_get_ancestor_thread_num(1) == -1);
  CHECK(omp_get_team_size(0) == 1 && omp_get_team_size(-1) == -1 && omp_get_team_size(1) == -1);
  int sum = 0, size = 0;
#pragma omp parallel reduction(+ : sum)
  {
    sum += omp_get_thread_num();
#pragma omp master
    size = omp_get_num_threads();
    CHECK(omp_in_parallel() == (omp_get_num_threads() > 1));
    CHECK(omp_get_level() == 1 && omp_get_team_size(1) == omp_get_num_threads());
    CHECK(omp_get_ancestor_thread_num(1) == omp_get_thread_num());
  }
  CHECK(size == most && sum == size * (size - 1) / 2);
  omp_set_num_threads(3);
  CHECK(omp_get_max_threads() == 3);
  omp_set_num_threads(-5);
  CHECK(omp_get_max_threads() == 1);
  omp_set_num_threads(most);
  CHECK(omp_get_num_procs() >= 1 && omp_get_thread_limit() >= 1);
}

static void nesting(void) {
  CHECK(omp_get_supported_active_levels() == 255);
  int before = omp_get_max_active_levels();
  omp_set_nested(1);
  CHECK(omp_get_nested() && omp_get_max_active_levels() == 255);
  omp_set_max_active_levels(-1);
  CHECK(omp_get_max_active_levels() == 255);
  omp_set_max_active_levels(100000);
  CHECK(omp_get_max_active_levels() == 255);
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
    {
      CHECK(omp_get_level() == 2 && omp_get_ancestor_thread_num(1) == outer);
      CHECK(omp_get_ancestor_thread_num(0) == 0 && omp_get_team_size(0) == 1);
#pragma omp parallel num_threads(2)
      {
        CHECK(omp_get_level() == 3 && omp_get_num_threads() == 1);
        CHECK(omp_get_active_level() == 2 && omp_get_thread_num() == 0);
      }
    }
  }
  omp_set_nested(0);
  CHECK(!omp_get_nested() && omp_get_max_active_levels() == 1);
  omp_set_max_active_levels(before);
}

static void icvs(void) {
  omp_set_dynamic(7);
  CHECK(omp_get_dynamic());
  omp_set_dynamic(0);
  CHECK(!omp_get_dynamic());
  omp_sched_t kind;
  int chunk;
  omp_set_schedule(omp_sched_guided, -3);
  omp_get_schedule(&kind, &chunk);
  CHECK(kind == omp_sched_guided && chunk == 1);
  omp_set_schedule(omp_sched_static, 0);
  omp_get_schedule(&kind, &chunk);
  CHECK(kind == omp_sched_static && chunk == 0);
  omp_set_schedule((omp_sched_t)99, 5); // ignored
  omp_get_schedule(&kind, &chunk);
  CHECK(kind == omp_sched_static && chunk == 0);
  omp_set_schedule(omp_sched_dynamic | omp_sched_monotonic, 4);
  omp_get_schedule(&kind, &chunk);
  CHECK((kind & ~omp_sched_monotonic) == omp_sched_dynamic && chunk == 4);

  // What a task sets is its own; a region's threads start with what its creator had.
  int most = omp_get_max_threads();
#pragma omp parallel
  {
    CHECK(omp_get_max_threads() == most);
    omp_set_num_threads(40 + omp_get_thread_num());
    CHECK(omp_get_max_threads() == 40 + omp_get_thread_num());
#pragma omp task
    {
      CHECK(omp_get_max_threads() >= 40);
      omp_set_num_threads(7);
    }
#pragma omp taskwait
    CHECK(omp_get_max_threads() == 40 + omp_get_thread_num());
  }
  CHECK(omp_get_max_threads() == most);
  omp_set_default_device(0);
  CHECK(omp_get_default_device() == 0);
  CHECK(omp_get_max_task_priority() == 0 && !omp_get_cancellation());
}

static void tasks(void) {
  CHECK(!omp_in_final());
#pragma omp task final(1)
  {
    CHECK(omp_in_final());
#pragma omp task
    CHECK(omp_in_final());
  }
#pragma omp parallel
#pragma omp single
#pragma omp task final(0)
  CHECK(!omp_in_final());
}

static void affinity(void) {
  char text[200];
  omp_set_affinity_format("thread %n of %{num_threads} at %0.3L");
  CHECK(omp_get_affinity_format(text, sizeof text) == strlen(text) && strstr(text, "thread %n"));
  CHECK(omp_get_affinity_format(text, 7) > 7 && strcmp(text, "thread") == 0);
#pragma omp parallel num_threads(2) private(text)
  {
    char expected[200];
    snprintf(expected, sizeof expected, "thread %d of %d at 001", omp_get_thread_num(),
             omp_get_num_threads());
    size_t length = omp_capture_affinity(text, sizeof text, NULL);
    CHECK(length == strlen(text) && strcmp(text, expected) == 0);
    CHECK(omp_capture_affinity(text, 5, "%n%n%n%n%n%n%n%n") == 8 && strlen(text) == 4);
  }
  CHECK(omp_get_proc_bind() >= omp_proc_bind_false);
  int places = omp_get_num_places();
  CHECK(places == 0 ? omp_get_place_num() == -1 : omp_get_place_num() < places);
  CHECK(omp_get_partition_num_places() <= places);
}

static void pauses(void) {
#pragma omp parallel num_threads(2)
  CHECK(omp_pause_resource_all(omp_pause_soft) != 0);
  CHECK(omp_pause_resource(omp_pause_hard, omp_get_initial_device()) == 0);
  CHECK(omp_pause_resource(omp_pause_hard, 99) != 0);
  CHECK(omp_pause_resource_all(omp_pause_hard) == 0);
  int count = 0;
#pragma omp parallel num_threads(4) reduction(+ : count)
  count++;
  CHECK(count >= 1);
}

int main(void) {
  double start = omp_get_wtime();
  CHECK(omp_get_wtick() > 0 && omp_get_wtick() < 1e-3);
  threads();
  nesting();
  icvs();
  tasks();
  affinity();
  pauses();
  CHECK(omp_get_wtime() >= start);
  return 0;
}
