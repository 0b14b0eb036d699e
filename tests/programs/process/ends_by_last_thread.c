// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main thread ends by itself after a region, another one opens regions and ends: with it ends
// the process, with its handlers, and soon. No thread of the runtime's keeps it: no member of the
// main thread's team, and not the recorder's helper, which no signal reaches either.
// xomp-test: threads=1,2,4 schedulers=auto,slb,mts timeout=60 recorded=plain compilers=gcc,clang
#include <omp.h>
#include <pthread.h>
#include <sys/mman.h>

#include "process.h"

static int* handlers_called;

static void at_end(void) { ++*handlers_called; }

static void region(void) {
  int sum = 0;
#pragma omp parallel reduction(+ : sum)
  sum += 1;
  CHECK(sum > 0);
}

static void* last(void* unused) {
  usleep(20000);
  region();
  return unused;
}

static void child(void) {
  atexit(at_end);
  region();
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, last, NULL) == 0);
  pthread_exit(NULL);
}

int main(void) {
  handlers_called =
      mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(handlers_called != MAP_FAILED);
  pid_t process = fork();
  CHECK(process >= 0);
  if (process == 0)
    child();
  int status = -1;
  for (int i = 0; i < 1000 && waitpid(process, &status, WNOHANG) == 0; ++i)
    usleep(10000);
  if (status == -1)
    kill(process, SIGKILL);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK(*handlers_called == 1);
}
