// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The floor: a libgomp.so.1 that does nothing but call the program's code on the spot, on one
// thread, with no bookkeeping at all. No runtime behind this ABI can cost less, so the harness
// measures others against it. It is no OpenMP runtime: `depend`, `detach`, cancellation and most of
// the ABI are missing, and a program that needs more than one thread to progress will not progress.
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

typedef void (*Body)(void* data);
typedef void (*Copier)(void* target, void* source);

// A task with a copy function (firstprivate data of a non-trivial kind) gets its block on the
// stack.
__attribute__((noinline)) static void run_copied(Body body, void* data, Copier copy, long size,
                                                 long align) {
  char room[size + align - 1];
  void* block = (void*)(((uintptr_t)room + align - 1) & ~(uintptr_t)(align - 1));
  copy(block, data);
  body(block);
}

void GOMP_task(Body body, void* data, Copier copy, long size, long align, bool if_clause,
               unsigned flags, void** depend, int priority, void* detach) {
  (void)if_clause, (void)flags, (void)depend, (void)priority, (void)detach;
  if (__builtin_expect(copy != NULL, 0))
    run_copied(body, data, copy, size, align);
  else
    body(data);
}

void GOMP_taskwait(void) {}
void GOMP_taskyield(void) {}
void GOMP_taskgroup_start(void) {}
void GOMP_taskgroup_end(void) {}
void GOMP_barrier(void) {}
void GOMP_critical_start(void) {}
void GOMP_critical_end(void) {}

bool GOMP_single_start(void) { return true; }

void GOMP_parallel(Body body, void* data, unsigned threads, unsigned flags) {
  (void)threads, (void)flags;
  body(data);
}

int omp_get_thread_num(void) { return 0; }
int omp_get_num_threads(void) { return 1; }
int omp_get_max_threads(void) { return 1; }

double omp_get_wtime(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}
