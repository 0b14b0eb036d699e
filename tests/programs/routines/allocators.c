// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory allocators: traits, pools, fallbacks, the allocate clause, the default allocator.
// xomp-test: threads=1,4 barriers=tree compilers=gcc,clang
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

static int aligned_to(const void* memory, uintptr_t alignment) {
  return (uintptr_t)memory % alignment == 0;
}

static void predefined(void) {
  for (omp_allocator_handle_t handle = omp_default_mem_alloc; handle <= omp_thread_mem_alloc;
       handle++) {
    char* memory = omp_alloc(100, handle);
    CHECK(memory && aligned_to(memory, sizeof(void*)));
    memset(memory, 7, 100);
    memory = omp_realloc(memory, 1000, handle, handle);
    CHECK(memory && memory[99] == 7);
    omp_free(memory, handle);
  }
  CHECK(omp_alloc(0, omp_default_mem_alloc) == NULL);
  omp_free(NULL, omp_default_mem_alloc);
  volatile size_t too_many = SIZE_MAX / 2;
  CHECK(omp_calloc(too_many, 4, omp_default_mem_alloc) == NULL);
}

static void alignment(void) {
  omp_alloctrait_t traits[] = {{omp_atk_alignment, 128}, {omp_atk_sync_hint, omp_atv_private}};
  omp_allocator_handle_t handle = omp_init_allocator(omp_default_mem_space, 2, traits);
  CHECK(handle != omp_null_allocator);
  char* memory = omp_alloc(10, handle);
  CHECK(memory && aligned_to(memory, 128));
  strcpy(memory, "kept");
  memory = omp_realloc(memory, 5000, handle, omp_null_allocator);
  CHECK(memory && aligned_to(memory, 128) && strcmp(memory, "kept") == 0);
  omp_free(memory, omp_null_allocator);
  memory = omp_aligned_calloc(4096, 100, 10, handle);
  CHECK(memory && aligned_to(memory, 4096));
  for (int i = 0; i < 1000; i++)
    CHECK(memory[i] == 0);
  omp_free(memory, handle);
  omp_destroy_allocator(handle);
}

static void bad_traits(void) {
  omp_alloctrait_t not_a_power[] = {{omp_atk_alignment, 24}};
  CHECK(omp_init_allocator(omp_default_mem_space, 1, not_a_power) == omp_null_allocator);
  omp_alloctrait_t bad_value[] = {{omp_atk_fallback, omp_atv_true}};
  CHECK(omp_init_allocator(omp_default_mem_space, 1, bad_value) == omp_null_allocator);
  omp_alloctrait_t bad_key[] = {{(omp_alloctrait_key_t)77, 1}};
  CHECK(omp_init_allocator(omp_default_mem_space, 1, bad_key) == omp_null_allocator);
}

static void pool_and_fallbacks(void) {
  omp_alloctrait_t null_fb[] = {{omp_atk_pool_size, 1024}, {omp_atk_fallback, omp_atv_null_fb}};
  omp_allocator_handle_t small = omp_init_allocator(omp_default_mem_space, 2, null_fb);
  CHECK(omp_alloc(2000, small) == NULL);
  void* first = omp_alloc(600, small);
  CHECK(first && omp_alloc(600, small) == NULL);
  first = omp_realloc(first, 900, small, small);
  CHECK(first && omp_realloc(first, 1100, small, small) == NULL);
  first = omp_realloc(first, 300, small, small);
  void* second = omp_alloc(500, small);
  CHECK(first && second);
  omp_free(first, small);
  omp_free(second, small);
  first = omp_alloc(900, small);
  CHECK(first);
  omp_free(first, small);

  omp_alloctrait_t to_other[] = {
      {omp_atk_pool_size, 512}, {omp_atk_fallback, omp_atv_allocator_fb}, {omp_atk_fb_data, small}};
  omp_allocator_handle_t chain = omp_init_allocator(omp_default_mem_space, 3, to_other);
  first = omp_alloc(800, chain); // from `small`
  CHECK(first && omp_alloc(800, chain) == NULL);
  omp_free(first, chain);
  omp_destroy_allocator(chain);
  omp_destroy_allocator(small);

  omp_alloctrait_t to_default[] = {{omp_atk_pool_size, 16}};
  omp_allocator_handle_t tiny = omp_init_allocator(omp_default_mem_space, 1, to_default);
  first = omp_alloc(100000, tiny);
  CHECK(first);
  omp_free(first, tiny);
  omp_destroy_allocator(tiny);
}

static void allocate_clause(void) {
  omp_alloctrait_t traits[] = {{omp_atk_alignment, 64}};
  omp_allocator_handle_t handle = omp_init_allocator(omp_default_mem_space, 1, traits);
  int variable = 5;
  double sum = 0;
#pragma omp parallel private(variable) reduction(+ : sum) allocate(handle : variable, sum)
  {
    CHECK(aligned_to(&variable, 64));
    variable = omp_get_thread_num();
    sum += variable;
  }
  int threads = omp_get_max_threads();
  CHECK(sum == threads * (threads - 1) / 2.0);
  omp_destroy_allocator(handle);
}

static void default_allocator(void) {
  CHECK(omp_get_default_allocator() == omp_default_mem_alloc);
  omp_alloctrait_t traits[] = {{omp_atk_alignment, 256}};
  omp_allocator_handle_t handle = omp_init_allocator(omp_default_mem_space, 1, traits);
  omp_set_default_allocator(handle);
  CHECK(omp_get_default_allocator() == handle);
#pragma omp parallel
  {
    CHECK(omp_get_default_allocator() == handle);
    void* memory = omp_alloc(10, omp_null_allocator);
    CHECK(memory && aligned_to(memory, 256));
    omp_free(memory, omp_null_allocator);
  }
  omp_set_default_allocator(omp_null_allocator);
  CHECK(omp_get_default_allocator() == omp_default_mem_alloc);
  omp_destroy_allocator(handle);
}

int main(void) {
  predefined();
  alignment();
  bad_traits();
  pool_and_fallbacks();
  allocate_clause();
  default_allocator();
  return 0;
}
