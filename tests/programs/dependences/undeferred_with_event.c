// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task that is not deferred and has an event: with GCC its creator waits for that, as on libgomp,
// and with clang for the body alone, as on libomp, where a taskwait waits for the event; never for
// what the task has left behind; and what cancels a taskgroup inside means the program's. Naive
// versions: the creator waits in a taskgroup of its own; both compilers are treated alike.
// xomp-test: threads=1,2,4 timeout=20 env=OMP_CANCELLATION=true compilers=gcc,clang
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

static atomic_int ran;

static void leaves_a_child(void) {
  omp_event_handle_t first = 0, second = 0, *out = &second;
#pragma omp task if (0) detach(first) firstprivate(out)
  {
    omp_event_handle_t inner;
#pragma omp task detach(inner)
    ++ran;
    *out = inner;
    omp_fulfill_event(first);
  }
  omp_fulfill_event(second);
}

static void cancels(void) {
#pragma omp taskgroup
  {
    omp_event_handle_t event = 0;
#pragma omp task if (0) detach(event)
    {
      omp_fulfill_event(event);
#pragma omp cancel taskgroup
    }
#pragma omp task
    ran += 100;
#pragma omp taskwait
  }
}

#ifdef __clang__
enum { kWaitsForEvents = 0 };
#else
enum { kWaitsForEvents = 1 };
#endif

// Fulfills an event when it is told, by a task or a thread of the program's.
static _Atomic(omp_event_handle_t) asked;
static atomic_int answered;
static void answer_late(void) {
  omp_event_handle_t event;
  while (!(event = asked))
    sched_yield();
  usleep(10000);
  answered = 1;
  asked = 0;
  omp_fulfill_event(event);
}
static void* answer_from_outside(void* nothing) {
  answer_late();
  return nothing;
}

static void waits_as_its_peer_does(int final_task, int depends, int from_outside) {
  int variable = 0;
  pthread_t outside;
  answered = 0;
  if (from_outside)
    CHECK(pthread_create(&outside, NULL, answer_from_outside, NULL) == 0);
#pragma omp task if (!from_outside)
  if (!from_outside)
    answer_late();
  omp_event_handle_t event = 0;
  if (depends) {
#pragma omp task shared(variable) depend(out : variable)
    ++variable;
#pragma omp task if (0) shared(variable) detach(event) depend(inout : variable)
    {
      ++variable;
      asked = event;
    }
    CHECK(variable == 2);
  } else if (final_task) {
#pragma omp task final(1)
    {
      omp_event_handle_t included;
#pragma omp task detach(included)
      asked = included;
      if (kWaitsForEvents)
        CHECK(answered);
#pragma omp taskwait
    }
  } else {
#pragma omp task if (0) detach(event)
    asked = event;
  }
  if (kWaitsForEvents && !final_task)
    CHECK(answered);
#pragma omp taskwait
  CHECK(answered); // its event is a part of the child's completion, whatever the creator did before
  if (from_outside)
    CHECK(pthread_join(outside, NULL) == 0);
}

// libomp's creator goes on, and may itself be who fulfills the event.
static void fulfills_afterwards(void) {
  if (kWaitsForEvents)
    return;
  omp_event_handle_t event = 0, *out = &event;
#pragma omp task if (0) detach(event) firstprivate(out)
  *out = event;
  omp_fulfill_event(event);
#pragma omp taskwait
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    leaves_a_child();
    cancels();
    for (int i = 0; i < 6; ++i)
      if (i >= 3 || omp_get_num_threads() > 1)
        waits_as_its_peer_does(i % 3 == 1, i % 3 == 2, i >= 3);
    fulfills_afterwards();
  }
  CHECK(ran == 1);
  return 0;
}
