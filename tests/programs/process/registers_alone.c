// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process is registered for membarrier while it has one thread: with more the kernel lets the
// caller wait for every processor, some ten milliseconds on a busy machine. A recorded run has the
// log's thread before the team's.
// xomp-test: flags=-D_GNU_SOURCE flags=-rdynamic libs=-ldl threads=2 compilers=gcc,clang
#include <dirent.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

enum { REGISTER_PRIVATE_EXPEDITED = 1 << 4 };

static int registered, late;

static int threads_of_this_process(void) {
  DIR* tasks = opendir("/proc/self/task");
  int count = -2; // . and ..
  while (readdir(tasks))
    ++count;
  closedir(tasks);
  return count;
}

/// What the runtime calls in place of the C library's. It reads as many arguments as a call can
/// have, however many there are.
__attribute__((no_sanitize("address"))) long syscall(long number, ...) {
  long arguments[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; ++i)
    arguments[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_membarrier && (int)arguments[0] == REGISTER_PRIVATE_EXPEDITED && !registered) {
    registered = 1;
    late = threads_of_this_process() > 1;
  }
  long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  return next(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
              arguments[5]);
}

int main(void) {
  int members = 0;
#pragma omp parallel reduction(+ : members)
  members = 1; // an empty region is none to the compiler
  CHECK(members == 2);
  CHECK(registered);
  CHECK(!late);
  return 0;
}
