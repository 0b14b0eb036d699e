// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that no compiler writes: the end of a construct, or its next part, without its beginning,
// and numbers and memory that make no sense. Each ends the process with one message of one line,
// from a thread that the runtime does not know yet as well as in a parallel region, where all
// threads do it; or warns once and goes on. Naive version: they crash, or pass.
// xomp-test: threads=2 barriers=tree told=0 recorded=0 timeout=120 flags=-D_GNU_SOURCE compilers=gcc,clang
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
    {"__kmpc_end_record_task", NULL},
};
enum { kCalls = sizeof calls / sizeof calls[0] };

// With all of their arguments. Some of them only warn.
#define WORD(pointer) ((long)(pointer))
#define LOCATION WORD(place), 0 // and the thread's number
enum { kArguments = 10, kTied = 1 };
static void body(void) {}
static long foreign[64], trips[2] = {4, 4};
#define FOREIGN WORD(foreign + 32)
enum end { kEnds, kWarns };
static const struct {
  const char* name;
  long arguments[kArguments];
  enum end end;
  const char* variable;
} nonsense[] = {
    {"__kmpc_fork_call", {WORD(place), -5, WORD(body)}, kEnds, NULL},
    {"__kmpc_fork_call_if", {WORD(place), -5, WORD(body), 1, 0}, kEnds, NULL},
    {"__kmpc_fork_teams", {WORD(place), -5, WORD(body)}, kEnds, NULL},
    {"__kmpc_omp_task_alloc", {LOCATION, kTied, -1, 0, WORD(body)}, kEnds, NULL},
    {"__kmpc_omp_task_alloc", {LOCATION, kTied, 40, -1, WORD(body)}, kEnds, NULL},
    {"__kmpc_omp_task_alloc", {LOCATION, kTied, -4096, 4106, WORD(body)}, kEnds, NULL},
    {"__kmpc_omp_task_with_deps", {LOCATION, FOREIGN, -3, 0, 0, 0}, kEnds, NULL},
    {"__kmpc_omp_task_with_deps", {LOCATION, FOREIGN, 0, 0, -3, 0}, kEnds, NULL},
    {"__kmpc_omp_wait_deps", {LOCATION, -3, 0, 0, 0}, kEnds, NULL},
    {"__kmpc_omp_taskwait_deps_51", {LOCATION, -3, 0, 0, 0, 0}, kEnds, NULL},
    {"__kmpc_proxy_task_completed", {0, 0}, kEnds, NULL},
    {"__kmpc_proxy_task_completed", {0, FOREIGN}, kEnds, NULL},
    {"__kmpc_proxy_task_completed_ooo", {FOREIGN}, kEnds, NULL},
    {"__kmpc_omp_task_complete_if0", {LOCATION, 0}, kEnds, NULL},
    {"__kmpc_omp_task_complete_if0", {LOCATION, FOREIGN}, kEnds, NULL},
    {"__kmpc_cancel", {LOCATION, 77}, kEnds, NULL},
    {"__kmpc_cancellationpoint", {LOCATION, 0}, kEnds, NULL},
    {"__kmpc_doacross_init", {LOCATION, 2, 0}, kEnds, NULL},
    {"__kmpc_doacross_init", {LOCATION, -2, WORD(values)}, kEnds, NULL},
    {"kmp_set_library", {9}, kEnds, NULL},
    {"kmp_free", {FOREIGN}, kEnds, NULL},
    {"kmp_realloc", {FOREIGN, 10}, kEnds, NULL},
    {"omp_free", {FOREIGN, 0}, kEnds, NULL},
    {"omp_fulfill_event", {0}, kEnds, NULL},
    {"omp_fulfill_event", {0x123456789}, kEnds, NULL},
    {"omp_set_schedule", {99, 4}, kWarns, NULL},
    {"omp_set_max_active_levels", {-1}, kWarns, NULL},
    {"GOMP_loop_doacross_static_start", {2, 0, 1, WORD(&first), WORD(&past)}, kEnds, NULL},
    {"GOMP_loop_doacross_static_start",
     {0, WORD(trips), 1, WORD(&first), WORD(&past)},
     kEnds,
     NULL},
    {"GOMP_cancel", {64, 1}, kEnds, "OMP_CANCELLATION=true"},
    {"GOMP_cancellation_point", {64}, kEnds, "OMP_CANCELLATION=true"},
};
enum { kNonsense = sizeof nonsense / sizeof nonsense[0], kAll = kCalls + kNonsense };

static const char* name_of(int number) {
  return number < kCalls ? calls[number].name : nonsense[number - kCalls].name;
}

static void call(int number) {
  const char* name = name_of(number);
  entry* called = entry_of(name);
  if (number >= kCalls) {
    const long* with = nonsense[number - kCalls].arguments;
    called((void*)with[0], with[1], with[2], with[3], with[4], with[5], with[6], with[7], with[8],
           with[9]);
  } else if (strncmp(name, "GOMP", 4) == 0) {
    called(calls[number].argument, &past);
  } else {
    called(place, 0, calls[number].argument, &lower, &upper, &stride);
  }
}

// A thread that has run some keeps their memory for the next ones.
static void run_tasks(void) {
  entry* allocate = entry_of("__kmpc_omp_task_alloc");
  entry* create = entry_of("__kmpc_omp_task");
  for (int i = 0; i < 3; i++)
    create(place, 0, (void*)allocate(place, 0, kTied, 40L, 0L, body));
  entry_of("__kmpc_omp_taskwait")(place, 0);
}

static int is_one_line_of_ours(const char* text) {
  const char* end = strchr(text, '\n');
  return strncmp(text, "xomp: ", 6) == 0 && end && !end[1];
}

int main(int argc, char** argv) {
  if (argc > 1) {
    int number = atoi(argv[1]);
    if (number < kAll) {
      call(number);
      return 0;
    }
#pragma omp parallel
    {
      run_tasks();
#pragma omp barrier
      call(number - kAll);
    }
    return 0;
  }
  int failures = 0;
  for (int i = 0; i < 2 * kAll; i++) {
    int call = i % kAll, nonsensical = call - kCalls;
    char number[16];
    snprintf(number, sizeof number, "%d", i);
    const char* variable = nonsensical < 0 ? NULL : nonsense[nonsensical].variable;
    int status = nonsensical < 0 || nonsense[nonsensical].end == kEnds;
    struct outcome outcome = run_self(number, variable, NULL);
    if (WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == status &&
        is_one_line_of_ours(outcome.output))
      continue;
    fprintf(stderr, "%s, %d%s: %x \"%s\"\n", name_of(call), call, i < kAll ? "" : " in a region",
            (unsigned)outcome.status, outcome.output);
    failures++;
  }
  CHECK(failures == 0);
  return 0;
}
