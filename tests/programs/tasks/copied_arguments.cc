// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks with arguments that only the program can copy, or that take more than a slot of the stack:
// each object is where it was constructed when the task runs and when it is destroyed, on whichever
// thread, all are destroyed, and the tasks are deferred like others.
// Naive version: a thief moves them like other arguments, and `self` points to where they were.
// xomp-test: threads=1,2,4,8 schedulers=slb,na-ws,mts timeout=60 compilers=gcc,clang
#include <omp.h>
#include <sys/resource.h>

#include <atomic>
#include <mutex>

#include "check.h"

namespace {

std::atomic<long> living, ran;

template <int bytes> struct Tied {
  Tied* self = this;
  char content[bytes];

  explicit Tied(int seed) {
    ++living;
    for (int i = 0; i < bytes; ++i)
      content[i] = static_cast<char>(seed + i);
  }
  Tied(const Tied& other) : Tied(other.content[0]) { other.check(other.content[0]); }
  ~Tied() {
    CHECK(self == this);
    --living;
  }
  void check(int seed) const {
    CHECK(self == this);
    for (int i = 0; i < bytes; ++i)
      CHECK(content[i] == static_cast<char>(seed + i));
  }
};

/// One creator, whose tasks are taken by others.
template <int bytes> void flat(int tasks) {
  ran = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < tasks; ++i) {
    Tied<bytes> object(i % 100);
#pragma omp task firstprivate(object, i)
    {
      object.check(i % 100);
      ++ran;
    }
  }
  CHECK(ran == tasks);
  CHECK(living == 0);
}

template <int bytes> long count(int depth, Tied<bytes> object) {
  object.check(depth);
  if (depth < 2)
    return 1;
  long left, right;
#pragma omp task shared(left) firstprivate(object, depth)
  {
    object.check(depth);
    left = count<bytes>(depth - 1, Tied<bytes>(depth - 1));
  }
#pragma omp task shared(right) firstprivate(object, depth) final(depth < 6)
  {
    object.check(depth);
    right = count<bytes>(depth - 2, Tied<bytes>(depth - 2));
  }
#pragma omp taskwait
  return left + right;
}

/// Copying an object creates tasks, and waits for them.
struct Busy {
  long sum = 0;
  Busy() { ++living; }
  Busy(const Busy&) {
    ++living;
    for (int i = 0; i < 600; ++i) {
#pragma omp task firstprivate(i) shared(ran)
      ++ran;
    }
  }
  ~Busy() { --living; }
};

void copies_that_create() {
  constexpr int kTasks = 50;
  ran = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
    Busy busy;
#pragma omp task firstprivate(busy)
    busy.sum++;
  }
  CHECK(ran == 600 * kTasks);
  CHECK(living == 0);
}

/// The creator holds a lock that the task takes.
template <int bytes> void deferred() {
  std::mutex mutex;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 200; ++i) {
    Tied<bytes> object(1);
    std::lock_guard<std::mutex> guard(mutex);
#pragma omp task firstprivate(object) shared(mutex)
    {
      std::lock_guard<std::mutex> inner(mutex);
      object.check(1);
    }
  }
  CHECK(living == 0);
}

/// Not copied by the program, but too large for a slot.
struct Plain {
  char content[1000];
};

void large() {
  long sum = 0;
  Plain plain{};
  plain.content[999] = 1;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20000; ++i) {
#pragma omp task firstprivate(plain) shared(sum)
    {
#pragma omp atomic
      sum += plain.content[999];
    }
  }
  CHECK(sum == 20000);
}

} // namespace

int main() {
  flat<8>(20000);
  flat<400>(20000);
  flat<3000>(2000);
  for (int i = 0; i < 5; ++i) {
#pragma omp parallel
#pragma omp single
    CHECK(count<24>(16, Tied<24>(16)) == 1597);
  }
  CHECK(living == 0);
  copies_that_create();
  large();
  // libgomp and the papers' policies run tasks on top of their creators where their queues are full
  // or there is one thread only.
  const char* scheduler = getenv("XOMP_SCHEDULER");
  if (!scheduler) {
    deferred<8>();
    deferred<400>();
  }
  return 0;
}
