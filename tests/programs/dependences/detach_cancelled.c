// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The event of a detachable task that cancellation discarded may still be fulfilled, whenever the
// program comes to it: it does nothing. Naive version: the event is the task's memory, which by
// then belongs to another task, or to nobody.
// xomp-test: threads=1,2,4 env=OMP_CANCELLATION=true timeout=60 compilers=gcc,clang
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "check.h"

enum { kTasks = 50, kRounds = 100 };

static omp_event_handle_t discarded[kTasks];
static int bodies; // of discarded tasks

static void create_discarded(int i, int* cell) {
  (void)cell;
  omp_event_handle_t event;
#pragma omp task detach(event) depend(in : *cell)
  {
#pragma omp atomic
    bodies++;
  }
  discarded[i] = event;
}

static void* fulfill_some(void* unused) {
  for (int i = 0; i < kTasks; i += 2)
    omp_fulfill_event(discarded[i]);
  return unused;
}

// Fills `discarded`; those at even places are fulfilled, while their tasks are being discarded.
static void discard(void) {
  int cell = 0;
  omp_event_handle_t gate;
  pthread_t thread;
#pragma omp taskgroup
  {
#pragma omp task detach(gate) depend(out : cell)
    cell = 1;
    for (int i = 0; i < kTasks - 4; ++i)
      create_discarded(i, &cell);
#pragma omp task if (0)
    {
#pragma omp cancel taskgroup
    }
    for (int i = kTasks - 4; i < kTasks; ++i)
      create_discarded(i, &cell); // after the cancellation
    CHECK(pthread_create(&thread, NULL, fulfill_some, NULL) == 0);
    omp_fulfill_event(gate);
  }
  CHECK(pthread_join(thread, NULL) == 0);
}

static void fulfill_others(void) {
  for (int i = 1; i < kTasks; i += 2)
    omp_fulfill_event(discarded[i]);
}

// Tasks of the same kind, which may lie where the discarded ones did, are finished by their own
// events alone.
static void keep_apart(void) {
  omp_event_handle_t events[kTasks];
  int cells[kTasks], finished = 0;
#pragma omp taskgroup
  {
    for (int i = 0; i < kTasks; ++i) {
      omp_event_handle_t event;
#pragma omp task detach(event) depend(out : cells[i]) shared(cells)
      cells[i] = i;
      events[i] = event;
#pragma omp task depend(in : cells[i]) shared(cells, finished)
      {
        CHECK(cells[i] == i);
#pragma omp atomic
        finished++;
      }
    }
    fulfill_others();
    for (int i = 0; i < 20; ++i) {
#pragma omp taskyield
      usleep(10);
    }
    int early;
#pragma omp atomic read
    early = finished;
    CHECK(early == 0);
    for (int i = 0; i < kTasks; ++i)
      omp_fulfill_event(events[i]);
  }
  CHECK(finished == kTasks);
}

// The thread, and the teams that it had, are gone before some of the events are fulfilled.
static void* thread_that_ends(void* unused) {
#pragma omp parallel
#pragma omp single
  discard();
  return unused;
}

int main(void) {
  for (int round = 0; round < kRounds; ++round) {
#pragma omp parallel
#pragma omp single
    {
      discard();
      keep_apart();
    }
  }
  for (int round = 0; round < kRounds; ++round) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, thread_that_ends, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    fulfill_others();
  }
  CHECK(bodies == 0);
  return 0;
}
