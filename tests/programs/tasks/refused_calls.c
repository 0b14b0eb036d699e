// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sandboxes refuse system calls that are not needed: a program in one still has as many threads as
// processors that it may use, and its regions and tasks run. Naive version: one processor, where
// the affinity mask cannot be asked for.
// xomp-test: threads=2 barriers=tree told=0 recorded=0 skip=asan,tsan compilers=gcc,clang
// xomp-test: flags=-D_GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "process.h"

enum { kNoFilter = 77 };

static const struct call {
  const char* name;
  long number;
} calls[] = {
    {"sched_getaffinity", SYS_sched_getaffinity},
    {"sched_setaffinity", SYS_sched_setaffinity},
    {"sched_yield", SYS_sched_yield},
    {"getcpu", SYS_getcpu},
    {"membarrier", SYS_membarrier},
    {"madvise", SYS_madvise},
    {"mremap", SYS_mremap},
    {"mlock", SYS_mlock},
    {"prlimit64", SYS_prlimit64},
    {"sysinfo", SYS_sysinfo},
    {"uname", SYS_uname},
    {"faccessat", SYS_faccessat},
    {"statx", SYS_statx},
    {"readlinkat", SYS_readlinkat},
    {"getcwd", SYS_getcwd},
    {"getrandom", SYS_getrandom},
    {"gettid", SYS_gettid},
    {"prctl", SYS_prctl},
    {"sigaltstack", SYS_sigaltstack},
    {"perf_event_open", SYS_perf_event_open},
    {"clock_getres", SYS_clock_getres},
    {"clock_gettime", SYS_clock_gettime},
    {"nanosleep", SYS_nanosleep},
    {"clock_nanosleep", SYS_clock_nanosleep},
    {"getpriority", SYS_getpriority},
    {"set_robust_list", SYS_set_robust_list},
#ifdef SYS_access
    {"access", SYS_access},
    {"readlink", SYS_readlink},
    {"getrlimit", SYS_getrlimit},
#endif
};
enum { kCalls = sizeof calls / sizeof calls[0] };

// For this process and what it executes.
static void refuse(long number) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    exit(kNoFilter);
}

static int sum_of_tasks(int tasks) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(sum)
#pragma omp atomic
    sum += i;
  }
  return sum;
}

// Places without a list: for programs of clang one of all processors.
#ifdef __clang__
enum { kUnlisted = 1 };
#else
enum { kUnlisted = 0 };
#endif

static int works(int processors) {
  int threads = 0, locked = 0;
  CHECK(omp_get_num_procs() == processors);
  CHECK(omp_get_max_threads() == processors);
  CHECK(omp_get_num_places() == (getenv("OMP_PLACES") ? processors : kUnlisted));
  for (int round = 0; round < 20; ++round) {
#pragma omp parallel num_threads(2) reduction(+ : threads)
    {
      threads++;
#pragma omp critical
      locked++;
    }
  }
  CHECK(threads == 40);
  CHECK(locked == 40);
  CHECK(sum_of_tasks(1000) == 499500);
  return 0;
}

// The arguments of this program run again: REFUSED:PROCESSORS, or :PROCESSORS once it is refused.
static int in_sandbox(const char* argument) {
  if (*argument == ':')
    return works(atoi(argument + 1));
  refuse(calls[atoi(argument)].number);
  execute_self(strchr(argument, ':'));
  return 127;
}

// Who asks for places, and may not bind threads, has them all the same, and is told so.
static int tells_what_it_should(int call, int processors, const char* places, const char* output) {
  int unbound = places && processors > 1 && calls[call].number == SYS_sched_setaffinity;
  return !unbound || strstr(output, "could not bind a thread") != NULL;
}

static int failures_with(int processors, const char* places) {
  int failures = 0;
  for (int i = 0; i < kCalls; ++i) {
    char argument[32];
    snprintf(argument, sizeof argument, "%d:%d", i, processors);
    struct outcome outcome = run_self(argument, "XOMP_CGROUP=false", places);
    if (WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == kNoFilter)
      exit(kNoFilter);
    if (outcome.status == 0 && tells_what_it_should(i, processors, places, outcome.output))
      continue;
    printf("without %s, %d processors: status %x, %s\n", calls[i].name, processors, outcome.status,
           outcome.output);
    failures++;
  }
  return failures;
}

int main(int argc, char** argv) {
  if (argc > 1)
    return in_sandbox(argv[1]);
  cpu_set_t all, one;
  CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
  unsetenv("OMP_NUM_THREADS");
  int failures = failures_with(CPU_COUNT(&all), NULL);
  failures += failures_with(CPU_COUNT(&all), "OMP_PLACES=threads");
  CPU_ZERO(&one);
  for (int p = 0; CPU_COUNT(&one) == 0; ++p) {
    if (CPU_ISSET(p, &all))
      CPU_SET(p, &one);
  }
  CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
  failures += failures_with(1, NULL);
  return failures != 0;
}
