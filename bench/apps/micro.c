// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each construct costs: micro [NAME...] runs all or the named constructs on the current number
// of threads and prints one line of key=value pairs for each. The bodies are empty, so the time is
// the construct's own. A sample repeats the construct until it lasts kLongEnough seconds; the
// median of kSamples is printed. A construct that the runtime lacks has no line.
//   micro --count [NAME...] repeats each construct two fixed numbers of times instead, and tells
// callgrind to write its counts down after each.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

static const double kLongEnough = 0.005;
enum { kSamples = 5, kLoopLength = 1024, kFew = 1000, kMany = 3000 };

// Something that the compiler can neither remove nor move, and that costs nothing.
static inline void body(void) { __asm__ volatile("" ::: "memory"); }

static void parallel(long times) {
  for (long i = 0; i < times; i++) {
#pragma omp parallel
    body();
  }
}

static void for_static(long times) {
#pragma omp parallel
  for (long i = 0; i < times; i++) {
#pragma omp for schedule(static)
    for (int j = 0; j < kLoopLength; j++)
      body();
  }
}

// The dynamic schedules are counted per chunk of one iteration: `times` is the loop's length.
static void for_dynamic(long times) {
#pragma omp parallel for schedule(dynamic)
  for (long i = 0; i < times; i++)
    body();
}

static void for_guided(long times) {
#pragma omp parallel
  for (long i = 0; i < times; i++) {
#pragma omp for schedule(guided)
    for (int j = 0; j < kLoopLength; j++)
      body();
  }
}

static void for_ordered(long times) {
#pragma omp parallel for ordered schedule(dynamic)
  for (long i = 0; i < times; i++) {
#pragma omp ordered
    body();
  }
}

static void sections(long times) {
#pragma omp parallel
  for (long i = 0; i < times; i++) {
#pragma omp sections
    {
      body();
#pragma omp section
      body();
    }
  }
}

static void barrier(long times) {
#pragma omp parallel
  for (long i = 0; i < times; i++) {
#pragma omp barrier
  }
}

static void single(long times) {
#pragma omp parallel
  for (long i = 0; i < times; i++) {
#pragma omp single
    body();
  }
}

static void single_nowait(long times) {
#pragma omp parallel
  for (long i = 0; i < times; i++) {
#pragma omp single nowait
    body();
  }
}

// Every thread enters: the cost counted is that of one thread's entry, contention included.
static void critical(long times) {
#pragma omp parallel
  for (long i = 0; i < times; i++) {
#pragma omp critical
    body();
  }
}

static void lock(long times) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
  for (long i = 0; i < times; i++) {
    omp_set_lock(&lock);
    body();
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
}

static void lock_nested(long times) {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp parallel
  for (long i = 0; i < times; i++) {
    omp_set_nest_lock(&lock);
    body();
    omp_unset_nest_lock(&lock);
  }
  omp_destroy_nest_lock(&lock);
}

static void critical_named(long times) {
#pragma omp parallel
  for (long i = 0; i < times; i++) {
#pragma omp critical(micro)
    body();
  }
}

// Of a type that the processor has no atomic instruction for: the runtime's lock does it.
static void atomic(long times) {
  long double sum = 0;
#pragma omp parallel
  for (long i = 0; i < times; i++) {
#pragma omp atomic
    sum += 1;
  }
}

static void for_reduction(long times) {
  long sum = 0;
#pragma omp parallel
  for (long i = 0; i < times; i++) {
#pragma omp for schedule(static) reduction(+ : sum)
    for (int j = 0; j < kLoopLength; j++)
      sum++;
  }
}

static void reduction(long times) {
  for (long i = 0; i < times; i++) {
    int sum = 0;
#pragma omp parallel reduction(+ : sum)
    sum++;
  }
}

// One producer; the barrier at the end of the region waits for the tasks.
static void task(long times) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < times; i++) {
#pragma omp task
    body();
  }
}

static void task_untied(long times) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < times; i++) {
#pragma omp task untied
    body();
  }
}

static void task_all_produce(long times) {
#pragma omp parallel
  for (long i = 0; i < times; i++) {
#pragma omp task
    body();
  }
}

// A region in which every thread creates one task.
static void parallel_task(long times) {
  for (long i = 0; i < times; i++) {
#pragma omp parallel
    {
#pragma omp task
      body();
    }
  }
}

