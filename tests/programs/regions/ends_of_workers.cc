// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread of the program that opened regions ends, and so do the threads of its teams; these run
// destructors of the program's, which may wait for what whoever joins the first thread does next,
// and may open regions themselves. Naive versions: the end of a thread waits for its workers' ends;
// a worker that ends still takes itself for a member of a team that is gone.
// xomp-test: threads=1,2,4 timeout=60 compilers=gcc,clang
#include <omp.h>
#include <pthread.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "process.h"

namespace {

constexpr int kThreads = 3, kRounds = 50;
std::mutex held;
std::atomic<int> locals, values, sum;
pthread_key_t key;

void region() {
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
  sum++;
}

struct Local {
  bool used = false;
  ~Local() {
    if (!used)
      return;
    region();
    std::lock_guard guard(held);
    locals++;
  }
};
thread_local Local local;

void destroy_value(void*) {
  region();
  std::lock_guard guard(held);
  values++;
}

void use_on_workers(int round) {
#pragma omp parallel num_threads(kThreads)
  {
    if (omp_get_thread_num() != 0) {
      local.used = true;
      CHECK(pthread_setspecific(key, &sum) == 0);
    }
  }
  if (round % 2)
    CHECK(omp_pause_resource(omp_pause_soft, omp_get_initial_device()) == 0);
}

void wait_for(const std::atomic<int>& count, int expected) {
  for (int i = 0; i < 10000 && count < expected; ++i)
    usleep(1000);
  CHECK(count == expected);
}

} // namespace

int main() {
  alarm(40);
  CHECK(pthread_key_create(&key, destroy_value) == 0);
  region();
  sum = 0;
  long threads_before = thread_count();
  for (int round = 0; round < kRounds; ++round) {
    std::lock_guard guard(held);
    std::thread(use_on_workers, round).join();
  }
  constexpr int kWorkers = kRounds * (kThreads - 1);
  wait_for(locals, kWorkers);
  wait_for(values, kWorkers);
  CHECK(sum == 2 * kWorkers);
  for (int i = 0; i < 100 && thread_count() > threads_before; ++i)
    usleep(10000);
  CHECK(thread_count() <= threads_before);
}
