// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library that uses OpenMP is loaded, used and unloaded many times, also from threads that end.
// Naive version: the runtime is unloaded with it while its threads wait in its code.
// xomp-test: threads=1,2,4 timeout=60 skip=tsan flags=-Wl,--as-needed compilers=gcc,clang
#include <dlfcn.h>
#include <pthread.h>

#include "process.h"

// This file does not refer to the runtime, so that (with --as-needed) the library brings it in.
static void load_and_use(int threads) {
  void* library = dlopen("./lib_uses_openmp.so", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fprintf(stderr, "%s\n", dlerror());
  CHECK(library);
  long (*sum)(int) = (long (*)(int))dlsym(library, "sum_with_tasks");
  CHECK(sum);
  CHECK(sum(threads) == 4950);
  CHECK(dlclose(library) == 0);
}

static void* on_a_thread(void* unused) {
  load_and_use(3);
  return unused;
}

int main(void) {
  for (int round = 0; round < 100; round++) {
    load_and_use(1 + round % 5);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, on_a_thread, NULL) == 0);
    load_and_use(2);
    CHECK(pthread_join(thread, NULL) == 0);
  }
  CHECK(thread_count() < 40);
  return 0;
}
