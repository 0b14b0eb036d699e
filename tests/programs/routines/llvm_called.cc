// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points that only some compilers of LLVM's and Intel's call, called by hand, in programs of
// GCC as well: barriers that the first thread leaves alone, copyprivate whose program copies,
// locks, allocators, num_threads with a list, threadprivate without a cache and of arrays, tasks
// that somebody else completes, task reductions of before LLVM 11, atomic operands of any size.
// xomp-test: threads=1,4 barriers=tree schedulers=auto,slb compilers=gcc,clang libs=lib/libxomp.so
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "process.h"

extern "C" {
int32_t __kmpc_cancel(void*, int32_t, int32_t);
int32_t __kmpc_global_thread_num(void*);
int32_t __kmpc_barrier_master(void*, int32_t);
void __kmpc_end_barrier_master(void*, int32_t);
int32_t __kmpc_barrier_master_nowait(void*, int32_t);
void* __kmpc_copyprivate_light(void*, int32_t, void*);
int32_t __kmpc_single(void*, int32_t);
void __kmpc_end_single(void*, int32_t);
void __kmpc_init_lock(void*, int32_t, void*);
void __kmpc_init_lock_with_hint(void*, int32_t, void*, uintptr_t);
void __kmpc_destroy_lock(void*, int32_t, void*);
void __kmpc_set_lock(void*, int32_t, void*);
void __kmpc_unset_lock(void*, int32_t, void*);
int __kmpc_test_lock(void*, int32_t, void*);
void __kmpc_init_nest_lock(void*, int32_t, void*);
void __kmpc_init_nest_lock_with_hint(void*, int32_t, void*, uintptr_t);
void __kmpc_destroy_nest_lock(void*, int32_t, void*);
void __kmpc_set_nest_lock(void*, int32_t, void*);
void __kmpc_unset_nest_lock(void*, int32_t, void*);
int __kmpc_test_nest_lock(void*, int32_t, void*);
void* __kmpc_calloc(int32_t, size_t, size_t, uintptr_t);
void* __kmpc_realloc(int32_t, void*, size_t, uintptr_t, uintptr_t);
void __kmpc_free(int32_t, void*, uintptr_t);
uintptr_t __kmpc_init_allocator(int32_t, uintptr_t, int, const void*);
void __kmpc_destroy_allocator(int32_t, uintptr_t);
void __kmpc_set_default_allocator(int32_t, uintptr_t);
uintptr_t __kmpc_get_default_allocator(int32_t);
void __kmpc_push_num_threads_list(void*, int32_t, uint32_t, const int32_t*);
void __kmpc_push_num_threads_strict(void*, int32_t, int32_t, int32_t, const char*);
void __kmpc_fork_call(void*, int32_t, void (*)(int32_t*, int32_t*, ...), ...);
void* __kmpc_threadprivate(void*, int32_t, void*, size_t);
void __kmpc_threadprivate_register_vec(void*, void*, void* (*)(void*, size_t),
                                       void* (*)(void*, void*, size_t), void (*)(void*, size_t),
                                       size_t);
struct Task {
  void* shared;
  int32_t (*entry)(int32_t, Task*);
  int32_t part;
  void* destructors;
  void* second;
  void* variables[2];
};
Task* __kmpc_omp_task_alloc(void*, int32_t, int32_t, size_t, size_t, int32_t (*)(int32_t, Task*));
int32_t __kmpc_omp_task(void*, int32_t, Task*);
int32_t __kmpc_omp_task_parts(void*, int32_t, Task*);
struct DependInfo {
  uintptr_t address;
  size_t length;
  uint8_t flags;
};
int32_t __kmpc_omp_task_with_deps(void*, int32_t, Task*, int32_t, const DependInfo*, int32_t,
                                  const DependInfo*);
int32_t __kmpc_omp_taskwait(void*, int32_t);
void __kmpc_proxy_task_completed(int32_t, Task*);
void __kmpc_proxy_task_completed_ooo(Task*);
void __kmpc_taskgroup(void*, int32_t);
void __kmpc_end_taskgroup(void*, int32_t);
void* __kmpc_task_reduction_init(int32_t, int32_t, void*);
void* __kmpc_task_reduction_modifier_init(void*, int32_t, int32_t, int32_t, void*);
void __kmpc_task_reduction_modifier_fini(void*, int32_t, int32_t);
void* __kmpc_task_reduction_get_th_data(int32_t, void*, void*);
void kmp_create_affinity_mask(void**);
void kmp_destroy_affinity_mask(void**);
int kmp_set_affinity(void**);
int kmp_get_affinity(void**);
int kmp_get_affinity_max_proc(void);
int kmp_set_affinity_mask_proc(int, void**);
int kmp_unset_affinity_mask_proc(int, void**);
int kmp_get_affinity_mask_proc(int, void**);
int kmp_get_affinity_mask_proc_(const int*, void**);
int kmpc_set_affinity_mask_proc(int, void**);
int kmp_get_blocktime(void);
int kmp_get_blocktime_(void);
void kmp_set_blocktime(int);
void kmp_set_blocktime_(const int*);
size_t kmp_get_stacksize_s(void);
int kmp_get_stacksize(void);
void kmp_set_stacksize_s(size_t);
void kmp_set_defaults(const char*);
void kmp_set_defaults_(const char*, size_t);
void kmp_set_library_serial(void);
void kmp_set_library_throughput(void);
int kmp_get_library(void);
int kmp_get_num_known_threads(void);
int kmp_get_cancellation_status(int);
void* kmp_malloc_(const size_t*);
void* kmp_realloc_(void**, const size_t*);
void kmp_free_(void**);
void ompc_set_num_threads(int);
extern const uintptr_t omp_high_bw_mem_alloc_[] __asm__("omp_high_bw_mem_alloc");
int32_t __kmpc_get_target_offload(void);
int32_t __kmpc_pause_resource(int32_t);
}