static void task_if0(long times) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < times; i++) {
#pragma omp task if (0)
    body();
  }
}

static void task_final(long times) {
#pragma omp parallel
#pragma omp single
#pragma omp task final(1)
  for (long i = 0; i < times; i++) {
#pragma omp task
    body();
  }
}

static void task_priority(long times) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < times; i++) {
#pragma omp task priority(1)
    body();
  }
}

static void task_copied(long times) {
  char block[256] = {0};
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < times; i++) {
#pragma omp task firstprivate(block)
    __asm__ volatile("" ::"m"(block) : "memory");
  }
}

static void task_depend_chain(long times) {
  int link = 0;
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < times; i++) {
#pragma omp task depend(inout : link) shared(link)
    body();
  }
  (void)link;
}

// Tasks that depend on nothing that another one writes: what looking that up costs.
static void task_depend_free(long times) {
  static int place[64];
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < times; i++) {
#pragma omp task depend(out : place[i % 64])
    body();
  }
}

static void task_reduction(long times) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  for (long i = 0; i < times; i++) {
#pragma omp task in_reduction(+ : sum)
    sum++;
  }
}

static void taskwait_empty(long times) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < times; i++) {
#pragma omp taskwait
  }
}

static void taskwait_child(long times) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < times; i++) {
#pragma omp task
    body();
#pragma omp taskwait
  }
}

static void taskgroup_child(long times) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < times; i++) {
#pragma omp taskgroup
    {
#pragma omp task
      body();
    }
  }
}

static void taskyield(long times) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < times; i++) {
#pragma omp taskyield
  }
}

// Per task: each taskloop makes kLoopLength of them.
static void taskloop(long times) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < times; i += kLoopLength) {
    long rest = times - i < kLoopLength ? times - i : kLoopLength;
#pragma omp taskloop grainsize(1)
    for (long j = 0; j < rest; j++)
      body();
  }
}

#ifdef __clang__
// `taskgraph`: a region of kGraphTasks tasks, executed each time, and recorded once and replayed,
// by the calls that LLVM's runtime has for it. Counted per region. Weak, as libomp has them only
// where it was built so.
__attribute__((weak)) int __kmpc_start_record_task(void* place, int thread, int flags, int graph);
__attribute__((weak)) void __kmpc_end_record_task(void* place, int thread, int flags, int graph);
int __kmpc_global_thread_num(void* place);

enum { kGraphSide = 8, kGraphTasks = kGraphSide * kGraphSide };

// Each task waits for those above and to the left.
static void create_grid(void) {
  static char cell[kGraphSide + 1][kGraphSide + 1];
  for (int i = 1; i <= kGraphSide; i++)
    for (int j = 1; j <= kGraphSide; j++) {
#pragma omp task depend(in : cell[i - 1][j], cell[i][j - 1]) depend(out : cell[i][j])
      body();
    }
}

static void create_chain(void) {
  static char link;
  for (int i = 0; i < kGraphTasks; i++) {
#pragma omp task depend(inout : link)
    body();
  }
}

static void create_free(void) {
  for (int i = 0; i < kGraphTasks; i++) {
#pragma omp task
    body();
  }
}

static void execute(long times, void (*create)(void)) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < times; i++) {
#pragma omp taskgroup
    create();
  }
}

static void replay(long times, void (*create)(void), int graph) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < times; i++) {
    int thread = __kmpc_global_thread_num(NULL);
    if (__kmpc_start_record_task(NULL, thread, 0, graph))
      create();
    __kmpc_end_record_task(NULL, thread, 0, graph);
  }
}

static void graph_grid(long times) { execute(times, create_grid); }
static void graph_grid_replayed(long times) { replay(times, create_grid, 0); }
static void graph_chain(long times) { execute(times, create_chain); }
static void graph_chain_replayed(long times) { replay(times, create_chain, 1); }
static void graph_free(long times) { execute(times, create_free); }
static void graph_free_replayed(long times) { replay(times, create_free, 2); }

static int replays(void) { return __kmpc_start_record_task && __kmpc_end_record_task; }
#endif

