// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// taskgraph as LLVM's programs have it: the region is executed once and recorded, and what was
// recorded runs again each time: dependences of every kind, values of firstprivate variables, waits
// inside the region, taskloops and their reductions, tasks of tasks, long chains and wide fans; a
// region with a task that cannot be replayed, or a region, or that another thread is in, is
// executed instead.
// xomp-test: threads=1,2,8 barriers=tree schedulers=auto,slb,na-ws compilers=clang libs=lib/libxomp.so
#include <omp.h>
#include <stdint.h>

#include "check.h"

extern "C" {
int32_t __kmpc_start_record_task(void*, int32_t, int32_t, int32_t);
void __kmpc_end_record_task(void*, int32_t, int32_t, int32_t);
}

namespace {

constexpr int kRounds = 20;

/// A region as a compiler executes it: `executed` counts how often its code has run. In place, as
/// the tasks that were recorded refer to what is on this stack.
#define TASKGRAPH(id, executed, flags)                                                             \
  for (int code = __kmpc_start_record_task(nullptr, 0, flags, id), once = 1; once;                 \
       once = 0, executed += code, __kmpc_end_record_task(nullptr, 0, flags, id))                  \
    if (code)

template <class Body> void by_one_thread(Body body) {
#pragma omp parallel
#pragma omp single
  body();
}

void add(int* to, int value) {
#pragma omp atomic
  *to += value;
}

void orders() {
  by_one_thread([] {
    int x = 0, y = 0, readers = 0, set = 0, exclusive = 0, executed = 0;
    for (int round = 1; round <= kRounds; ++round) {
      TASKGRAPH(1, executed, 0) {
#pragma omp task depend(out : x) shared(x)
        x = x + 1;
        for (int i = 0; i < 10; ++i) {
#pragma omp task depend(in : x) shared(x, readers)
          add(&readers, x);
        }
#pragma omp task depend(inout : x) depend(out : y) shared(x, y, readers)
        {
          CHECK(readers == 10 * x);
          readers = 0;
          y = x;
        }
        for (int i = 0; i < 6; ++i) {
#pragma omp task depend(inoutset : y) shared(y, x, set)
          add(&set, y == x);
        }
        for (int i = 0; i < 6; ++i) {
#pragma omp task depend(mutexinoutset : y) shared(set, exclusive)
          {
            CHECK(set == 6);
            exclusive++;
          }
        }
#pragma omp task depend(inout : omp_all_memory) shared(set, exclusive, y)
        {
          CHECK(exclusive == 6 && set == 6);
          set = exclusive = y = 0;
        }
#pragma omp task depend(in : y) shared(y)
        CHECK(y == 0);
      }
      CHECK(x == round && y == 0 && readers == 0);
    }
    CHECK(executed == 1);
  });
}

void values() {
  by_one_thread([] {
    int sum = 0, executed = 0;
    for (int round = 0; round < kRounds; ++round) {
      TASKGRAPH(2, executed, 0) {
        for (int i = 1; i <= 20; ++i) {
#pragma omp task firstprivate(i) shared(sum)
          {
            add(&sum, i);
            i = 1000; // of this execution only
          }
        }
      }
      CHECK(sum == 210 * (round + 1));
    }
    CHECK(executed == 1);
  });
}

void waits() {
  by_one_thread([] {
    int executed = 0, before = 0, at_once = 0, after = 0, inner = 0;
    for (int round = 1; round <= kRounds; ++round) {
      TASKGRAPH(3, executed, 0) {
        for (int i = 0; i < 8; ++i) {
#pragma omp task shared(before, inner)
          {
            for (int k = 0; k < 3; ++k) {
#pragma omp task shared(inner)
              add(&inner, 1);
            }
#pragma omp taskwait
            add(&before, 1);
          }
        }
#pragma omp taskwait
#pragma omp task if (0) shared(before, at_once)
        {
          CHECK(before % 8 == 0);
          at_once++;
        }
#pragma omp taskgroup
        {
#pragma omp task shared(at_once, after)
          after = at_once;
        }
#pragma omp task shared(at_once, after)
        CHECK(after == at_once);
      }
      CHECK(before == 8 * round && inner == 24 * round && at_once == round && after == round);
    }
  });
}

void loops() {
  static int array[1000];
  by_one_thread([] {
    long sum = 0;
    int executed = 0;
    for (int& each : array)
      each = 1;
    for (int round = 1; round <= kRounds; ++round) {
      TASKGRAPH(4, executed, 0) {
#pragma omp taskloop num_tasks(37)
        for (int i = 0; i < 1000; ++i)
          array[i]++;
#pragma omp taskloop reduction(+ : sum) grainsize(10)
        for (int i = 0; i < 1000; ++i)
          sum += array[i];
      }
      CHECK(array[999] == round + 1);
    }
    CHECK(sum == 1000L * (kRounds * (kRounds + 3) / 2) && executed == 1);
  });
}

void shapes() {
  by_one_thread([] {
    int executed = 0, chain = 0, fan = 0, ends = 0;
    for (int round = 1; round <= 3; ++round) {
      TASKGRAPH(5, executed, 0) {
        for (int i = 0; i < 20000; ++i) {
#pragma omp task depend(inout : chain) firstprivate(i) shared(chain)
          {
            CHECK(chain % 20000 == i);
            chain++;
          }
        }
        for (int i = 0; i < 2000; ++i) {
#pragma omp task depend(in : chain) depend(out : fan) shared(ends)
          add(&ends, 1);
#pragma omp task depend(in : fan) shared(ends)
          add(&ends, 1);
        }
      }
      CHECK(chain == 20000 * round && ends == 4000 * round);
    }
  });
}

void again() {
  by_one_thread([] {
    int value = 0, executed = 0;
    for (int round = 1; round <= 4; ++round) {
      TASKGRAPH(6, executed, round == 3 ? 2 : 0) {
#pragma omp task firstprivate(round) shared(value)
        value = round;
      }
      CHECK(value == (round < 3 ? 1 : 3));
    }
    CHECK(executed == 2);
    // Blocks that begin behind what their alignment needs.
    struct alignas(128) Aligned {
      int value[64];
    } aligned = {};
    int sum = 0;
    for (int round = 0; round < 4; ++round) {
      TASKGRAPH(15, executed, round % 2 ? 2 : 0) {
#pragma omp task firstprivate(aligned) shared(sum)
        sum += 1 + aligned.value[63];
      }
    }
    CHECK(sum == 4);
    executed = 0;
    // An event is of one execution.
    int done = 0;
    executed = 0;
    for (int round = 1; round <= 4; ++round) {
      TASKGRAPH(7, executed, 0) {
        omp_event_handle_t event = {};
#pragma omp task detach(event) shared(done)
        done++;
        omp_fulfill_event(event);
      }
      CHECK(done == round);
    }
    CHECK(executed == 4);
  });
}

void nested_and_at_once() {
  by_one_thread([] {
    int executed = 0, outer = 0, inner = 0;
    for (int round = 1; round <= kRounds; ++round) {
      TASKGRAPH(8, executed, 0) {
        for (int i = 0; i < 4; ++i) {
#pragma omp task shared(outer, inner)
          {
            int executed = 0;
            TASKGRAPH(9, executed, 0) {
              for (int k = 0; k < 5; ++k) {
#pragma omp task shared(inner)
                add(&inner, 1);
              }
            }
            add(&outer, 1);
          }
        }
      }
      CHECK(outer == 4 * round && inner == 20 * round);
    }
  });
  static int all;
  int threads = 1;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
    int executed = 0;
    for (int round = 0; round < kRounds; ++round)
      TASKGRAPH(10, executed, 0) {
        for (int k = 0; k < 5; ++k) {
#pragma omp task
          add(&all, 1);
        }
      }
  }
  CHECK(all == 5 * kRounds * threads);
}

