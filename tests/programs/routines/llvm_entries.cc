// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What binaries of clang, flang and Intel's compilers call, and no other program of these tests:
// the same region with many variables, static and dynamic loops of every type, up and down, in a
// league; untied tasks, tasks that are not deferred, with events too, taskloops whose variables
// have constructors, task reductions, doacross loops with bounds that are not reached; and, called
// by hand, the entry points of other compilers.
// xomp-test: threads=1,2,4,8 schedulers=auto,slb,na-ws compilers=clang libs=-lm
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "check.h"

extern "C" {
int32_t __kmpc_global_thread_num(void*);
int32_t __kmpc_bound_thread_num(void*);
int32_t __kmpc_bound_num_threads(void*);
int32_t __kmpc_in_parallel(void*);
void __kmpc_fork_call_if(void*, int32_t, void (*)(int32_t*, int32_t*, void*), int32_t, void*);
void __kmpc_sections_init(void*, int32_t, int32_t);
int32_t __kmpc_next_section(void*, int32_t, int32_t);
void __kmpc_end_sections(void*, int32_t);
void* __kmpc_threadprivate_cached(void*, int32_t, void*, size_t, void***);
void __kmpc_dist_dispatch_init_4(void*, int32_t, int32_t, int32_t*, int32_t, int32_t, int32_t,
                                 int32_t);
void __kmpc_dispatch_init_4(void*, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t);
int32_t __kmpc_dispatch_next_4(void*, int32_t, int32_t*, int32_t*, int32_t*, int32_t*);
void __kmpc_team_static_init_4(void*, int32_t, int32_t*, int32_t*, int32_t*, int32_t*, int32_t,
                               int32_t);
void* kmp_malloc(size_t);
void* kmp_calloc(size_t, size_t);
void* kmp_realloc(void*, size_t);
void* kmp_aligned_malloc(size_t, size_t);
void kmp_free(void*);
void kmp_set_blocktime(int);
int kmp_get_blocktime(void);
}