static const struct construct {
  const char* name;
  void (*run)(long times);
  int (*there)(void); // null: on every runtime
} kConstructs[] = {
    {"parallel", parallel},
    {"reduction", reduction},
    {"for_static", for_static},
    {"for_dynamic", for_dynamic},
    {"for_guided", for_guided},
    {"for_ordered", for_ordered},
    {"for_reduction", for_reduction},
    {"sections", sections},
    {"barrier", barrier},
    {"single", single},
    {"single_nowait", single_nowait},
    {"critical", critical},
    {"critical_named", critical_named},
    {"atomic", atomic},
    {"lock", lock},
    {"lock_nested", lock_nested},
    {"task", task},
    {"task_untied", task_untied},
    {"task_all_produce", task_all_produce},
    {"parallel_task", parallel_task},
    {"task_if0", task_if0},
    {"task_final", task_final},
    {"task_priority", task_priority},
    {"task_copied", task_copied},
    {"task_depend_chain", task_depend_chain},
    {"task_depend_free", task_depend_free},
    {"task_reduction", task_reduction},
    {"taskwait_empty", taskwait_empty},
    {"taskwait_child", taskwait_child},
    {"taskgroup_child", taskgroup_child},
    {"taskyield", taskyield},
    {"taskloop", taskloop},
#ifdef __clang__
    {"graph_grid", graph_grid},
    {"graph_grid_replayed", graph_grid_replayed, replays},
    {"graph_chain", graph_chain},
    {"graph_chain_replayed", graph_chain_replayed, replays},
    {"graph_free", graph_free},
    {"graph_free_replayed", graph_free_replayed, replays},
#endif
};

static double timed(const struct construct* construct, long times) {
  double start = omp_get_wtime();
  construct->run(times);
  return omp_get_wtime() - start;
}

static int ascending(const void* left, const void* right) {
  double difference = *(const double*)left - *(const double*)right;
  return (difference > 0) - (difference < 0);
}

// The fastest sample decides whether the repetitions are enough, as a stray one may be slow for
// reasons of its own.
static void measure(const struct construct* construct, int threads) {
  double samples[kSamples];
  long times = 1;
  for (;; times *= 4) {
    for (int i = 0; i < kSamples; i++)
      samples[i] = timed(construct, times);
    qsort(samples, kSamples, sizeof *samples, ascending);
    if (samples[0] >= kLongEnough)
      break;
  }
  printf("micro construct=%s threads=%d times=%ld ns=%.2f\n", construct->name, threads, times,
         samples[kSamples / 2] / times * 1e9);
  fflush(stdout);
}

// The difference of the two counts is the cost of kMany - kFew constructs, without what is done
// once.
static void count(const struct construct* construct) {
#ifdef CALLGRIND_DUMP_STATS_AT
  static const long kTimes[] = {kFew, kMany};
  char label[64];
  construct->run(kFew); // first use: symbols are bound, memory is laid out
  for (int i = 0; i < 2; i++) {
    snprintf(label, sizeof label, "%s %ld", construct->name, kTimes[i]);
    CALLGRIND_ZERO_STATS;
    construct->run(kTimes[i]);
    CALLGRIND_DUMP_STATS_AT(label);
  }
  printf("micro construct=%s ok=1\n", construct->name);
#else
  fprintf(stderr, "micro: %s cannot be counted: built without valgrind/callgrind.h\n",
          construct->name);
  exit(2);
#endif
}

static const struct construct* find(const char* name) {
  for (size_t i = 0; i < sizeof kConstructs / sizeof *kConstructs; i++)
    if (strcmp(kConstructs[i].name, name) == 0)
      return &kConstructs[i];
  fprintf(stderr, "micro: no construct '%s'; there are:", name);
  for (size_t i = 0; i < sizeof kConstructs / sizeof *kConstructs; i++)
    fprintf(stderr, " %s", kConstructs[i].name);
  fputc('\n', stderr);
  exit(2);
}

int main(int argc, char** argv) {
  int counting = argc > 1 && strcmp(argv[1], "--count") == 0;
  int threads = 1;
  for (int i = 1 + counting; i < argc; i++)
    find(argv[i]);
#pragma omp parallel
#pragma omp master
  threads = omp_get_num_threads();

  int all = argc == 1 + counting;
  int most = all ? (int)(sizeof kConstructs / sizeof *kConstructs) : argc - 1 - counting;
  for (int i = 0; i < most; i++) {
    const struct construct* each = all ? &kConstructs[i] : find(argv[i + 1 + counting]);
    if (each->there && !each->there())
      continue;
    if (counting)
      count(each);
    else
      measure(each, threads);
  }
  return 0;
}
