// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points of GCC 13 to 16, as binaries of those compilers would call them. This program is
// built by a compiler that may not know them, so it looks them up.
// xomp-test: threads=1,4 barriers=tree compilers=gcc,clang
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

#define LOOK_UP(name, result, ...)                                                                 \
  result (*name##_)(__VA_ARGS__) = (result(*)(__VA_ARGS__))dlsym(RTLD_DEFAULT, #name);             \
  CHECK(name##_)

static void devices(void) {
  LOOK_UP(omp_get_mapped_ptr, void*, const void*, int);
  LOOK_UP(omp_target_is_accessible, int, const void*, size_t, int);
  LOOK_UP(omp_target_memcpy_async, int, void*, const void*, size_t, size_t, size_t, int, int, int,
          omp_depend_t*);
  LOOK_UP(omp_target_memset, void*, void*, int, size_t, int);
  LOOK_UP(omp_get_device_from_uid, int, const char*);
  LOOK_UP(omp_get_uid_from_device, const char*, int);
  LOOK_UP(GOMP_target_map_indirect_ptr, void*, void*);
  int value = 1, copy = 0;
  CHECK(omp_get_mapped_ptr_(&value, 0) == &value && !omp_get_mapped_ptr_(&value, 4));
  CHECK(omp_target_is_accessible_(&value, sizeof value, 0));
  CHECK(omp_target_memset_(&copy, 0xff, sizeof copy, 0) == &copy && copy == -1);
  CHECK(omp_get_device_from_uid_(omp_get_uid_from_device_(0)) == 0);
  CHECK(omp_get_device_from_uid_("no such device") == -4);
  CHECK(GOMP_target_map_indirect_ptr_(&value) == &value);
#pragma omp parallel
#pragma omp single
  {
    omp_depend_t object;
#pragma omp depobj(object) depend(in : value)
#pragma omp task depend(out : value) shared(value)
    {
      for (volatile int i = 0; i < 100000; i++)
        ;
      value = 42;
    }
    CHECK(omp_target_memcpy_async_(&copy, &value, sizeof value, 0, 0, 0, 0, 1, &object) == 0);
#pragma omp taskwait
#pragma omp depobj(object) destroy
  }
  CHECK(copy == 42);
}

static void tasks(void) {
  LOOK_UP(omp_in_explicit_task, int, void);
  LOOK_UP(GOMP_taskwait_depend_nowait, void, void**);
  CHECK(!omp_in_explicit_task_());
#pragma omp parallel
  {
    CHECK(!omp_in_explicit_task_());
#pragma omp task
    CHECK(omp_in_explicit_task_());
#pragma omp task if (0)
    CHECK(omp_in_explicit_task_());
  }
  int value = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : value) shared(value)
    value = 1;
    void* depend[] = {(void*)1, (void*)1, &value}; // one address, written
    GOMP_taskwait_depend_nowait_(depend);
#pragma omp task depend(in : value) shared(value)
    CHECK(value == 1);
  }
}

static void numbers(void) {
  LOOK_UP(GOMP_has_masked_thread_num, bool, int);
  LOOK_UP(GOMP_loop_static_worksharing, __complex__ int, void);
  LOOK_UP(GOMP_distribute_static_worksharing, __complex__ int, void);
  LOOK_UP(GOMP_barrier_ext, void, int);
  LOOK_UP(GOMP_barrier_cancel_ext, bool, int);
  LOOK_UP(omp_get_num_threads_dim, int, int);
  LOOK_UP(omp_get_thread_num_dim, int, int);
#pragma omp parallel
  {
    int me = omp_get_thread_num(), all = omp_get_num_threads();
    CHECK(GOMP_has_masked_thread_num_(me) && !GOMP_has_masked_thread_num_(me + 1));
    __complex__ int share = GOMP_loop_static_worksharing_();
    CHECK(__real__ share == all && __imag__ share == me);
    CHECK(omp_get_num_threads_dim_(0) == all && omp_get_num_threads_dim_(1) == 1);
    CHECK(omp_get_thread_num_dim_(0) == me && omp_get_thread_num_dim_(1) == 0);
    GOMP_barrier_ext_(0);
    CHECK(!GOMP_barrier_cancel_ext_(0));
  }
  __complex__ int league = GOMP_distribute_static_worksharing_();
  CHECK(__real__ league == 1 && __imag__ league == 0);
}

static void interop(void) {
  LOOK_UP(GOMP_interop, void, int, int, void***, const int*, const char**, int, void**, int,
          void***, unsigned, void**);
  LOOK_UP(omp_get_num_interop_properties, int, uintptr_t);
  LOOK_UP(omp_get_interop_int, intptr_t, uintptr_t, int, int*);
  LOOK_UP(omp_get_interop_name, const char*, uintptr_t, int);
  LOOK_UP(omp_get_interop_rc_desc, const char*, uintptr_t, int);
  LOOK_UP(omp_control_tool, int, int, int, void*);
  void* object = &object;
  void** objects[] = {&object};
  GOMP_interop_(-1, 1, objects, NULL, NULL, 0, NULL, 0, NULL, 0, NULL);
  CHECK(object == NULL);
  int result = 7;
  CHECK(omp_get_num_interop_properties_(0) == 0);
  CHECK(omp_get_interop_int_(0, -1, &result) == 0 && result == -1);
  CHECK(omp_get_interop_int_(0, 5, &result) == 0 && result == -2);
  CHECK(strcmp(omp_get_interop_name_(0, -3), "vendor") == 0 && !omp_get_interop_name_(0, 1));
  CHECK(omp_get_interop_rc_desc_(0, -6) && !omp_get_interop_rc_desc_(0, -7));
  // omp_control_tool_notool, or what the tool that this program is run under once says.
  CHECK(omp_control_tool_(1, 0, NULL) == (getenv("OMP_TOOL_LIBRARIES") ? 0 : -2));
}

static void allocations(void) {
  LOOK_UP(GOMP_add_alloc, void, void*);
  LOOK_UP(GOMP_is_alloc, bool, void*);
  int some[3];
  for (int i = 0; i < 3; i++)
    GOMP_add_alloc_(&some[i]);
  CHECK(GOMP_is_alloc_(&some[1]) && !GOMP_is_alloc_(&some[1]));
  CHECK(GOMP_is_alloc_(&some[0]) && GOMP_is_alloc_(&some[2]) && !GOMP_is_alloc_(NULL));
}

int main(void) {
  devices();
  tasks();
  numbers();
  interop();
  allocations();
  return 0;
}
