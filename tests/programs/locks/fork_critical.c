// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A child forked while another thread is inside `critical` and `atomic` can use both.
// Not by clang: its critical regions are locks in the program, which a child gets as they are.
// xomp-test: threads=2 barriers=tree timeout=30 skip=tsan
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static atomic_int inside, leave;

static void* hold(void* unused) {
#pragma omp critical
  {
    inside = 1;
    while (!leave)
      usleep(1000);
  }
  return unused;
}

static int use_both(void) {
  int count = 0;
  long double sum = 0;
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 100; i++) {
#pragma omp critical
    count++;
#pragma omp atomic
    sum += 1;
  }
  return count >= 100 && sum == count;
}

int main(void) {
  CHECK(use_both());
  pthread_t holder;
  CHECK(pthread_create(&holder, NULL, hold, NULL) == 0);
  while (!inside)
    usleep(1000);
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(use_both() ? 0 : 1);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  leave = 1;
  CHECK(pthread_join(holder, NULL) == 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK(use_both());
  return 0;
}
