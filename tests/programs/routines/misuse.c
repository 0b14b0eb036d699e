// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that no compiler writes: the end of a construct, or its next part, without its beginning.
// Each ends the process with one message of one line, from a thread that the runtime does not know
// yet as well as in a parallel region, where all threads do it. Naive version: they crash, or
// pass.
// xomp-test: threads=2 barriers=tree told=0 recorded=0 timeout=120 flags=-D_GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>

#include "process.h"

typedef long entry(void*, ...);

static char place[24];
static long mutex[8], values[4] = {1, 1, 1, 1};
static int last, lower, upper, stride;
static long first, past;

static entry* entry_of(const char* name) {
  entry* found = (entry*)dlsym(RTLD_DEFAULT, name);
  if (!found)
    fprintf(stderr, "no %s\n", name);
  CHECK(found);
  return found;
}

// Both interfaces: of gcc's entries the first argument, of clang's the third.
static const struct {
  const char* name;
  void* argument;
} calls[] = {
    {"GOMP_parallel_end", NULL},
    {"GOMP_loop_end", NULL},
    {"GOMP_loop_end_nowait", NULL},
    {"GOMP_loop_end_cancel", NULL},
    {"GOMP_sections_end", NULL},
    {"GOMP_sections_end_nowait", NULL},
    {"GOMP_sections_end_cancel", NULL},
    {"GOMP_sections_next", NULL},
    {"GOMP_loop_dynamic_next", &first},
    {"GOMP_loop_static_next", &first},
    {"GOMP_loop_ordered_guided_next", &first},
    {"GOMP_loop_ull_runtime_next", &first},
    {"GOMP_doacross_post", values},
    {"GOMP_doacross_wait", NULL},
    {"GOMP_taskgroup_end", NULL},
    {"GOMP_taskgroup_reduction_register", values},
    {"GOMP_workshare_task_reduction_unregister", NULL},
    {"GOMP_critical_end", NULL},
    {"GOMP_critical_name_end", mutex},
    {"GOMP_atomic_end", NULL},
    {"__kmpc_end_serialized_parallel", NULL},
    {"__kmpc_dispatch_next_4", &last},
    {"__kmpc_dispatch_next_8u", &last},
    {"__kmpc_next_section", NULL},
    {"__kmpc_doacross_fini", NULL},
    {"__kmpc_doacross_post", values},
    {"__kmpc_doacross_wait", values},
    {"__kmpc_end_taskgroup", NULL},
    {"__kmpc_task_reduction_modifier_fini", NULL},
    {"__kmpc_end_critical", mutex},
};
enum { kCalls = sizeof calls / sizeof calls[0] };

static void call(int number) {
  entry* called = entry_of(calls[number].name);
  if (strncmp(calls[number].name, "GOMP", 4) == 0)
    called(calls[number].argument, &past);
  else
    called(place, 0, calls[number].argument, &lower, &upper, &stride);
}

static int is_one_line_of_ours(const char* text) {
  const char* end = strchr(text, '\n');
  return strncmp(text, "xomp: ", 6) == 0 && end && !end[1];
}

int main(int argc, char** argv) {
  if (argc > 1) {
    int number = atoi(argv[1]);
    if (number < kCalls)
      call(number);
#pragma omp parallel
    call(number - kCalls);
    return 0;
  }
  int failures = 0;
  for (int i = 0; i < 2 * kCalls; i++) {
    char number[16];
    snprintf(number, sizeof number, "%d", i);
    struct outcome outcome = run_self(number, NULL, NULL);
    if (WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 1 &&
        is_one_line_of_ours(outcome.output))
      continue;
    fprintf(stderr, "%s%s: %x \"%s\"\n", calls[i % kCalls].name, i < kCalls ? "" : " in a region",
            (unsigned)outcome.status, outcome.output);
    failures++;
  }
  CHECK(failures == 0);
  return 0;
}
