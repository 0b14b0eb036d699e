// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random trees of tasks of every kind, with waits of every kind in them: each task runs once, and
// each wait lasts until what it waits for has run. Naive version: a wait loses sight of a task that
// somebody else's wait has made ready, or finds those that lie deep in a queue after a millisecond.
// xomp-test: threads=1,2,4 schedulers=ws,q,l,cq,mts,slb,xqueue1,xqueue2,xqueue-ws,na-rp,na-ws compilers=gcc,clang
#include <stdatomic.h>

#include "check.h"

enum { kGraphs = 12, kDepth = 5, kTags = 8 };

static atomic_int made, ran;
static char tags[kTags];

static unsigned next(unsigned* state) {
  *state = *state * 1103515245u + 12345u;
  return *state >> 16 & 0x7fff;
}

static void node(int depth, unsigned state);

static void body(int depth, unsigned state, atomic_int* over) {
  node(depth - 1, state);
  ++ran;
  if (over)
    ++*over;
}

static void group(int depth, unsigned state, char* tag) {
  atomic_int over = 0;
#pragma omp taskgroup
  {
    for (int i = 0; i < 3; i++) {
#pragma omp task shared(over)
      body(depth, state + i, &over);
    }
#pragma omp task depend(inout : *tag) shared(over)
    body(depth, state + 3, &over);
  }
  made += 4;
  CHECK(over == 4);
}

static void reduced_group(int depth, unsigned state) {
  int sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < 3; i++) {
#pragma omp task in_reduction(+ : sum)
    {
      sum += 1;
      body(depth, state + i, NULL);
    }
  }
  made += 3;
  CHECK(sum == 3);
}

static void waited_child(int depth, unsigned state) {
  atomic_int over = 0;
#pragma omp task shared(over)
  body(depth, state, &over);
#pragma omp taskwait
  ++made;
  CHECK(over == 1);
}

static void waited_predecessor(int depth, unsigned state, char* tag) {
  atomic_int over = 0;
#pragma omp task depend(out : *tag) shared(over)
  body(depth, state, &over);
#pragma omp taskwait depend(in : *tag)
  ++made;
  CHECK(over == 1);
}

static void single(int kind, int depth, unsigned state, char* tag, char* other) {
  ++made;
  switch (kind) {
  case 0:
#pragma omp task
    body(depth, state, NULL);
    break;
  case 1:
#pragma omp task if (0)
    body(depth, state, NULL);
    break;
  case 2:
#pragma omp task depend(out : *tag)
    body(depth, state, NULL);
    break;
  case 3:
#pragma omp task depend(in : *tag) depend(inout : *other)
    body(depth, state, NULL);
    break;
  case 4:
#pragma omp task depend(mutexinoutset : *tag)
    body(depth, state, NULL);
    break;
  case 5:
#pragma omp task if (0) depend(inout : *tag)
    body(depth, state, NULL);
    break;
  default:
#pragma omp task final(depth < 2) priority(state % 3)
    body(depth, state, NULL);
  }
}

static void node(int depth, unsigned state) {
  int children = depth > 0 ? 1 + (int)(next(&state) % 5) : 0;
  for (int i = 0; i < children; i++) {
    int kind = (int)(next(&state) % 12);
    char *tag = &tags[next(&state) % kTags], *other = &tags[next(&state) % kTags];
    unsigned below = state * 2654435761u + (unsigned)i;
    switch (kind) {
    case 7:
      group(depth, below, tag);
      break;
    case 8:
      reduced_group(depth, below);
      break;
    case 9:
      waited_child(depth, below);
      break;
    case 10:
      waited_predecessor(depth, below, tag);
      break;
    default:
      single(kind, depth, below, tag, other);
    }
  }
}

int main(void) {
  for (unsigned graph = 0; graph < kGraphs; graph++) {
#pragma omp parallel
    {
#pragma omp single nowait
      for (unsigned i = 0; i < 4; i++)
        single(0, kDepth, graph * 97 + i, tags, tags);
#pragma omp single nowait
      node(kDepth, graph * 31);
    }
    CHECK(made == ran);
  }
  CHECK(ran > 1000);
  return 0;
}
