// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tools bind a program's threads in a `pthread_create` of their own, from the creator or on the new
// thread before it runs: it stays so bound in every region, also to the processor that the
// runtime would have had it start on.
// Naive versions: a new thread copies what its creator may use; it gives up what it finds itself
// bound to if that is what the runtime started it with.
// xomp-test: flags=-D_GNU_SOURCE flags=-rdynamic threads=2 libs=-ldl compilers=gcc,clang
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include "process.h"

static cpu_set_t all, bound_to;
static int by_creator;

struct start {
  void* (*body)(void*);
  void* argument;
};

static void* bind_and_run(void* argument) {
  struct start start = *(struct start*)argument;
  free(argument);
  CHECK(sched_setaffinity(0, sizeof bound_to, &bound_to) == 0);
  return start.body(start.argument);
}

// In the place of the C library's.
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) {
  int (*create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) =
      (int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))dlsym(RTLD_NEXT,
                                                                                 "pthread_create");
  if (by_creator) {
    CHECK(create(thread, attributes, body, argument) == 0);
    return pthread_setaffinity_np(*thread, sizeof bound_to, &bound_to);
  }
  struct start* start = malloc(sizeof *start);
  *start = (struct start){body, argument};
  return create(thread, attributes, bind_and_run, start);
}

static void region(void) {
  cpu_set_t worker;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1)
    CHECK(sched_getaffinity(0, sizeof worker, &worker) == 0);
  CHECK(CPU_EQUAL(&worker, &bound_to));
}

// `here`: to the creator's processor; otherwise to all others.
static void bind(int from_creator, int here) {
  by_creator = from_creator;
  int creators = sched_getcpu();
  if (here)
    CPU_SET(creators, &bound_to);
  else {
    bound_to = all;
    CPU_CLR(creators, &bound_to);
  }
  region();
  usleep(1000);
  region();
}

int main(void) {
  CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
  if (CPU_COUNT(&all) < 2)
    return 77;
  for (int i = 0; i < 16; ++i) {
    pid_t child = fork(); // each time with a team that has no threads yet
    CHECK(child >= 0);
    if (child == 0) {
      bind(i % 2, i / 2 % 2);
      exit(0);
    }
    expect_exit(child, 0);
  }
  return 0;
}
