// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's own threads open regions side by side and end. Nothing stays behind: no pool
// threads, and under the address sanitizer no memory, large argument blocks and dependences of
// tasks that a queue still names included. Naive versions: teams belong to nobody when their master
// ends; a worker's memory for tasks is given back without what was allocated apart.
// xomp-test: threads=1,2,4 timeout=120 compilers=gcc,clang
#include <omp.h>

#include <atomic>
#include <thread>
#include <vector>

#include "process.h"

namespace {

struct Large {
  char bytes[5000];
};

std::atomic<long> sum;

void region(int threads) {
  [[maybe_unused]] int cells[4];
#pragma omp parallel num_threads(threads)
#pragma omp single nowait
  for (int i = 0; i < 60; ++i) {
    Large large;
    memset(large.bytes, i, sizeof large.bytes);
#pragma omp task firstprivate(large) depend(inout : cells[i % 4])
    {
      sum += large.bytes[4999];
#pragma omp task
      sum += 1;
    }
#pragma omp task
    sum += 1;
  }
}

void thread_with_regions(int number) {
  omp_set_max_active_levels(2);
  for (int i = 0; i < 4; ++i)
    region(1 + (number + i) % 4);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2) // nested: its threads belong to pool threads
  sum += 1;
#pragma omp task // without a region
  sum += 1;
}

} // namespace

int main() {
  region(4);
  long threads_before = 0, memory_before = 0;
  sum = 0;
  constexpr int kRounds = 20, kThreads = 5;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back(thread_with_regions, i);
    for (auto& thread : threads)
      thread.join();
    if (round == 4) {
      threads_before = thread_count();
      memory_before = resident_kilobytes();
    }
  }
  CHECK(sum == kRounds * kThreads * (4L * (59 * 60 / 2 + 2 * 60) + 4 + 1));
  // The threads of a joined thread's teams have left these, and end by themselves.
  for (int i = 0; i < 100 && thread_count() > threads_before; ++i)
    usleep(10000);
  CHECK(thread_count() <= threads_before);
  fprintf(stderr, "resident: %ld KB, then %ld KB\n", memory_before, resident_kilobytes());
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  CHECK(resident_kilobytes() < memory_before + 4096);
#endif
}