// A loop of tasks that are not deferred is one wait after the other; of a region directly inside
// another one neither is replayed without the other.
void in_order_and_inside() {
  by_one_thread([] {
    int executed = 0, last = -1, unordered = 0;
    for (int round = 0; round < kRounds; ++round) {
      last = -1;
      TASKGRAPH(16, executed, 0) {
#pragma omp taskloop if (0) nogroup num_tasks(10) shared(last, unordered)
        for (int i = 0; i < 10; ++i) {
          unordered += last != i - 1;
          last = i;
          for (volatile int k = 0; k < 1000; k = k + 1) {
          }
        }
#pragma omp task shared(last, unordered)
        unordered += last != 9;
      }
    }
    CHECK(unordered == 0 && executed == 1);
    int outer = 0, inner = 0;
    for (int round = 1; round <= kRounds; ++round) {
      TASKGRAPH(17, executed, 0) {
#pragma omp task shared(outer)
        add(&outer, 1);
        TASKGRAPH(18, executed, 0) {
#pragma omp task shared(inner)
          add(&inner, 1);
        }
      }
      CHECK(outer == round && inner == round);
    }
  });
}

} // namespace

int main() {
  orders();
  values();
  waits();
  loops();
  shapes();
  again();
  nested_and_at_once();
  in_order_and_inside();
}
