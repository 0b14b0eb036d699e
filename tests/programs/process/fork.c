// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A child forked after, between or inside regions uses OpenMP at full width; so do its children.
// Naive version: the child waits for pool threads that exist in its parent only (libgomp since
// 2014).
// The recorder's own thread may be inside the sanitizer's allocator when the process forks, which
// keeps that lock then.
// xomp-test: threads=1,2,4 timeout=120 skip=tsan recorded=plain compilers=gcc,clang
#include <omp.h>
#include <pthread.h>

#include "process.h"

static void use_openmp(int threads) {
  long tasks = 0, members = 0;
#pragma omp parallel num_threads(threads) reduction(+ : members)
  {
    members += 1;
    CHECK(omp_get_num_threads() == threads);
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 100; i++) {
#pragma omp task shared(tasks)
      {
#pragma omp task shared(tasks)
#pragma omp atomic
        tasks++;
#pragma omp taskwait
#pragma omp atomic
        tasks++;
      }
    }
#pragma omp barrier
    CHECK(__atomic_load_n(&tasks, __ATOMIC_RELAXED) == 200);
  }
  CHECK(members == threads);
}

static pthread_t main_thread;

// In a child, `depth` generations deep.
static void fork_and_use(int depth, int threads) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    alarm(60);
    use_openmp(threads);
    use_openmp(threads + 2);
    if (depth > 1)
      fork_and_use(depth - 1, threads);
    use_openmp(2);
#ifdef __SANITIZE_ADDRESS__
    if (!pthread_equal(pthread_self(), main_thread))
      _exit(7); // the leak checker would report what the parent's main thread owns
#endif
    exit(7); // with the exit handlers
  }
  expect_exit(child, 7);
}

static void* thread_that_forks(void* threads) {
  use_openmp(*(int*)threads);
  fork_and_use(2, *(int*)threads);
  use_openmp(*(int*)threads);
  return NULL;
}

static void* thread_new_to_openmp(void* threads) {
  fork_and_use(1, *(int*)threads);
  return NULL;
}

static void run_on_a_thread(void* (*body)(void*), int* threads) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, body, threads) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
}

static void commands(void) {
  char line[64] = "";
  CHECK(system("exit 3") == 3 << 8);
  FILE* pipe = popen("echo works", "r");
  CHECK(pipe && fgets(line, sizeof line, pipe) && strcmp(line, "works\n") == 0);
  CHECK(pclose(pipe) == 0);
  pid_t child = vfork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "exit 5", (char*)0);
    _exit(1);
  }
  expect_exit(child, 5);
}

int main(void) {
  int threads = omp_get_max_threads();
  main_thread = pthread_self();
  fork_and_use(1, threads); // before the parent has used OpenMP
  use_openmp(threads);
  fork_and_use(3, threads); // between regions
  commands();
  use_openmp(threads);
  run_on_a_thread(thread_that_forks, &threads);
  run_on_a_thread(thread_new_to_openmp, &threads);
  // From inside a region: by the master, by another member, by a task. The children do not return
  // to the region.
#pragma omp parallel
  {
#pragma omp single
    commands();
#pragma omp critical
    {
      pid_t child = fork();
      if (child == 0)
        _exit(9);
      expect_exit(child, 9);
    }
#pragma omp barrier
#pragma omp masked
    for (int i = 0; i < 3; i++) {
#pragma omp task
      commands();
    }
  }
  use_openmp(threads);
  return 0;
}
