// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks with dependences in a team of one thread: they are deferred, each finds done what it comes
// after and nothing that comes after it, whatever kinds of tasks and waits they are mixed with; and
// what is not ordered does not wait. Naive version: a team of one runs its tasks in the order of
// their creation, and looks at no dependence. Where the newest is begun first and runs its siblings
// in front of it, their children come to lie among its own.
// xomp-test: threads=1 timeout=60 compilers=gcc,clang
#include <omp.h>
#include <stdint.h>

#include "check.h"

enum { kCells = 5, kTasks = 600, kRounds = 60, kDeep = 300000 };

static char cell[kCells], x, y, z;
static int writers[kCells], readers[kCells]; // created so far
static int written[kCells], read[kCells];    // complete so far
static int began, created;

/// What a task does with up to two cells: reads the first, writes the second; -1: none.
struct access {
  int in, out;
  int written_in, written_out, read_out; ///< complete when it begins
};

static struct access plan(int in, int out) {
  struct access access = {in, out, 0, 0, 0};
  if (in >= 0)
    access.written_in = writers[in];
  if (out >= 0) {
    access.written_out = writers[out];
    access.read_out = readers[out];
  }
  if (in >= 0)
    readers[in]++;
  if (out >= 0)
    writers[out]++;
  created++;
  return access;
}

static void complete(struct access access) {
  if (access.in >= 0)
    read[access.in]++;
  if (access.out >= 0)
    written[access.out]++;
}

static void begin(struct access access) {
  began++;
  if (access.in >= 0)
    CHECK(written[access.in] == access.written_in);
  if (access.out >= 0) {
    CHECK(written[access.out] == access.written_out);
    CHECK(read[access.out] == access.read_out);
  }
}

static void work(struct access access) {
  begin(access);
  complete(access);
}

static uint64_t seed;

static int draw(int below) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (int)((seed >> 33) % (unsigned)below);
}

static void create_large(struct access access) {
  char block[200];
  block[0] = block[199] = 7;
#pragma omp task depend(in : cell[access.in]) depend(out : cell[access.out]) firstprivate(block)
  {
    CHECK(block[0] == 7 && block[199] == 7);
    work(access);
  }
}

/// Over when its event is fulfilled as well, which is for another task to do.
static int halves[kTasks], detached;

static void finish_half(int which, struct access access) {
  if (++halves[which] == 2)
    complete(access);
}

static void create_detached(struct access access) {
  omp_event_handle_t event;
  int which = detached++;
  halves[which] = 0;
#pragma omp task depend(inout : cell[access.out]) detach(event)
  {
    begin(access);
    finish_half(which, access);
  }
#pragma omp task firstprivate(event)
  {
    finish_half(which, access);
    omp_fulfill_event(event);
  }
}

static void with_children(struct access access) {
  int steps = 0;
#pragma omp task depend(inout : steps) shared(steps)
  CHECK(steps++ == 0);
#pragma omp task depend(inout : steps) shared(steps)
  CHECK(steps++ == 1);
#pragma omp taskwait
  CHECK(steps == 2);
  work(access);
}

/// Nobody waits for its children before the region's end.
static int steps_of[kTasks], parents;

static void leaving_children(struct access access) {
  int* steps = &steps_of[parents++];
  *steps = 0;
  for (int i = 0; i < 3; i++) {
#pragma omp task depend(inout : *steps) firstprivate(i)
    CHECK((*steps)++ == i);
  }
  work(access);
}

static void create_plain(int kind, int in, int out) {
  struct access access;
  switch (kind) {
  case 0:
    access = plan(in, -1);
#pragma omp task depend(in : cell[in])
    work(access);
    return;
  case 1:
    access = plan(-1, out);
#pragma omp task depend(out : cell[out])
    work(access);
    return;
  case 2:
    access = plan(in, out);
#pragma omp task depend(in : cell[in]) depend(inout : cell[out])
    with_children(access);
    return;
  case 3:
    access = plan(-1, out);
#pragma omp task depend(out : cell[out])
    leaving_children(access);
    return;
  default:
    access = plan(in, out);
#pragma omp task depend(in : cell[in]) depend(inout : cell[out]) untied mergeable
    work(access);
  }
}

static void create_other(int kind, int in, int out) {
  struct access access;
  switch (kind) {
  case 4:
    create_large(plan(in, out));
    return;
  case 5:
    access = plan(in, out);
#pragma omp task depend(in : cell[in]) depend(inout : cell[out]) if (0)
    work(access);
    return;
  case 6:
    access = plan(in, -1);
#pragma omp taskwait depend(in : cell[in])
    work(access);
    return;
  case 7:
    create_detached(plan(-1, out));
    return;
  case 8:
    access = plan(-1, out);
#pragma omp task depend(mutexinoutset : cell[out])
    work(access);
    access = plan(out, -1); // between two of them, which have no order
#pragma omp task depend(in : cell[out])
    work(access);
    return;
  case 9:
    access = plan(in, -1);
#pragma omp taskgroup
    {
#pragma omp task depend(in : cell[in])
      work(access);
    }
    return;
  case 10: {
#pragma omp taskyield
    return;
  }
  case 11:
    created++;
#pragma omp task
    began++;
    return;
  default: {
#pragma omp taskwait
    CHECK(began == created);
  }
  }
}