namespace {

void barriers() {
  int rounds = 0;
#pragma omp parallel
  for (int i = 1; i <= 20; ++i) {
    if (__kmpc_barrier_master(nullptr, 0)) {
      CHECK(omp_get_thread_num() == 0);
      rounds = i;
      __kmpc_end_barrier_master(nullptr, 0);
    }
    CHECK(rounds == i);
    CHECK(__kmpc_barrier_master_nowait(nullptr, 0) == (omp_get_thread_num() == 0));
  }
}

void copies() {
#pragma omp parallel
  for (int i = 0; i < 20; ++i) {
    int mine = 0;
    int executes = __kmpc_single(nullptr, 0);
    if (executes) {
      mine = 100 + i;
      __kmpc_end_single(nullptr, 0);
    }
    auto* lent =
        static_cast<int*>(__kmpc_copyprivate_light(nullptr, 0, executes ? &mine : nullptr));
    if (!executes)
      mine = *lent;
#pragma omp barrier
    CHECK(mine == 100 + i);
  }
}

/// In a region that another thread has cancelled nothing may be there to be copied: the process
/// ends with a message.
int copy_in_cancelled_region() {
#pragma omp parallel num_threads(3)
  {
    int mine = 0, executes = __kmpc_single(nullptr, 0);
    if (executes)
      __kmpc_cancel(nullptr, 0, 1);
    auto* lent =
        static_cast<int*>(__kmpc_copyprivate_light(nullptr, 0, executes ? &mine : nullptr));
    mine = *lent;
  }
  return 0;
}

void locks() {
  void *lock, *hinted, *nest, *nest_hinted;
  __kmpc_init_lock(nullptr, 0, &lock);
  __kmpc_init_lock_with_hint(nullptr, 0, &hinted, 1);
  __kmpc_init_nest_lock(nullptr, 0, &nest);
  __kmpc_init_nest_lock_with_hint(nullptr, 0, &nest_hinted, 2);
  int sum = 0, nested = 0;
#pragma omp parallel
  for (int i = 0; i < 50; ++i) {
    __kmpc_set_lock(nullptr, 0, &lock);
    sum++;
    __kmpc_unset_lock(nullptr, 0, &lock);
    while (!__kmpc_test_lock(nullptr, 0, &lock))
      ;
    sum++;
    __kmpc_unset_lock(nullptr, 0, &lock);
    __kmpc_set_nest_lock(nullptr, 0, &nest);
    CHECK(__kmpc_test_nest_lock(nullptr, 0, &nest) == 2);
    nested++;
    __kmpc_unset_nest_lock(nullptr, 0, &nest);
    __kmpc_unset_nest_lock(nullptr, 0, &nest);
  }
  CHECK(sum == 2 * nested && nested % 50 == 0 && nested > 0);
  // The same locks that omp_set_lock takes.
  __kmpc_set_lock(nullptr, 0, &hinted);
  CHECK(!omp_test_lock(reinterpret_cast<omp_lock_t*>(&hinted)));
  __kmpc_unset_lock(nullptr, 0, &hinted);
  CHECK(omp_test_lock(reinterpret_cast<omp_lock_t*>(&hinted)));
  __kmpc_destroy_lock(nullptr, 0, &lock);
  __kmpc_destroy_lock(nullptr, 0, &hinted);
  __kmpc_destroy_nest_lock(nullptr, 0, &nest);
  __kmpc_destroy_nest_lock(nullptr, 0, &nest_hinted);
}

void allocators() {
  struct {
    int key;
    uintptr_t value;
  } alignment = {2, 256};
  uintptr_t aligned = __kmpc_init_allocator(0, 0, 1, &alignment);
  CHECK(aligned != 0);
  auto* memory = static_cast<char*>(__kmpc_calloc(0, 10, 10, aligned));
  CHECK(reinterpret_cast<uintptr_t>(memory) % 256 == 0 && memory[99] == 0);
  memory[99] = 1;
  memory = static_cast<char*>(__kmpc_realloc(0, memory, 1000, aligned, aligned));
  CHECK(reinterpret_cast<uintptr_t>(memory) % 256 == 0 && memory[99] == 1);
  __kmpc_free(0, memory, aligned);
  uintptr_t before = __kmpc_get_default_allocator(0);
  __kmpc_set_default_allocator(0, aligned);
  CHECK(__kmpc_get_default_allocator(0) == aligned);
  __kmpc_set_default_allocator(0, before);
  __kmpc_destroy_allocator(0, aligned);
}

int inside, around;

void nested_body(int32_t*, int32_t*, ...) {
#pragma omp single
  around = omp_get_num_threads();
#pragma omp masked
  {
#pragma omp parallel
#pragma omp masked
    inside = omp_get_num_threads();
  }
}

void numbers_of_threads() {
  int before = omp_get_max_threads();
  omp_set_max_active_levels(3);
  int32_t list[] = {2, 3};
  __kmpc_push_num_threads_list(nullptr, 0, 2, list);
  __kmpc_fork_call(nullptr, 0, nested_body);
  CHECK(around == 2 && inside == 3 && omp_get_max_threads() == before);
  __kmpc_push_num_threads_strict(nullptr, 0, 3, 2, "must not be printed");
  __kmpc_fork_call(nullptr, 0, nested_body);
  CHECK(around == 3 && inside == before);
  __kmpc_fork_call(nullptr, 0, nested_body); // the clause is forgotten
  CHECK(around == before);
}

int plain = 7, array[3] = {1, 2, 3}, ended;

void threadprivate() {
  __kmpc_threadprivate_register_vec(
      nullptr, array, nullptr,
      [](void* copy, void* original, size_t elements) -> void* {
        CHECK(elements == 3);
        memcpy(copy, original, sizeof array);
        static_cast<int*>(copy)[2] = 33;
        return copy;
      },
      [](void*, size_t elements) { __atomic_fetch_add(&ended, int(elements), __ATOMIC_SEQ_CST); },
      3);
  __kmpc_threadprivate(nullptr, 0, &plain, sizeof plain);
  __kmpc_threadprivate(nullptr, 0, array, sizeof array);
#pragma omp parallel
  {
    auto* own = static_cast<int*>(__kmpc_threadprivate(nullptr, 0, &plain, sizeof plain));
    auto* copy = static_cast<int*>(__kmpc_threadprivate(nullptr, 0, array, sizeof array));
    CHECK(*own == 7 && copy[1] == 2 && copy[2] == (omp_get_thread_num() ? 33 : 3));
    *own = 100 + omp_get_thread_num();
#pragma omp barrier
    own = static_cast<int*>(__kmpc_threadprivate(nullptr, 0, &plain, sizeof plain));
    CHECK(*own == 100 + omp_get_thread_num());
    *own = 7;
  }
  pthread_t thread;
  pthread_create(
      &thread, nullptr, [](void*) { return __kmpc_threadprivate(nullptr, 0, array, sizeof array); },
      nullptr);
  pthread_join(thread, nullptr);
  CHECK(ended == 3);
}

constexpr int kTied = 1, kProxy = 1 << 4;

Task* task_of(int flags, int32_t (*entry)(int32_t, Task*), void* first, void* second = nullptr) {
  Task* task = __kmpc_omp_task_alloc(nullptr, 0, flags, sizeof(Task), 0, entry);
  task->variables[0] = first;
  task->variables[1] = second;
  return task;
}

Task* begun; // a proxy whose body has run
int completed;

int32_t begin_proxy(int32_t, Task* task) {
  __atomic_store_n(&begun, task, __ATOMIC_RELEASE);
  return 0;
}

void* complete(void*) {
  Task* task;
  while (!(task = __atomic_load_n(&begun, __ATOMIC_ACQUIRE)))
    usleep(100);
  __atomic_store_n(&completed, 1, __ATOMIC_RELAXED);
  __kmpc_proxy_task_completed_ooo(task);
  return nullptr;
}

/// omp_all_memory as an address, and a task without a body, which is `taskwait depend nowait`.
void dependences() {
  int variables[2] = {}, seen = 0, ended = 0;
  auto write = [](int32_t, Task* task) -> int32_t {
    usleep(5000);
    __atomic_store_n(static_cast<int*>(task->variables[0]), 1, __ATOMIC_RELAXED);
    return 0;
  };
  auto add = [](int32_t, Task* task) -> int32_t {
    auto* variables = static_cast<int*>(task->variables[0]);
    *static_cast<int*>(task->variables[1]) = __atomic_load_n(&variables[0], __ATOMIC_RELAXED) +
                                             __atomic_load_n(&variables[1], __ATOMIC_RELAXED);
    return 0;
  };
  constexpr uint8_t kIn = 1, kOut = 2;
  DependInfo first{reinterpret_cast<uintptr_t>(&variables[0]), 0, kOut};
  DependInfo second{reinterpret_cast<uintptr_t>(&variables[1]), 0, kOut};
  DependInfo all{UINTPTR_MAX, 0, kOut};
  DependInfo read{first.address, 0, kIn};
#pragma omp parallel
#pragma omp single
  {
    auto create = [](Task* task, const DependInfo& depend) {
      __kmpc_omp_task_with_deps(nullptr, 0, task, 1, &depend, 0, nullptr);
    };
    create(task_of(kTied, write, &variables[0]), first);
    create(task_of(kTied, write, &variables[1]), second);
    create(task_of(kTied, add, variables, &seen), all);
    create(task_of(kTied, nullptr, nullptr), read);
    create(task_of(kTied, add, variables, &ended), first);
  }
  CHECK(seen == 2 && ended == 2);
}

void proxies() {
  pthread_t thread;
  pthread_create(&thread, nullptr, complete, nullptr);
#pragma omp parallel
#pragma omp single
  {
    __kmpc_omp_task(nullptr, 0, task_of(kTied | kProxy, begin_proxy, nullptr));
    __kmpc_omp_taskwait(nullptr, 0);
    CHECK(__atomic_load_n(&completed, __ATOMIC_RELAXED) == 1);
    // Completed before its body is through.
    auto at_once = [](int32_t, Task* task) -> int32_t {
      __kmpc_proxy_task_completed(0, task);
      ++*static_cast<int*>(task->variables[0]);
      return 0;
    };
    int done = 0;
    __kmpc_omp_task(nullptr, 0, task_of(kTied | kProxy, at_once, &done));
    __kmpc_omp_taskwait(nullptr, 0);
    CHECK(done == 1);
    auto parts = [](int32_t, Task* task) -> int32_t {
      if (task->part++ < 3)
        __kmpc_omp_task_parts(nullptr, 0, task);
      ++*static_cast<int*>(task->variables[0]);
      return 0;
    };
    __kmpc_omp_task_parts(nullptr, 0, task_of(0, parts, &done));
    __kmpc_omp_taskwait(nullptr, 0);
    CHECK(done == 5);
  }
  pthread_join(thread, nullptr);
}

struct OldReduction {
  void* shared;
  size_t size;
  void (*init)(void*);
  void (*end)(void*);
  void (*combine)(void*, void*);
  uint32_t flags;
};

OldReduction sum_into(long* sum) {
  return {sum,
          sizeof(long),
          [](void* copy) { *static_cast<long*>(copy) = 0; },
          nullptr,
          [](void* to, void* from) { *static_cast<long*>(to) += *static_cast<long*>(from); },
          0};
}

int32_t add_task(int32_t, Task* task) {
  *static_cast<long*>(
      __kmpc_task_reduction_get_th_data(0, task->variables[0], task->variables[1])) += 1;
  return 0;
}

void reductions() {
  long sum = 1000;
#pragma omp parallel
#pragma omp single
  {
    __kmpc_taskgroup(nullptr, 0);
    OldReduction item = sum_into(&sum);
    void* group = __kmpc_task_reduction_init(0, 1, &item);
    for (int i = 0; i < 100; ++i)
      __kmpc_omp_task(nullptr, 0, task_of(kTied, add_task, group, &sum));
    __kmpc_end_taskgroup(nullptr, 0);
    CHECK(sum == 1100);
  }
  long all = 0;
  int threads = 0;
#pragma omp parallel reduction(+ : all)
  {
#pragma omp single
    threads = omp_get_num_threads();
    long own = 0;
    OldReduction item = sum_into(&own);
    void* group = __kmpc_task_reduction_modifier_init(nullptr, 0, 0, 1, &item);
    for (int i = 0; i < 10; ++i)
      __kmpc_omp_task(nullptr, 0, task_of(kTied, add_task, group, &own));
    __kmpc_task_reduction_modifier_fini(nullptr, 0, 0);
    all += own;
  }
  CHECK(all == 10 * threads);
}

void affinity() {
  void *mask, *before;
  kmp_create_affinity_mask(&mask);
  kmp_create_affinity_mask(&before);
  CHECK(kmp_get_affinity(&before) == 0);
  int processor = 0, most = kmp_get_affinity_max_proc();
  while (kmp_get_affinity_mask_proc(processor, &before) != 1)
    ++processor;
  CHECK(processor < most && kmp_get_affinity_mask_proc_(&processor, &before) == 1);
  CHECK(kmp_get_affinity_mask_proc(processor, &mask) == 0);
  CHECK(kmp_set_affinity_mask_proc(most, &mask) == -1 &&
        kmp_set_affinity_mask_proc(-1, &mask) == -1);
  CHECK(kmpc_set_affinity_mask_proc(processor, &mask) == 0);
  CHECK(kmp_set_affinity(&mask) == 0 && sched_getcpu() == processor);
  CHECK(kmp_unset_affinity_mask_proc(processor, &mask) == 0);
  CHECK(kmp_get_affinity_mask_proc(processor, &mask) == 0);
  CHECK(kmp_set_affinity(&before) == 0);
  kmp_destroy_affinity_mask(&mask);
  kmp_destroy_affinity_mask(&before);
}

void routines() {
  CHECK(kmp_get_blocktime() == 200 && kmp_get_blocktime_() == 200);
  int time = 3;
  kmp_set_blocktime_(&time);
  CHECK(kmp_get_blocktime() == 3);
  kmp_set_blocktime(0); // threads sleep at once
#pragma omp parallel
  CHECK(kmp_get_blocktime() == 0);
  kmp_set_stacksize_s(1 << 20);
  CHECK(kmp_get_stacksize_s() == 1 << 20 && kmp_get_stacksize() == 1 << 20);
  int threads = omp_get_max_threads();
  kmp_set_library_serial();
  CHECK(kmp_get_library() == 1 && omp_get_max_threads() == 1);
#pragma omp parallel num_threads(4)
  CHECK(omp_get_num_threads() == 1);
  kmp_set_library_throughput();
  CHECK(kmp_get_library() == 3 && omp_get_max_threads() == threads);
  ompc_set_num_threads(7);
  CHECK(omp_get_max_threads() == 7);
  kmp_set_defaults("KMP_BLOCKTIME=6|OMP_SCHEDULE=guided");
  CHECK(kmp_get_blocktime() == 6 && omp_get_max_threads() == 7);
  kmp_set_defaults_("OMP_NUM_THREADS=5|KMP_LIBRARY=serial", 17);
  CHECK(omp_get_max_threads() == 5 && kmp_get_library() == 3);
#pragma omp parallel
  CHECK(omp_get_num_threads() == 5);
  kmp_set_defaults("KMP_LIBRARY=serial");
  CHECK(omp_get_max_threads() == 1);
  kmp_set_library_throughput();
  ompc_set_num_threads(threads);
  CHECK(kmp_get_num_known_threads() >= 1 && kmp_get_cancellation_status(1) == 0);
  size_t small = 10, large = 5000;
  void* memory = kmp_malloc_(&small);
  memset(memory, 7, small);
  memory = kmp_realloc_(&memory, &large);
  CHECK(static_cast<char*>(memory)[9] == 7);
  kmp_free_(&memory);
  CHECK(omp_high_bw_mem_alloc_[0] == 4);
}

} // namespace

