// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One worker sleeps in a task, another in a child of it, and a third creates two tasks at once that
// either of the sleepers may start. Each of the two wakes a worker of its own: both are begun while
// their creator does something else.
// xomp-test: threads=3 schedulers=xqueue-ws,ws compilers=gcc,clang
#include <omp.h>
#include <unistd.h>

static int b_begun, c_begun, begun;

static void await(const int* count, int value) {
  int now;
  do {
    usleep(50);
#pragma omp atomic read seq_cst
    now = *count;
  } while (now < value);
}

static void begin(int* count) {
#pragma omp atomic update seq_cst
  ++*count;
}

static void create_two(void) {
  begin(&c_begun);
  usleep(3000); // the others fall asleep
  for (int i = 0; i < 2; ++i) {
#pragma omp task
    {
      begin(&begun);
      await(&begun, 2);
    }
  }
  await(&begun, 2);
}

static void wait_in_child(void) {
  begin(&b_begun);
#pragma omp task
  create_two();
  await(&c_begun, 1);
#pragma omp taskwait
}

int main(void) {
  for (int round = 0; round < 50; ++round) {
    b_begun = c_begun = begun = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
      wait_in_child();
      await(&b_begun, 1);
#pragma omp taskwait
    }
  }
  return 0;
}