namespace {

std::atomic<bool> fulfilled;

template <class T, class Loop> void expect_each_once(T first, T past, T step, Loop loop) {
  static int hits[1000];
  memset(hits, 0, sizeof hits);
  loop([&](T i) {
    auto number = static_cast<size_t>((i - first) / step);
#pragma omp atomic
    hits[number]++;
  });
  auto trips = static_cast<size_t>((past - first) / step);
  for (size_t i = 0; i < 1000; ++i)
    CHECK(hits[i] == (i < trips));
}

template <class T> void loops(T first, T past, T step) {
  expect_each_once(first, past, step, [&](auto touch) {
#pragma omp parallel for
    for (T i = first; i < past; i += step)
      touch(i);
  });
  expect_each_once(first, past, step, [&](auto touch) {
#pragma omp parallel for schedule(static, 7)
    for (T i = first; i < past; i += step)
      touch(i);
  });
  expect_each_once(first, past, step, [&](auto touch) {
#pragma omp parallel for schedule(dynamic, 3)
    for (T i = first; i < past; i += step)
      touch(i);
  });
  expect_each_once(first, past, step, [&](auto touch) {
#pragma omp parallel for schedule(monotonic : guided)
    for (T i = first; i < past; i += step)
      touch(i);
  });
  expect_each_once(first, past, step, [&](auto touch) {
#pragma omp parallel for simd schedule(simd : static, 4)
    for (T i = first; i < past; i += step)
      touch(i);
  });
  expect_each_once(first, past, step, [&](auto touch) {
#pragma omp teams distribute parallel for num_teams(3)
    for (T i = first; i < past; i += step)
      touch(i);
  });
  expect_each_once(first, past, step, [&](auto touch) {
#pragma omp teams distribute parallel for num_teams(3) dist_schedule(static, 5) schedule(dynamic)
    for (T i = first; i < past; i += step)
      touch(i);
  });
  T seen = 0;
#pragma omp parallel for lastprivate(seen)
  for (T i = first; i < past; i += step)
    seen = i;
  CHECK(seen == first + (past - first - 1) / step * step);
}

void downwards() {
  int sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (long i = 100; i > 0; i -= 3)
    sum += static_cast<int>(i);
  CHECK(sum == 34 * 101 / 2);
  int runs = 0;
#pragma omp parallel for reduction(+ : runs)
  for (unsigned i = 5; i < 5; ++i)
    runs++;
  CHECK(runs == 0);
}

void many_variables() {
  int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10, k = 11, l = 12;
  int m = 13, n = 14, o = 15, p = 16, q = 17, r = 18, s = 19, t = 20;
  int sum = 0;
#pragma omp parallel num_threads(3)
  {
#pragma omp atomic
    sum += a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r + s + t;
#pragma omp barrier
#pragma omp masked filter(0)
    CHECK(sum == 210 * omp_get_num_threads());
  }
}

/// Knows where it is, and how many there are: what is moved as bytes is found out.
struct Placed {
  static int alive;
  const Placed* here = this;
  int value;
  explicit Placed(int value) : value(value) { count(1); }
  Placed(const Placed& other) : value(other.value) {
    CHECK(other.here == &other);
    count(1);
  }
  ~Placed() {
    CHECK(here == this);
    count(-1);
  }
  static void count(int by) {
#pragma omp atomic
    alive += by;
  }
};
int Placed::alive = 0;

int fibonacci(int n) {
  if (n < 2)
    return n;
  int a, b;
#pragma omp task shared(a) if (n > 4)
  a = fibonacci(n - 1);
#pragma omp task shared(b) final(n < 6) mergeable
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

void tasks() {
  int sum = 0, parts = 0, result = 0;
  {
    Placed placed(5);
#pragma omp parallel
#pragma omp single
    {
      for (int i = 0; i < 300; ++i) {
#pragma omp task firstprivate(placed) shared(sum)
        {
          CHECK(placed.here == &placed);
#pragma omp atomic
          sum += placed.value;
        }
      }
#pragma omp taskloop firstprivate(placed) grainsize(3) shared(sum)
      for (int i = 0; i < 100; ++i) {
        CHECK(placed.here == &placed);
#pragma omp atomic
        sum += placed.value;
      }
#pragma omp taskloop num_tasks(7) lastprivate(parts)
      for (unsigned long i = 0; i < 50; ++i)
        parts = static_cast<int>(i);
#pragma omp task untied shared(result)
      {
        for (int i = 0; i < 10; ++i) {
#pragma omp task shared(result)
          {
#pragma omp atomic
            result++;
          }
#pragma omp taskyield
        }
#pragma omp taskwait
        CHECK(result == 10);
      }
    }
  }
  CHECK(sum == 400 * 5 && parts == 49 && result == 10);
  CHECK(Placed::alive == 0);
#pragma omp parallel
#pragma omp single
  result = fibonacci(16);
  CHECK(result == 987);
}

void dependences() {
  int x = 0, order = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x) shared(x)
    x = 1;
    for (int i = 0; i < 20; ++i) {
#pragma omp task depend(inoutset : x) shared(x, order)
      {
        CHECK(x == 1);
#pragma omp atomic
        order++;
      }
    }
#pragma omp task depend(inout : x) shared(x, order) priority(2)
    {
      CHECK(order == 20);
      x = 2;
    }
#pragma omp taskwait depend(in : x)
    CHECK(x == 2);
#pragma omp task depend(inout : omp_all_memory) shared(x)
    x++;
#pragma omp task depend(in : x) if (0) shared(x)
    CHECK(x == 3);
  }
}

void* fulfill_soon(void* event) {
  usleep(2000);
  fulfilled.store(true);
  omp_fulfill_event(*static_cast<omp_event_handle_t*>(event));
  return nullptr;
}

/// A task with if(0) is over when its event is fulfilled, by whom and when ever; its creator waits
/// for that in a taskwait.
void undeferred_events() {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 3; ++i) {
    pthread_t thread;
    fulfilled.store(false);
    omp_event_handle_t event = {};
#pragma omp task if (0) detach(event) shared(thread)
    {
      pthread_create(&thread, nullptr, fulfill_soon, &event);
      if (i == 1)
        usleep(20'000); // before the body is through
    }
#pragma omp taskwait
    CHECK(fulfilled.load());
    pthread_join(thread, nullptr);
#pragma omp task if (0) detach(event)
    omp_fulfill_event(event);
  }
}

