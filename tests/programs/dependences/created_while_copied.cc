// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The copy constructor of a task's variable creates another task with the same dependence, which
// comes first, whatever comes next. Naive version: it lies on the stack and its order is known only
// there, while that of the task being created is in the table.
// xomp-test: threads=1 timeout=30 compilers=gcc,clang
#include <omp.h>

#include "check.h"

namespace {

[[maybe_unused]] char x;
int order[4], ran;

struct Creates {
  explicit Creates(bool creates) : creates(creates) {}
  Creates(const Creates& other) : creates(false) {
    if (other.creates) {
#pragma omp task depend(out : x)
      order[ran++] = 1;
    }
  }
  bool creates;
};

void create(bool detached) {
  Creates source(true);
  omp_event_handle_t event;
  if (detached) {
#pragma omp task depend(out : x) firstprivate(source) detach(event)
    {
      order[ran++] = source.creates ? 0 : 2;
      omp_fulfill_event(event);
    }
  } else {
#pragma omp task depend(out : x) firstprivate(source)
    order[ran++] = source.creates ? 0 : 2;
  }
}

void check(int tasks) {
  CHECK(ran == tasks);
  for (int i = 0; i < tasks; i++)
    CHECK(order[i] == i + 1);
  ran = 0;
}

} // namespace

int main() {
  for (int kind = 0; kind < 2; kind++) {
    bool detached = kind == 1;
#pragma omp parallel
#pragma omp single
    {
      create(detached);
#pragma omp taskwait
      check(2);
      create(detached);
      for (int i = 0; i < 3; i++) {
#pragma omp taskyield
      }
#pragma omp taskwait
      check(2);
      create(detached);
#pragma omp task depend(out : x)
      order[ran++] = 3;
#pragma omp taskwait
      check(3);
    }
  }
  return 0;
}
