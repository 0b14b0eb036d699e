// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// threadprivate variables as Intel's classic compilers use them: the program looks into the
// variable's cache itself, by the thread's number, and asks where there is nothing. Threads'
// numbers go beyond what the first cache has room for. Naive version: the cache is a word of the
// runtime's own.
// xomp-test: threads=1,8 barriers=tree compilers=gcc,clang libs=lib/libxomp.so
#include <omp.h>
#include <stdint.h>

#include <atomic>
#include <thread>

#include "check.h"

extern "C" {
int32_t __kmpc_global_thread_num(void*);
void* __kmpc_threadprivate_cached(void*, int32_t, void*, size_t, std::atomic<void**>*);
void __kmpc_threadprivate_register(void*, void*, void* (*construct)(void*),
                                   void* (*copy)(void*, void*), void (*destroy)(void*));
void __kmpc_flush_explicit(void*, int32_t, int32_t);
}

namespace {

struct Variable {
  long values[60];
  std::atomic<void**> cache{nullptr};

  long* own() {
    int32_t number = __kmpc_global_thread_num(nullptr);
    void** copies = cache.load(std::memory_order_relaxed);
    if (copies && copies[number])
      return static_cast<long*>(copies[number]);
    return static_cast<long*>(
        __kmpc_threadprivate_cached(nullptr, number, values, sizeof values, &cache));
  }
};

Variable plain, constructed;
std::atomic<long> ends{0};

void* construct(void* memory) {
  static_cast<long*>(memory)[7] = 1007;
  return memory;
}
void end(void*) { ends++; }

void use(Variable& variable, long value) {
  long* own = variable.own();
  CHECK(own[7] == 1007);
  own[0] = value;
  __kmpc_flush_explicit(nullptr, 5, 0);
#pragma omp barrier
  CHECK(variable.own() == own);
  CHECK(own[0] == value);
#pragma omp barrier
}

} // namespace

int main() {
  plain.values[7] = constructed.values[7] = 1007;
  __kmpc_threadprivate_register(nullptr, constructed.values, construct, nullptr, end);
  for (int round = 0; round < 3; ++round) {
#pragma omp parallel
    {
      use(plain, omp_get_thread_num() + 1);
      use(constructed, omp_get_thread_num() + 100);
    }
  }
  CHECK(plain.values[0] == 1); // the first thread's own
  constexpr int kThreads = 5000;
  long* mine = plain.own();
  for (int i = 0; i < kThreads; ++i) {
    std::thread([i] {
      use(plain, -i);
      use(constructed, -i);
    }).join();
  }
  CHECK(ends == kThreads);
  CHECK(plain.own() == mine);
#pragma omp parallel
  use(plain, omp_get_thread_num() + 1);
}
