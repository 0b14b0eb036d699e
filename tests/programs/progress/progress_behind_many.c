// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All of very many children are begun and wait for one more that is not, wherever among them it is:
// a taskwait comes to it. Naive version: a look at the children goes some steps and no further, so
// that each wait stays short.
// xomp-test: threads=1,2,4 timeout=30 env=XOMP_QUEUE_SIZE=1024 compilers=gcc,clang
#include <omp.h>

#include "check.h"
#include "polling.h"

enum { kChildren = 250 };
static omp_event_handle_t handles[kChildren];
static atomic_int blocked, open, begun;

// The last that is begun ends all of them.
static void begin(int i, omp_event_handle_t event) {
  handles[i] = event;
  if (atomic_fetch_add(&begun, 1) + 1 < kChildren)
    return;
  for (int k = 0; k < kChildren; ++k)
    omp_fulfill_event(handles[k]);
}

static void create(void) {
  for (int i = 0; i < kChildren; ++i) {
    omp_event_handle_t event;
#pragma omp task detach(event)
    begin(i, event);
  }
#pragma omp taskwait
  CHECK(atomic_load(&begun) == kChildren);
}

int main(void) {
  for (int round = 0; round < 3; ++round) {
    atomic_store(&blocked, 0);
    atomic_store(&open, 0);
    atomic_store(&begun, 0);
#pragma omp parallel
    {
      if (omp_get_thread_num() == 0) {
        poll_until(&blocked, omp_get_num_threads() - 1);
        create();
        atomic_store(&open, 1);
      } else {
        atomic_fetch_add(&blocked, 1);
        poll_until(&open, 1);
      }
    }
  }
  return 0;
}
