// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device constructs without a device: the host runs them in the state of a new initial thread.
// Not by clang: without a device to compile for, its target regions are blocks of the function.
// xomp-test: threads=1,2,8
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

static void devices(void) {
  CHECK(omp_get_num_devices() == 0);
  CHECK(omp_get_initial_device() == 0 && omp_get_device_num() == 0 && omp_is_initial_device());
}

static void region_state(void) {
  int ok = 0;
#pragma omp parallel num_threads(2) reduction(+ : ok)
  {
    int private_number = omp_get_thread_num();
    int seen = -1, level = -1, inner = 0, in_parallel = 1, size = 0;
#pragma omp target map(from : seen, level, inner, in_parallel, size) firstprivate(private_number)
    {
      seen = private_number++;
      level = omp_get_level();
      in_parallel = omp_in_parallel();
      size = omp_get_num_threads();
#pragma omp parallel num_threads(2) reduction(+ : inner)
      inner += omp_get_level() == 1 && omp_get_ancestor_thread_num(0) == 0;
    }
    CHECK(seen == omp_get_thread_num() && private_number == omp_get_thread_num());
    CHECK(level == 0 && !in_parallel && size == 1 && inner >= 1);
    CHECK(omp_get_level() == 1 && omp_get_num_threads() <= 2);
    ok++;
  }
  CHECK(ok >= 1);
}

static void league_in_target(void) {
  int teams[4] = {0}, limit = 0;
#pragma omp target teams num_teams(4) thread_limit(3) map(tofrom : teams, limit)
  {
    CHECK(omp_get_num_teams() <= 4);
    teams[omp_get_team_num()]++;
#pragma omp parallel num_threads(1)
    limit = omp_get_thread_limit();
  }
  CHECK(teams[0] == 1 && limit == 3);
  CHECK(omp_get_num_teams() == 1 && omp_get_team_num() == 0);
}

static void distribute(void) {
  enum { kSize = 1000 };
  int values[kSize];
  memset(values, 0, sizeof values);
#pragma omp target teams distribute parallel for map(tofrom : values)
  for (int i = 0; i < kSize; i++)
    values[i] += i;
  for (int i = 0; i < kSize; i++)
    CHECK(values[i] == i);
}

static void firstprivate_array(void) {
  long numbers[50];
  for (int i = 0; i < 50; i++)
    numbers[i] = i;
  long sum = 0;
#pragma omp target firstprivate(numbers) map(tofrom : sum)
  {
    for (int i = 0; i < 50; i++)
      sum += numbers[i]++;
    CHECK((uintptr_t)numbers % sizeof(long) == 0);
  }
  CHECK(sum == 49 * 50 / 2 && numbers[10] == 10);
}

static void dependences(void) {
  int value = 0, copy = 0, late = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : value) shared(value)
    {
      for (volatile int i = 0; i < 100000; i++)
        ;
      value = 1;
    }
#pragma omp target map(tofrom : value) depend(inout : value)
    {
      CHECK(value == 1);
      value = 2;
    }
    CHECK(value == 2);
#pragma omp target map(tofrom : value) depend(inout : value) nowait
    value *= 3;
#pragma omp target enter data map(to : value) depend(inout : value) nowait
#pragma omp target update from(value) depend(inout : value)
#pragma omp task depend(in : value) shared(value, copy)
    copy = value;
#pragma omp target exit data map(from : value) depend(inout : value) nowait
#pragma omp taskwait
    CHECK(copy == 6);

    // A deferred target must not be waited for by the thread that still has to fulfil the event.
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : late) shared(late)
    late = 1;
    int snapshot = 40;
#pragma omp target map(tofrom : late) firstprivate(snapshot) depend(inout : late) nowait
    late += snapshot;
    snapshot = 0;
    omp_fulfill_event(event);
#pragma omp taskwait
    CHECK(late == 41);
  }
}

static void device_memory(void) {
  int device = omp_get_initial_device();
  double* memory = omp_target_alloc(8 * sizeof(double), device);
  CHECK(memory && omp_target_is_present(memory, device));
  double source[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  CHECK(omp_target_memcpy(memory, source, 4 * sizeof(double), 2 * sizeof(double), sizeof(double),
                          device, device) == 0);
  CHECK(memory[2] == 1 && memory[5] == 4);
  CHECK(omp_target_memcpy(memory, source, 1, 0, 0, 7, device) != 0);
  omp_target_free(memory, device);
  CHECK(omp_target_alloc(8, 3) == NULL);
  CHECK(omp_target_associate_ptr(source, source, 1, 0, device) != 0);

  int from[4][5], to[3][6];
  memset(to, 0, sizeof to);
  for (int i = 0; i < 20; i++)
    from[i / 5][i % 5] = i;
  size_t volume[2] = {2, 3}, to_offset[2] = {1, 2}, from_offset[2] = {2, 1};
  size_t to_size[2] = {3, 6}, from_size[2] = {4, 5};
  CHECK(omp_target_memcpy_rect(to, from, sizeof(int), 2, volume, to_offset, from_offset, to_size,
                               from_size, device, device) == 0);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 6; j++)
      CHECK(to[i][j] == (i >= 1 && j >= 2 && j < 5 ? from[i + 1][j - 1] : 0));
  CHECK(omp_target_memcpy_rect(NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, 0) >= 3);
}

static void data_region(void) {
  int value = 1;
#pragma omp target data map(tofrom : value) use_device_addr(value)
  {
#pragma omp target map(tofrom : value)
    value = 2;
#pragma omp target update from(value)
    CHECK(value == 2);
  }
  CHECK(value == 2);
}

int main(void) {
  devices();
  region_state();
  league_in_target();
  distribute();
  firstprivate_array();
  dependences();
  device_memory();
  data_region();
  return 0;
}
