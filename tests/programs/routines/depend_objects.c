// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects of depobj that asynchronous copies wait for: gcc's have an address and a type, clang's
// refer to memory of the runtime. The process has both. The routines are looked up, as neither
// compiler's own runtime need have them.
//
// xomp-test: threads=1,4 barriers=tree compilers=gcc,clang mixed=1
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <unistd.h>

#include "check.h"

#define LOOK_UP(name, result, ...)                                                                 \
  result (*name##_)(__VA_ARGS__) = (result(*)(__VA_ARGS__))dlsym(RTLD_DEFAULT, #name);             \
  CHECK(name##_)

void main_half(void);
void other_half(void);
#ifdef OTHER
#define MINE other_half
#else
#define MINE main_half
#endif

// Without the dependence the task is behind what its creator does, or has hardly begun.
static void set_late(int* variable) {
#pragma omp task depend(out : *variable)
  {
    usleep(2000);
    *variable = 42;
  }
}

void MINE(void) {
  LOOK_UP(omp_target_memcpy_async, int, void*, const void*, size_t, size_t, size_t, int, int, int,
          omp_depend_t*);
  LOOK_UP(omp_target_memcpy_rect_async, int, void*, const void*, size_t, int, const size_t*,
          const size_t*, const size_t*, const size_t*, const size_t*, int, int, int, omp_depend_t*);
  LOOK_UP(omp_target_memset_async, void*, void*, int, size_t, int, int, omp_depend_t*);
  // What follows an object may look like the type in gcc's.
  struct {
    omp_depend_t object;
    size_t next;
  } one = {.next = 1};
#pragma omp parallel
#pragma omp single
  {
    int value = 0, copy = 0;
#pragma omp depobj(one.object) depend(in : value)
    set_late(&value);
    CHECK(omp_target_memcpy_async_(&copy, &value, sizeof value, 0, 0, 0, 0, 1, &one.object) == 0);
    CHECK(copy == 42);
#pragma omp depobj(one.object) destroy

    int first = 0, second = 0;
    omp_depend_t both[2];
#pragma omp depobj(both[0]) depend(in : first)
#pragma omp depobj(both[1]) depend(in : second)
#pragma omp depobj(both[1]) update(out)
    set_late(&first);
    set_late(&second);
    const size_t volume = 1, offset = 0, all = 1;
    CHECK(omp_target_memcpy_rect_async_(&copy, &second, sizeof copy, 1, &volume, &offset, &offset,
                                        &all, &all, 0, 0, 2, both) == 0);
    CHECK(first == 42 && copy == 42);
    set_late(&second);
    CHECK(omp_target_memset_async_(&second, 0, sizeof second, 0, 2, both) == &second);
#pragma omp taskwait
    CHECK(second == 0);
#pragma omp depobj(both[0]) destroy
#pragma omp depobj(both[1]) destroy

#ifdef __clang__ // several items in one object
    int items[3] = {0};
    omp_depend_t many;
#pragma omp depobj(many) depend(iterator(int i = 0 : 3), in : items[i])
    set_late(&items[2]);
    CHECK(omp_target_memcpy_async_(&copy, items, sizeof copy, 0, 0, 0, 0, 1, &many) == 0);
    CHECK(items[2] == 42);
#pragma omp depobj(many) destroy
#endif
  }
}

#ifndef OTHER
int main(void) {
  main_half();
  other_half();
  return 0;
}
#endif