// The compiler has functions of these names.
extern "C" {
void load_any(size_t, void*, void*, int) __asm__("__atomic_load");
void store_any(size_t, void*, void*, int) __asm__("__atomic_store");
bool exchange_any(size_t, void*, void*, void*, int, int) __asm__("__atomic_compare_exchange");
}

/// Counted up by all, in the first word and the last; one that was torn would differ in them.
template <size_t kSize> void counted() {
  constexpr int kEach = 2000;
  struct {
    char bytes[kSize];
  } shared, zero = {};
  int team = 0;
  store_any(kSize, &shared, &zero, __ATOMIC_SEQ_CST);
#pragma omp parallel
  {
#pragma omp single
    team = omp_get_num_threads();
    for (int i = 0; i < kEach; ++i) {
      auto old = zero, next = zero;
      load_any(kSize, &shared, &old, __ATOMIC_SEQ_CST);
      do {
        CHECK(old.bytes[0] == old.bytes[kSize - 1]);
        next = old;
        ++next.bytes[0];
        next.bytes[kSize - 1] = next.bytes[0];
      } while (!exchange_any(kSize, &shared, &old, &next, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    }
  }
  CHECK(shared.bytes[0] == static_cast<char>(kEach * team));
}

int main(int count, char**) {
  if (count > 1)
    return copy_in_cancelled_region();
  outcome lost = run_self("copy", "OMP_CANCELLATION=true", nullptr);
  CHECK(WIFEXITED(lost.status) && WEXITSTATUS(lost.status) == 1);
  CHECK(strstr(lost.output, "copyprivate"));
  counted<1>();
  counted<3>();
  counted<8>();
  counted<16>();
  counted<24>();
  __kmpc_global_thread_num(nullptr);
  affinity();
  routines();
  barriers();
  copies();
  locks();
  allocators();
  numbers_of_threads();
  threadprivate();
  dependences();
  proxies();
  reductions();
  CHECK(__kmpc_get_target_offload() == 1);
  CHECK(__kmpc_pause_resource(1) == 0);
#pragma omp parallel
  CHECK(omp_in_parallel() == (omp_get_num_threads() > 1));
}
