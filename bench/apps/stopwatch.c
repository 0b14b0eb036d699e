// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a program and reports its wall time, processor time and peak memory as JSON:
// stopwatch REPORT_FD STACK_BYTES PROGRAM ARGS... The harness does not do this itself because a
// child's ru_maxrss starts at the size of the process that it was forked from, and a Python
// interpreter is larger than the programs measured. Linked statically to be small and quick.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static double seconds(struct timeval time) { return time.tv_sec + time.tv_usec * 1e-6; }

// Deep recursion needs a deep initial stack; 0 leaves the limit alone. A hard limit may forbid it.
static void set_stack_limit(rlim_t bytes) {
  struct rlimit limit;
  if (bytes == 0 || getrlimit(RLIMIT_STACK, &limit) != 0)
    return;
  limit.rlim_cur =
      limit.rlim_max != RLIM_INFINITY && limit.rlim_max < bytes ? limit.rlim_max : bytes;
  setrlimit(RLIMIT_STACK, &limit);
}

// The program must not outlive a harness that was killed: it would disturb what is measured next.
// The harness has made this process the leader of a group.
static void end_group(int signal) {
  (void)signal;
  kill(0, SIGKILL);
}

static void end_with_parent(void) {
  signal(SIGTERM, end_group);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
}

int main(int argc, char** argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: stopwatch REPORT_FD STACK_BYTES PROGRAM ARGS...\n");
    return 2;
  }
  int report = atoi(argv[1]);
  fcntl(report, F_SETFD, FD_CLOEXEC);
  if (getpgrp() == getpid())
    end_with_parent();
  set_stack_limit(strtoull(argv[2], NULL, 10));

  pid_t child;
  double start = now();
  int error = posix_spawn(&child, argv[3], NULL, NULL, argv + 3, environ);
  if (error != 0) {
    fprintf(stderr, "stopwatch: %s: %s\n", argv[3], strerror(error));
    return 127;
  }
  int status;
  struct rusage usage;
  while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR)
    ;
  double wall = now() - start;
  dprintf(report,
          "{\"wall\": %.9f, \"user\": %.6f, \"system\": %.6f, \"maxrss_kb\": %ld, \"exit\": %d, "
          "\"signal\": %d}\n",
          wall, seconds(usage.ru_utime), seconds(usage.ru_stime), usage.ru_maxrss,
          WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  return 0;
}
