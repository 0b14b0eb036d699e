// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing of the runtime needs more than 4 kB of the stack of the thread that comes to it, its
// first use, its messages and the end of the process among that: threads may have 16 kB. Each part
// of this program runs in a process of its own, on a stack that is painted beforehand and looked at
// when the process has ended; and all of them in many environments. A library that is not
// optimised needs some hundred bytes more.
// xomp-test: threads=2 barriers=tree told=0 recorded=0 skip=asan,tsan,debug timeout=120
// xomp-test: flags=-D_GNU_SOURCE flags=-Wl,-z,now flags=-Wno-deprecated-declarations
// xomp-test: compilers=gcc,clang
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

#include "process.h"

enum { kStack = 256 << 10, kPaint = 0xa5, kTasks = 400 };
enum { kMost = 4096 + 256 }; // the second is for the parts' own frames

static void nothing(void) {}

static long sum;

static void add(void) { __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED); }

static void region(void) {
#pragma omp parallel
  add();
}

static void queries(void) {
  sum = omp_get_num_procs() + omp_get_max_threads() + omp_get_num_places() +
        omp_get_place_num_procs(0) + omp_get_place_num() + omp_get_partition_num_places() +
        omp_get_supported_active_levels() + omp_get_num_devices() + omp_in_final();
  omp_set_num_threads(3);
  omp_set_schedule(omp_sched_guided, 2);
  sum += (long)omp_get_wtime();
}

static void display_settings(void) { omp_display_env(1); }

static void affinity(void) {
  char text[16];
  omp_capture_affinity(text, sizeof text, "%H %A %i %0.20n");
  omp_set_affinity_format("%400H and %{no_such_field} and %0.9A");
  omp_display_affinity(NULL);
#pragma omp parallel
  omp_display_affinity("%P %t %T %L %n %N %a %A %i");
}

// Doors that the two compilers use, or that libomp alone has.
#ifdef __clang__
static void warning(void) {
#pragma omp error at(execution) severity(warning) message("a warning")
}
static void error(void) {
#pragma omp error at(execution) severity(fatal) message("an error")
}
static void expect_failure(pid_t child) { // as libomp ends a program
  int status = status_at_end(child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGABRT);
}
void __kmpc_atomic_start(void);
void __kmpc_atomic_end(void);
static void atomic_by_lock(void) {
  __kmpc_atomic_start();
  sum++;
  __kmpc_atomic_end();
}
static void routines_of_libomp(void) {
  kmp_set_blocktime(kmp_get_blocktime() + 3);
  kmp_set_defaults("KMP_BLOCKTIME=4");
  kmp_free(kmp_realloc(kmp_malloc(100), 200));
  kmp_affinity_mask_t mask;
  kmp_create_affinity_mask(&mask);
  sum += kmp_get_affinity(&mask) + kmp_set_affinity(&mask) + kmp_get_affinity_max_proc();
  kmp_destroy_affinity_mask(&mask);
}
#else
void GOMP_warning(const char* message, size_t length);
void GOMP_error(const char* message, size_t length);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);

static void warning(void) { GOMP_warning("a warning", (size_t)-1); }
static void error(void) { GOMP_error("an error", (size_t)-1); }
static void expect_failure(pid_t child) { expect_exit(child, 1); }
static void atomic_by_lock(void) {
  GOMP_atomic_start();
  sum++;
  GOMP_atomic_end();
}
static void routines_of_libomp(void) {}
#endif

static void worksharing(void) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; ++i)
      add();
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < 100; ++i)
      add();
#pragma omp for schedule(runtime)
    for (int i = 0; i < 100; ++i)
      add();
#pragma omp for ordered schedule(dynamic)
    for (int i = 0; i < 100; ++i) {
#pragma omp ordered
      add();
    }
#pragma omp for ordered(1)
    for (int i = 0; i < 100; ++i) {
#pragma omp ordered depend(sink : i - 1)
      add();
#pragma omp ordered depend(source)
    }
#pragma omp sections
    {
#pragma omp section
      add();
#pragma omp section
      add();
    }
    long mine = 0;
#pragma omp single copyprivate(mine)
    mine = sum;
    if (mine < 0)
      abort();
#pragma omp barrier
  }
}

static void locks(void) {
  static omp_lock_t lock;
  static omp_nest_lock_t nest_lock;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest_lock);
#pragma omp parallel
  for (int i = 0; i < 2000; ++i) {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest_lock);
    omp_unset_nest_lock(&nest_lock);
#pragma omp critical
    sum++;
#pragma omp critical(named)
    sum++;
    atomic_by_lock();
  }
  omp_destroy_nest_lock(&nest_lock);
  omp_destroy_lock(&lock);
}

// More than are deferred: some run on top of their creator.
static void tasks(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task
      add();
    }
#pragma omp taskwait
#pragma omp task if (0)
    add();
#pragma omp taskyield
  }
}

