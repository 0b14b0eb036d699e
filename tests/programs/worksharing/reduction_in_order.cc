// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// KMP_DETERMINISTIC_REDUCTION: what the threads have is added in the order of their numbers, so
// sums of floating-point numbers are the same in every run, whoever comes first. Naive versions: as
// they come; a thread's copy is read when the thread has left its stack frame, or before it has
// come.
// xomp-test: threads=1,2,3,8,40 schedulers=auto,slb,mts env=KMP_DETERMINISTIC_REDUCTION=true
// xomp-test: compilers=clang timeout=60
#include <omp.h>
#include <unistd.h>

#include <cstdint>

#include "check.h"

namespace {

/// A thread's share, none of which can be added to the others without an error of rounding.
double share(int thread) { return (thread % 3 == 1 ? 1e8 : 1) / (thread * 3 + 1) + 1e-9 * thread; }

/// What comes out of the order of the threads.
double expected(double start) {
  double sum = 0 + share(0); // a copy begins as 0
  for (int thread = 1; thread < omp_get_max_threads(); ++thread)
    sum += 0 + share(thread);
  return start + sum;
}

/// So that they come in another order each time.
void come_late(int round) {
  uint32_t mixed = (round * 31 + omp_get_thread_num()) * 2654435761u;
  if (mixed >> 30 == 0)
    usleep(mixed >> 20 & 127);
}

void regions() {
  for (int round = 0; round < repeats(100); ++round) {
    double sum = 0.5, more = 0;
    int members = 0;
#pragma omp parallel reduction(+ : sum, members, more)
    {
      come_late(round);
      sum += share(omp_get_thread_num());
      more += 2 * share(omp_get_thread_num());
      members++;
    }
    CHECK(sum == expected(0.5) && more == 2 * expected(0) && members == omp_get_max_threads());
  }
}

/// Constructs one behind the other, with their barriers and without, and tasks that are left.
void loops() {
  int threads = omp_get_max_threads(), tasks = 0;
  for (int round = 0; round < repeats(30); ++round) {
    double waited = 0, not_waited = 0, sections = 0;
#pragma omp parallel
    {
#pragma omp for schedule(static, 1) reduction(+ : waited)
      for (int i = 0; i < threads; ++i) {
        come_late(round);
        waited += share(i);
      }
      CHECK(waited == expected(0)); // for everybody
#pragma omp task shared(tasks)
#pragma omp atomic
      tasks++;
#pragma omp for schedule(static, 1) reduction(+ : not_waited) nowait
      for (int i = 0; i < threads; ++i) {
        come_late(round);
        not_waited += share(i);
      }
#pragma omp sections reduction(+ : sections)
      {
#pragma omp section
        sections += 1;
#pragma omp section
        sections += 2;
      }
    }
    CHECK(not_waited == expected(0) && sections == 3);
  }
  CHECK(tasks == repeats(30) * threads);
}

/// Which may not be added in another order. There are no atomic operations for it.
struct Sequence {
  int first = -1, last = -1;
  bool broken = false;
  void append(const Sequence& next) {
    if (next.first < 0)
      return;
    broken |= next.broken || (first >= 0 && next.first != last + 1);
    first = first < 0 ? next.first : first;
    last = next.last;
  }
};
#pragma omp declare reduction(append:Sequence : omp_out.append(omp_in))

void of_the_program() {
  for (int round = 0; round < repeats(50); ++round) {
    Sequence all;
    enum { kSize = 40 };
    double array[kSize] = {};
#pragma omp parallel reduction(append : all) reduction(+ : array)
    {
      come_late(round);
      int thread = omp_get_thread_num();
      all.append({thread, thread});
      for (double& element : array)
        element += share(thread);
    }
    CHECK(!all.broken && all.first == 0 && all.last == omp_get_max_threads() - 1);
    for (double element : array)
      CHECK(element == expected(0));
  }
}

#pragma omp declare reduction(plus:int : omp_out += omp_in)

/// Teams add to the same variable at the same time.
void nested() {
  for (int round = 0; round < repeats(50); ++round) {
    int inner = 0, sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
      come_late(round);
#pragma omp parallel num_threads(3) reduction(plus : inner)
      inner++;
      sum++;
    }
    CHECK(inner == 6 && sum == 2);
  }
}

} // namespace

int main() {
  regions();
  loops();
  of_the_program();
  omp_set_max_active_levels(2);
  nested();
}