static void mixed(int round) {
  seed = (uint64_t)round;
  began = created = detached = parents = 0;
  for (int i = 0; i < kCells; i++)
    writers[i] = readers[i] = written[i] = read[i] = 0;
  // Some rounds have few of the kinds that know the dependences.
  int simple = round % 3;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; i++) {
    int in = draw(kCells), out = (in + 1 + draw(kCells - 1)) % kCells;
    if (simple && draw(simple * 40))
      create_plain(draw(5), in, out);
    else
      create_other(4 + draw(9), in, out);
  }
  CHECK(began == created);
  for (int i = 0; i < parents; i++)
    CHECK(steps_of[i] == 3);
}

/// What is not deferred, and a wait for some of them, comes after those that wait on the stack.
static void waits(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 3; i++) {
#pragma omp task depend(out : x) shared(value)
      value++;
    }
#pragma omp task depend(in : x) if (0) shared(value)
    CHECK(value == 6 * round + 3);
#pragma omp taskwait
    for (int i = 0; i < 3; i++) {
#pragma omp task depend(out : x) shared(value)
      value++;
    }
#pragma omp taskwait depend(in : x)
    CHECK(value == 6 * round + 6);
#pragma omp taskwait
  }
}

/// As in a team of more, nothing that is created next runs them.
static void others_do_not_wait(void) {
  int ready = 0, ran = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 100; i++) {
#pragma omp task depend(inout : x) shared(ready, ran) firstprivate(i)
      CHECK(ready && ran++ == i);
    }
#pragma omp task depend(out : y) if (0)
    CHECK(!ready);
#pragma omp taskwait depend(in : y, z)
    omp_event_handle_t event;
#pragma omp task depend(out : z) detach(event) shared(ready)
    CHECK(ready);
    omp_fulfill_event(event);
#pragma omp task depend(inout : x, z) shared(ready, ran)
    CHECK(ready && ran++ == 100);
    ready = 1;
  }
  CHECK(ran == 101);
}

/// A task's children have no order among its parent's: one of them fulfills what an older task of
/// the parent's with the same item is waiting for.
static void nephews(void) {
  int fulfilled = 0, ran = 0;
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task depend(out : x) detach(event)
    {
    }
#pragma omp task if (0) shared(fulfilled, ran)
    {
#pragma omp task depend(out : x) shared(fulfilled) firstprivate(event)
      {
        fulfilled = 1;
        omp_fulfill_event(event);
      }
    }
#pragma omp taskgroup
    {
#pragma omp task depend(in : x) shared(fulfilled, ran)
      {
        CHECK(fulfilled);
        ran = 1;
      }
    }
    CHECK(ran);
  }
}

/// Neither two at a time, of which a wait may take the newer one first, nor a yield, turns the
/// order.
static void newest_first(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 1000; i++) {
    for (int k = 0; k < 2 + i % 2; k++) {
#pragma omp task depend(inout : value) shared(value) firstprivate(k)
      CHECK(value++ % 4 == k);
    }
    if (i % 4 == 0) {
#pragma omp taskyield
    }
#pragma omp taskwait
    CHECK(value % 4 == 2 + i % 2);
    value = 0;
  }
}

/// A task that has nobody before it forgets nothing of those that wait below it.
static void below_another(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x) shared(value)
    value++;
#pragma omp task if (0) shared(value)
    {
#pragma omp task depend(out : x) if (0) shared(value)
      CHECK(value == 0);
#pragma omp taskwait depend(in : x)
    }
#pragma omp taskwait depend(in : x)
    CHECK(value == 1);
  }
}

/// A thousand of them wait for each creator, as on libgomp, which counts no task that waits for
/// another; and they take no room from those that wait for nothing.
static void many(void) {
  enum { kMany = 1000, kMore = 20000, kPlain = 250 };
  int ready = 0, ran = 0, plain = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kMany; i++) {
#pragma omp task depend(inout : x) shared(ready, ran, plain) firstprivate(i)
      {
        CHECK(ready && ran++ == i);
        if (i == 0) {
          for (int k = 0; k < kPlain; k++) {
            CHECK(plain == 0);
#pragma omp task shared(plain)
            plain++;
          }
#pragma omp taskwait
        }
      }
    }
    ready = 1;
    for (int i = kMany; i < kMore; i++) {
#pragma omp task depend(inout : x) shared(ran) firstprivate(i)
      CHECK(ran++ == i);
    }
  }
  CHECK(ran == kMore && plain == kPlain);
}

static long depth;

static void deeper(long left) {
  depth++;
  if (left > 0) {
#pragma omp task depend(inout : depth)
    deeper(left - 1);
  }
}

/// A task that waits while it holds a lock starts no child of its sibling's: that one would wait
/// for the lock.
static void no_nephew_under_a_lock(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  int entered = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(inout : x) shared(lock, entered)
    {
#pragma omp task shared(lock, entered)
      {
        omp_set_lock(&lock);
        entered++;
        omp_unset_lock(&lock);
      }
    }
#pragma omp task depend(inout : x) shared(lock)
    {
      omp_set_lock(&lock);
#pragma omp taskwait
      omp_unset_lock(&lock);
    }
#pragma omp taskwait
  }
  CHECK(entered == 1);
  omp_destroy_lock(&lock);
}

int main(void) {
  for (int round = 0; round < kRounds; round++)
    mixed(round);
  waits();
  others_do_not_wait();
  nephews();
  newest_first();
  no_nephew_under_a_lock();
  below_another();
  many();
#pragma omp parallel
#pragma omp single
  deeper(kDeep);
  CHECK(depth == kDeep + 1);
  return 0;
}