static void tasks_with_clauses(void) {
  struct large {
    char bytes[104];
  } large = {{0}};
#pragma omp parallel
#pragma omp single
  {
    long total = 0;
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task depend(inout : sum) priority(i % 3)
      add();
#pragma omp task firstprivate(large)
      sum += large.bytes[0];
#pragma omp task depend(mutexinoutset : large)
      add();
    }
#pragma omp taskgroup task_reduction(+ : total)
#pragma omp task in_reduction(+ : total)
    total++;
#pragma omp taskloop reduction(+ : total)
    for (int i = 0; i < kTasks; ++i)
      total++;
    omp_event_handle_t event;
#pragma omp task detach(event)
    add();
    omp_fulfill_event(event);
#pragma omp taskwait
  }
}

static long own;
#pragma omp threadprivate(own)

static void data_of_threads(void) {
  long numbers[4] = {0}, total = 0;
  own = 3;
#pragma omp parallel copyin(own) reduction(+ : numbers, total)
  {
    numbers[1]++;
    total += own;
  }
#pragma omp parallel
  {
#pragma omp for schedule(static, 3) reduction(+ : sum)
    for (int i = 0; i < 50; ++i)
      sum++;
#pragma omp for collapse(2) ordered(2)
    for (int i = 1; i < 6; ++i) {
      for (int j = 1; j < 6; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
        add();
#pragma omp ordered depend(source)
      }
    }
#pragma omp critical(hinted) hint(omp_sync_hint_contended)
    sum++;
#pragma omp masked
    {
#pragma omp taskloop nogroup num_tasks(7)
      for (int i = 0; i < 100; ++i)
        add();
#pragma omp task depend(inout : total)
      add();
#pragma omp taskwait depend(in : total)
    }
  }
}

static void nested(void) {
  omp_set_max_active_levels(3);
#pragma omp parallel
#pragma omp parallel
  add();
}

static void cancelled(void) {
#pragma omp parallel
  {
#pragma omp taskgroup
#pragma omp task
    {
      add();
#pragma omp cancel taskgroup
    }
#pragma omp cancel parallel
    add();
  }
}

static void allocators(void) {
  omp_alloctrait_t traits[] = {{omp_atk_pool_size, 4096}, {omp_atk_alignment, 256}};
  omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 2, traits);
  omp_free(omp_alloc(100, allocator), allocator);
  void* block = omp_aligned_calloc(64, 2, 100, omp_default_mem_alloc);
  omp_free(omp_realloc(block, 400, allocator, omp_default_mem_alloc), allocator);
  omp_destroy_allocator(allocator);
}

static void target_and_teams(void) {
#pragma omp target map(tofrom : sum)
  sum++;
#pragma omp teams num_teams(2)
  add();
#pragma omp teams distribute parallel for num_teams(2) thread_limit(2) dist_schedule(static, 2)
  for (int i = 0; i < 100; ++i)
    add();
}

static void on_signal(int number) { (void)number; }
static void signalled(void) {
  signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
}

static void asked_for_state(void) {
#pragma omp parallel
  {
    add();
#pragma omp barrier
#pragma omp master
    raise(SIGUSR1);
  }
}

static const struct part {
  const char* name;
  void (*run)(void);
} parts[] = {
    {"nothing", nothing},
    {"a region", region},
    {"queries", queries},
    {"display of the settings", display_settings},
    {"affinity", affinity},
    {"a warning", warning},
    {"an error", error},
    {"worksharing", worksharing},
    {"locks", locks},
    {"tasks", tasks},
    {"tasks with clauses", tasks_with_clauses},
    {"data of threads", data_of_threads},
    {"nested regions", nested},
    {"cancellation", cancelled},
    {"allocators", allocators},
    {"target and teams", target_and_teams},
    {"routines of libomp", routines_of_libomp},
};

// ---- painted stacks ----

static char* stack;      // shared with the processes that run on it
static char** first_use; // where the thread's own frame lies in it

static void* on_painted_stack(void* run) {
  *first_use = __builtin_frame_address(0);
  ((void (*)(void))run)();
  exit(0);
}

static long painted_until(const char* lowest, const char* end) {
  while (lowest < end && *(const unsigned char*)lowest == kPaint)
    ++lowest;
  return (long)(end - lowest);
}

// How deep below its frame a thread comes that does this in a process of its own.
static long depth_of(void (*run)(void)) {
  memset(stack, kPaint, kStack);
  fflush(stdout);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    dup2(open("/dev/null", O_WRONLY), 2);
    pthread_attr_t attributes;
    pthread_t thread;
    CHECK(pthread_attr_init(&attributes) == 0);
    CHECK(pthread_attr_setstack(&attributes, stack, kStack) == 0);
    CHECK(pthread_create(&thread, &attributes, on_painted_stack, (void*)run) == 0);
    pthread_join(thread, NULL);
  }
  if (run == error)
    expect_failure(child);
  else
    expect_exit(child, 0);
  return painted_until(stack, *first_use);
}

