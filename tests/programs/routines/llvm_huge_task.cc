// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task of more bytes than 32 bits can count, most of them never touched: tasks after it are
// deferred as those before. Naive version: counted whole when it is made, and as what 32 bits hold
// when freed.
// xomp-test: threads=2 barriers=tree compilers=gcc libs=lib/libxomp.so skip=asan,tsan told=0
#include <omp.h>
#include <stdint.h>

#include <atomic>
#include <thread>

#include "check.h"

extern "C" {
int32_t __kmpc_global_thread_num(void*);
void* __kmpc_omp_task_alloc(void*, int32_t, int32_t, size_t, size_t, int32_t (*)(int32_t, void*));
int32_t __kmpc_omp_task(void*, int32_t, void*);
}

namespace {

std::atomic<bool> created_all;
std::atomic<int> run;

int32_t wait_for_creator(int32_t, void*) {
  while (!created_all)
    std::this_thread::yield();
  run++;
  return 0;
}
int32_t count(int32_t, void*) {
  run++;
  return 0;
}

void create(size_t bytes, int32_t (*entry)(int32_t, void*)) {
  int32_t number = __kmpc_global_thread_num(nullptr);
  __kmpc_omp_task(nullptr, number, __kmpc_omp_task_alloc(nullptr, number, 1, bytes, 0, entry));
}

} // namespace

int main() {
  constexpr size_t kHuge = size_t{5} << 30;
  void* memory = malloc(kHuge);
  free(memory);
  if (sizeof(void*) < 8 || !memory)
    return 0; // the system does not give that much
#pragma omp parallel
#pragma omp single
  {
    create(kHuge, count);
#pragma omp taskwait
    create(200000, wait_for_creator); // on top of its creator it would wait for ever
    created_all = true;
#pragma omp taskwait
  }
  CHECK(run == 2);
}