void task_reductions() {
  long sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 1; i <= 100; ++i) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
    sum += i;
  }
  CHECK(sum == 5050);
#pragma omp parallel reduction(task, + : sum)
  {
#pragma omp task in_reduction(+ : sum)
    sum += 1000;
  }
  CHECK(sum >= 6050 && (sum - 5050) % 1000 == 0);
  long product = 1;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(* : product)
  for (int i = 0; i < 20; ++i)
    product *= 2;
  CHECK(product == 1 << 20);
}

void doacross() {
  static int grid[62][44];
  memset(grid, 0, sizeof grid);
#pragma omp parallel for ordered(2) schedule(runtime)
  for (long i = 60; i > 0; --i)
    for (long j = 1; j <= 40; j += 2) {
#pragma omp ordered depend(sink : i + 1, j) depend(sink : i + 1, j + 2) depend(sink : i, j - 2)
      grid[i][j] = 1 + grid[i + 1][j];
#pragma omp ordered depend(source)
    }
  for (int i = 1; i <= 60; ++i)
    CHECK(grid[i][1] == 61 - i && grid[i][39] == 61 - i);
#pragma omp parallel for ordered(2) collapse(2) schedule(static, 3)
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 8; ++j) {
#pragma omp ordered depend(sink : i, j - 1)
      grid[i][j] = j ? grid[i][j - 1] + 1 : 0;
#pragma omp ordered depend(source)
    }
  for (int i = 0; i < 6; ++i)
    CHECK(grid[i][7] == 7);
  static int line[1000];
  line[0] = 1;
#pragma omp parallel for ordered(1) schedule(simd : static, 8)
  for (int i = 1; i < 1000; ++i) {
#pragma omp ordered depend(sink : i - 1)
    line[i] = line[i - 1] + 1;
#pragma omp ordered depend(source)
  }
  CHECK(line[999] == 1000);
}

/// Whether all chunks of a loop of 103 iterations but the last have `size`.
bool hands_out(int32_t schedule, int32_t vector, int32_t size) {
  bool all = true;
#pragma omp parallel reduction(&& : all)
  {
    int32_t last, low, high, step;
    __kmpc_dispatch_init_4(nullptr, 0, schedule, 0, 102, 1, vector);
    while (__kmpc_dispatch_next_4(nullptr, 0, &last, &low, &high, &step))
      all = all && low % size == 0 && high == std::min(low + size, 103) - 1;
  }
  return all;
}

/// Chunks of whole vectors, which Intel's compilers ask for.
void vectors() {
  enum : int32_t { kBlocks = 45, kRuntime = 47 };
  int threads = omp_get_max_threads();
  int block = (103 + 8 * threads - 1) / (8 * threads) * 8;
  int all = threads == 1 ? 103 : block, some = threads == 1 ? 103 : 24;
  CHECK(hands_out(kBlocks, 8, all));
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  CHECK(hands_out(kRuntime, 8, all));
  omp_set_schedule(omp_sched_static, 3);
  CHECK(hands_out(kRuntime, 8, some));
  omp_set_schedule(omp_sched_dynamic, 3);
  CHECK(hands_out(kRuntime, 8, some));
  omp_set_schedule(kind, chunk);
}

void body_of_if(int32_t* thread, int32_t* bound, void* data) {
  CHECK(*thread == __kmpc_global_thread_num(nullptr));
  CHECK(*bound == omp_get_thread_num() && *bound == __kmpc_bound_thread_num(nullptr));
  CHECK(__kmpc_bound_num_threads(nullptr) == omp_get_num_threads());
  CHECK(__kmpc_in_parallel(nullptr) == (omp_get_num_threads() > 1));
#pragma omp atomic
  ++*static_cast<int*>(data);
}

int shared_by_copies = 7;
void** cache;

