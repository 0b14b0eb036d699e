// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `cancel taskgroup`: tasks of the group that have not begun are discarded, wherever they wait: on
// their creator's stack, with arguments of every size, final ones, children of such; those of other
// groups are not. What the runtime has copied for a discarded task is freed, and what the program
// has copied is destroyed. Naive version: ordinary tasks are run without a look at their group.
// xomp-test: threads=1,2,8 env=OMP_CANCELLATION=true schedulers=slb,ws compilers=gcc,clang
#include <omp.h>

#include <atomic>

#include "check.h"

namespace {

constexpr int kTasks = 100, kRounds = 20;

std::atomic<int> ran, others, alive;

struct Counted {
  Counted() { ++alive; }
  Counted(const Counted&) { ++alive; }
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --alive; }
};

struct Large {
  char bytes[400];
};

/// The first task cancels the group that the others belong to. `all_run`: they are run
/// nevertheless.
template <class Create> void round_of(Create create, bool all_run = false) {
  ran = 0;
#pragma omp taskgroup
  {
    for (int i = 0; i < kTasks; ++i)
      create(i);
    // A task that creates others after the cancellation: these are discarded, or never made.
#pragma omp task
    {
      for (int i = 0; i < kTasks; ++i)
        create(i);
#pragma omp taskwait
    }
  }
  // Whoever has run one has cancelled the group.
  CHECK(ran >= 1 && (all_run || ran <= omp_get_num_threads()));
}

void small(int) {
#pragma omp task
  {
    ++ran;
#pragma omp cancel taskgroup
  }
}

void with_arguments(int i) {
  long a = i, b = 2 * i, c = 3 * i, d = 4 * i;
#pragma omp task firstprivate(a, b, c, d)
  {
    ++ran;
    CHECK(b == 2 * a && c == 3 * a && d == 4 * a);
#pragma omp cancel taskgroup
  }
}

void with_large_ones(int i) {
  Large large{};
  large.bytes[399] = static_cast<char>(i);
#pragma omp task firstprivate(large, i)
  {
    ++ran;
    CHECK(large.bytes[399] == static_cast<char>(i));
#pragma omp cancel taskgroup
  }
}

void final_ones(int i) {
#pragma omp task final(i % 2 == 0) firstprivate(i)
  {
    ++ran;
    CHECK(omp_in_final() == (i % 2 == 0));
#pragma omp cancel taskgroup
  }
}

/// The program's copy is constructed and destroyed, whether or not the task is run.
void with_copies(int) {
  Counted counted;
#pragma omp task firstprivate(counted)
  {
    (void)&counted;
    ++others;
#pragma omp cancellation point taskgroup
  }
}

/// Tasks that have to leave their creator's stack before they are discarded, for what `act` does.
template <class Act> void moved(Act act) {
#pragma omp taskgroup
  {
#pragma omp task
    {
      for (int i = 0; i < kTasks; ++i)
        with_copies(i);
      act();
#pragma omp cancel taskgroup
    }
  }
  CHECK(alive == 0);
}

void all_rounds() {
  for (int round = 0; round < kRounds; ++round) {
    round_of(small);
    round_of(with_arguments);
#ifdef __clang__
    round_of(with_large_ones);
#else
    round_of(with_large_ones, true); // GCC has a copy function for them, and only the body frees
#endif
    round_of(final_ones);
    // A group inside is cancelled alone.
    others = 0;
#pragma omp taskgroup
    {
      for (int i = 0; i < kTasks; ++i) {
#pragma omp task
        ++others;
      }
      round_of(small);
    }
    CHECK(others == kTasks);
    // Copies.
#pragma omp taskgroup
    {
      for (int i = 0; i < kTasks; ++i)
        with_copies(i);
      small(0);
    }
    CHECK(alive == 0);
    moved([] {
#pragma omp taskgroup
      ++others;
    });
    moved([] {
      [[maybe_unused]] int item = 0;
#pragma omp task depend(out : item)
      ++others;
#pragma omp taskwait depend(in : item)
    });
    moved([] { omp_set_num_threads(3); });
  }
}

} // namespace

int main() {
  if (!omp_get_cancellation())
    return 0; // run without the environment that the test gives it
#pragma omp parallel
#pragma omp single
  all_rounds();
  return 0;
}
