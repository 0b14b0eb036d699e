// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of threadprivate variables end with their thread, and their destructors may ask for other
// variables, which the thread has not had so far: of these copies are made, and end as well. Naive
// version: the thread's list of its copies grows while it is walked through.
// xomp-test: threads=1 barriers=tree compilers=clang flags=-fnoopenmp-use-tls
#include <omp.h>

#include <atomic>
#include <thread>

#include "check.h"

namespace {

constexpr int kThreads = 50;
std::atomic<int> made, ended;

template <int number> struct Counted {
  int value = number;
  Counted() { made++; }
  ~Counted() { ended++; }
};
struct Asks {
  int value = 0;
  Asks() { made++; }
  ~Asks();
};

Asks first;
Counted<1> v1;
Counted<2> v2;
Counted<3> v3;
Counted<4> v4;
Counted<5> v5;
Counted<6> v6;
Counted<7> v7;
Counted<8> v8;
Counted<9> v9;
Counted<10> v10;
Counted<11> v11;
Counted<12> v12;
Counted<13> v13;
Counted<14> v14;
Counted<15> v15;
Counted<16> v16;
Counted<17> last;
#pragma omp threadprivate(first, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, \
                              v16, last)

Asks::~Asks() {
  CHECK(last.value == 17);
  ended++;
}

} // namespace

int main() {
  int before = made;
  for (int i = 0; i < kThreads; ++i)
    std::thread([] { first.value++; }).join();
  CHECK(made - before == 2 * kThreads && ended == 2 * kThreads);
}