void by_hand() {
  int calls = 0;
  __kmpc_fork_call_if(nullptr, 1, body_of_if, 0, &calls);
  CHECK(calls == 1);
  __kmpc_fork_call_if(nullptr, 1, body_of_if, 1, &calls);
  CHECK(calls >= 2);

  int sections[5] = {0};
#pragma omp parallel
  {
    __kmpc_sections_init(nullptr, 0, 5);
    for (int32_t next; (next = __kmpc_next_section(nullptr, 0, 5)) < 5;) {
#pragma omp atomic
      sections[next]++;
    }
    __kmpc_end_sections(nullptr, 0);
  }
  for (int each : sections)
    CHECK(each == 1);

  __kmpc_threadprivate_cached(nullptr, 0, &shared_by_copies, sizeof(int), &cache);
#pragma omp parallel
  {
    auto* own = static_cast<int*>(
        __kmpc_threadprivate_cached(nullptr, 0, &shared_by_copies, sizeof(int), &cache));
    CHECK(*own == 7 && (own == &shared_by_copies) == (omp_get_thread_num() == 0));
    *own = 100 + omp_get_thread_num();
#pragma omp barrier
    CHECK(*own == 100 + omp_get_thread_num());
    *own = 7;
  }

  int hits[100] = {0};
#pragma omp teams num_teams(4)
  {
    int32_t last = 0, low, high, step;
    __kmpc_dist_dispatch_init_4(nullptr, 0, 35, &last, 0, 49, 1, 2);
    while (__kmpc_dispatch_next_4(nullptr, 0, &last, &low, &high, &step))
      for (int32_t i = low; i <= high; i += step)
        hits[i]++;
    low = 50, high = 99;
    __kmpc_team_static_init_4(nullptr, 0, &last, &low, &high, &step, 1, 10);
    for (; low <= 99; low += step, high += step)
      for (int32_t i = low; i <= high && i <= 99; ++i)
        hits[i]++;
  }
  for (int each : hits)
    CHECK(each == 1);

  auto* memory = static_cast<char*>(kmp_malloc(10));
  memory = static_cast<char*>(kmp_realloc(memory, 1000));
  memset(memory, 1, 1000);
  kmp_free(memory);
  memory = static_cast<char*>(kmp_calloc(4, 25));
  CHECK(memory[99] == 0);
  kmp_free(memory);
  void* aligned = kmp_aligned_malloc(100, 256);
  CHECK(reinterpret_cast<uintptr_t>(aligned) % 256 == 0);
  kmp_free(aligned);
  CHECK(!kmp_aligned_malloc(128, 127)); // no power of two
  kmp_set_blocktime(17);
  CHECK(kmp_get_blocktime() == 17);
}

void nested() {
  int sum = 0;
  omp_nest_lock_t lock[2];
  memset(lock, 0x55, sizeof lock);
  omp_init_nest_lock(&lock[0]);
  CHECK(*reinterpret_cast<unsigned char*>(&lock[1]) == 0x55);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
  {
    omp_set_nest_lock(&lock[0]);
    omp_set_nest_lock(&lock[0]);
    sum++;
    omp_unset_nest_lock(&lock[0]);
    omp_unset_nest_lock(&lock[0]);
#pragma omp task shared(sum)
#pragma omp critical(task)
    (void)sum;
  }
  CHECK(sum >= 2);
}

} // namespace

// A task's variables lie where their type wants them, though nobody says what that is.
template <std::size_t kAlign> void aligned_variables() {
  struct alignas(kAlign) Aligned {
    int value;
  } aligned{7};
  int wrong = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 50; ++i)
#pragma omp task firstprivate(aligned) shared(wrong)
      if (reinterpret_cast<uintptr_t>(&aligned) % kAlign != 0 || aligned.value != 7)
#pragma omp atomic
        ++wrong;
#pragma omp taskloop firstprivate(aligned) shared(wrong) grainsize(3)
    for (int i = 0; i < 50; ++i)
      if (reinterpret_cast<uintptr_t>(&aligned) % kAlign != 0 || aligned.value != 7)
#pragma omp atomic
        ++wrong;
  }
  CHECK(wrong == 0);
}

int main() {
  aligned_variables<64>();
  aligned_variables<128>();
  aligned_variables<1024>();
  loops<int>(-17, 403, 3);
  loops<unsigned>(5, 905, 4);
  loops<long>(-500, 400, 1);
  loops<unsigned long>(0, 777, 7);
  downwards();
  many_variables();
  tasks();
  dependences();
  undeferred_events();
  task_reductions();
  doacross();
  vectors();
  nested();
  by_hand();
}
