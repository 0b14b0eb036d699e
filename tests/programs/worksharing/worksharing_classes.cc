// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Worksharing and taskloop over variables with constructors: every copy made is destroyed,
// lastprivate and copyprivate assign, iterators of the library work as loop variables, and
// exceptions stay within an iteration.
// xomp-test: threads=1,2,8 compilers=gcc,clang
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.h"

static std::atomic<int> alive{0};

struct Value {
  int number;
  std::string text;
  explicit Value(int number = 0) : number(number), text(std::to_string(number)) { ++alive; }
  Value(const Value& other) : number(other.number), text(other.text) { ++alive; }
  Value& operator=(const Value& other) = default;
  ~Value() { --alive; }
  bool sound() const { return text == std::to_string(number); }
};

static void taskloops() {
  Value in(42), last(-1);
  std::atomic<int> sum{0};
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop firstprivate(in) lastprivate(last) grainsize(5)
    for (int i = 0; i < 500; ++i) {
      CHECK(in.sound());
      last = Value(i);
      sum += in.number;
    }
#pragma omp taskloop firstprivate(in) if (0) num_tasks(9)
    for (unsigned long long i = 100; i > 0; i -= 2) {
      CHECK(in.number == 42 && in.sound());
      sum++;
    }
  }
  CHECK(last.number == 499 && last.sound() && sum == 42 * 500 + 50);
}

static void loops() {
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 0);
  Value last(-1), in(3);
  long sum = 0;
#pragma omp parallel for schedule(dynamic, 10) firstprivate(in) lastprivate(last) reduction(+ : sum)
  for (auto it = values.begin(); it < values.end(); ++it) {
    CHECK(in.sound());
    last = Value(*it);
    sum += *it;
  }
  CHECK(last.number == 999 && sum == 499500);
  int caught = 0;
#pragma omp parallel for schedule(guided) reduction(+ : caught)
  for (int i = 0; i < 200; ++i) {
    try {
      if (i % 3 == 0)
        throw std::runtime_error("in an iteration");
    } catch (const std::runtime_error&) {
      caught++;
    }
  }
  CHECK(caught == 67);
}

static void copyprivate() {
#pragma omp parallel
  for (int i = 0; i < 20; ++i) {
    Value mine(-1);
#pragma omp single copyprivate(mine)
    mine = Value(i);
    CHECK(mine.number == i && mine.sound());
  }
}

int main() {
  for (int i = 0; i < 20; ++i) {
    taskloops();
    loops();
    copyprivate();
    CHECK(alive == 0);
  }
}
