// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As many tasks wait as may on a small stack in a process whose addresses are limited, and then
// tasks with dependences nest. And no addresses are left at all when the first task is made.
// Naive version: a task finds no frame, and waits for itself.
// xomp-test: threads=1,2,8 timeout=60 env=OMP_STACKSIZE=64K skip=asan,tsan compilers=gcc,clang
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "check.h"
#include "nest.h"
#include "polling.h"

enum { kDeep = 30, kBlocks = 4000 };

static atomic_int ran, busy, go;

static void fill_and_nest(int waiting) {
  for (int i = 0; i < waiting; ++i) {
#pragma omp task
    ++ran;
  }
#pragma omp task if (0)
  nest(kDeep, &ran);
}

/// By the last thread, the others being busy.
static void by_small_stack(int waiting) {
  ran = busy = go = 0;
#pragma omp parallel
  {
    int others = omp_get_num_threads() - 1;
    if (omp_get_thread_num() < others) {
      ++busy;
      poll_until(&go, 1);
    } else {
      poll_until(&busy, others);
      fill_and_nest(waiting);
      go = 1;
    }
  }
  CHECK(ran == waiting + kDeep + 1);
}

static void use_up_addresses(void) {
  static char* kept[kBlocks];
  for (int i = 0; i < kBlocks; ++i)
    CHECK(kept[i] = malloc(1000)); // what the C library has left
  for (size_t size = (size_t)1 << 28; size >= 4096; size /= 2) {
    while (mmap(0, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) !=
           MAP_FAILED)
      continue;
  }
  for (int i = 0; i < kBlocks - 1; ++i)
    free(kept[i]);
}

int main(void) {
  struct rlimit limit = {(rlim_t)2 << 30, (rlim_t)2 << 30};
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
  if (omp_get_max_threads() > 1) {
    for (int waiting = 100; waiting < 1000; waiting += 75)
      by_small_stack(waiting);
    return 0;
  }
  use_up_addresses();
#pragma omp parallel
  nest(2, &ran);
  CHECK(ran == 3);
  return 0;
}