static int all_are_shallow = 1;

static void expect_depth(const char* name, long depth, long most) {
  if (getenv("SHOW_DEPTHS"))
    printf("%-24s %5ld\n", name, depth);
  if (depth <= most)
    return;
  all_are_shallow = 0;
  printf("%s: %ld bytes\n", name, depth);
}

// Libraries' constructors run between the two, on the process's first stack.
static uintptr_t below_constructors, above_constructors;
static long depth_of_constructors;

static void paint(void) {
  volatile char room[kStack / 4];
  for (size_t i = 0; i < sizeof room; ++i)
    room[i] = (char)kPaint;
  below_constructors = (uintptr_t)room;
}
static void before_constructors(void) {
  above_constructors = (uintptr_t)__builtin_frame_address(0);
  paint();
}
#define PREINIT __attribute__((section(".preinit_array"), used))
PREINIT static void (*const preinit)(void) = before_constructors;

__attribute__((constructor)) static void after_constructors(void) {
  depth_of_constructors = painted_until((char*)below_constructors, (char*)above_constructors);
}

static int in_this_environment(void) {
  expect_depth("the constructor", depth_of_constructors, kMost);
  void* memory = mmap(NULL, kStack + sizeof *first_use, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  stack = memory;
  first_use = (char**)(stack + kStack);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i)
    expect_depth(parts[i].name, depth_of(parts[i].run), kMost);
  if (getenv("XOMP_WATCHDOG")) // the kernel saves all registers there before
    expect_depth("the state of all workers", depth_of(asked_for_state),
                 depth_of(signalled) + kMost);
  return !all_are_shallow;
}

// ---- environments ----

static char log_variable[] = "XOMP_PERFLOG=small_stacks.XXXXXX"; // a folder for this process alone

static char* environments[][2] = {
    {NULL},
    {"OMP_PLACES=threads"},
    {"OMP_PLACES=cores"},
    {"OMP_PLACES=sockets"},
    {"OMP_PLACES=numa_domains"},
    {"OMP_PLACES=ll_caches(1)"},
    {"OMP_PLACES={0},{0:1}", "OMP_PROC_BIND=spread,close"},
    {"OMP_PLACES={0", "GOMP_CPU_AFFINITY=0-"},
    {"GOMP_CPU_AFFINITY=0 0"},
    {"OMP_DISPLAY_ENV=verbose", "OMP_DISPLAY_AFFINITY=true"},
    {"OMP_NUM_THREADS=-1", "OMP_NUM_TREADS=1"},
    {"OMP_SCHEDULE=guided,3", "OMP_CANCELLATION=true"},
    {"OMP_STACKSIZE=1", "OMP_ALLOCATOR=omp_default_mem_space:pool_size=1000"},
    {"OMP_WAIT_POLICY=passive", "OMP_MAX_TASK_PRIORITY=3"},
    {"XOMP_BARRIER=central", "XOMP_TOPOLOGY=numa:2 core:2 pu:1"},
    {"XOMP_SCHEDULER=slb"},
    {"XOMP_SCHEDULER=xqueue1"},
    {"XOMP_SCHEDULER=xqueue2"},
    {"XOMP_SCHEDULER=xqueue-ws"},
    {"XOMP_SCHEDULER=na-rp"},
    {"XOMP_SCHEDULER=na-ws"},
    {"XOMP_SCHEDULER=q"},
    {"XOMP_SCHEDULER=l"},
    {"XOMP_SCHEDULER=cq"},
    {"XOMP_SCHEDULER=ws"},
    {"XOMP_SCHEDULER=mts", "XOMP_TOPOLOGY=numa:2 core:2 pu:1"},
    {"XOMP_STATS=1", "XOMP_DISPLAY=1"},
    {log_variable, "XOMP_PERFLOG_LIMIT=1M"},
    {"XOMP_WATCHDOG=1"},
    {"OMP_TOOL_VERBOSE_INIT=stderr"},
};

int main(int argc, char** argv) {
  if (argc > 1)
    return in_this_environment();
  // The C library would bind what it calls of itself, malloc for one, at the first call, for which
  // it saves all registers. That is not the runtime's.
  setenv("LD_BIND_NOW", "1", 1);
  char* log = strchr(log_variable, '=') + 1;
  CHECK(mkdtemp(log));
  int failures = 0;
  for (size_t i = 0; i < sizeof environments / sizeof environments[0]; ++i) {
    char **variables = environments[i], *first = variables[0] ? variables[0] : "nothing";
    struct outcome outcome = run_self("again", variables[0], variables[1]);
    if (outcome.status != 0 || getenv("SHOW_DEPTHS"))
      printf("with %s %s:\n%s\n", first, variables[1] ? variables[1] : "", outcome.output);
    failures += outcome.status != 0;
  }
  char remove[64];
  snprintf(remove, sizeof remove, "rm -rf %s", log);
  CHECK(system(remove) == 0);
  return failures != 0;
}
