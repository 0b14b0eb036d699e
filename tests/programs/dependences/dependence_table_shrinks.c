// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task that once named very many addresses costs its parent nothing later on: the dependence
// table is given back when only little is entered between two waits. Naive version: the table keeps
// the largest size that it ever had, and each taskwait goes through all of it.
// xomp-test: threads=1,2 skip=asan,tsan compilers=gcc,clang
#include <malloc.h>
#include <omp.h>
#include <stddef.h>

#include "check.h"

enum { kAddresses = 300000, kRounds = 2000 };

static char cells[kAddresses];
static int runs;

static size_t in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

static void small_waits(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    for (int k = 0; k < i % 4; ++k) {
#pragma omp task depend(inout : cells[k])
#pragma omp atomic
      runs++;
    }
#pragma omp taskwait
  }
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
    small_waits(8);
    size_t before = in_use();
#pragma omp task detach(event) depend(iterator(i = 0 : kAddresses), out : cells[i])
    runs++;
    size_t with_many = in_use();
    omp_fulfill_event(event);
#pragma omp taskwait
    small_waits(kRounds);
    size_t after = in_use();
    fprintf(stderr, "%zu KB, with many addresses %zu, then %zu\n", before >> 10, with_many >> 10,
            after >> 10);
    CHECK(with_many > before + kAddresses * sizeof(void*));
    CHECK(after < before + (1 << 20));
  }
  CHECK(runs == 1 + kRounds / 4 * 6 + 12);
  return 0;
}
