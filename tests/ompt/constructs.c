// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every construct that a tool is told of, a few times. Run under the checker: what it is told must
// follow the rules. In tasks' own code the checker is asked to look, where it is loaded.
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void (*look)(void);
static void nothing(void) {}

static void find_checker(void) {
  look = nothing;
  const char* path = getenv("OMP_TOOL_LIBRARIES");
  void* tool = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
  void* found = tool ? dlsym(tool, "xomp_ompt_check_here") : NULL;
  if (found)
    look = (void (*)(void))found;
}

static volatile int sink;

static void fib(int n, int* result) {
  if (n < 2) {
    *result = n;
    return;
  }
  int a, b;
#pragma omp task shared(a)
  fib(n - 1, &a);
#pragma omp task shared(b) if (n > 4)
  fib(n - 2, &b);
#pragma omp taskwait
  *result = a + b;
  look();
}

static void tasks(void) {
  int result = 0;
#pragma omp parallel
#pragma omp single
  fib(10, &result);
  if (result != 55)
    exit(1);
}

static void task_kinds(void) {
  int done = 0;
#pragma omp parallel
  {
#pragma omp masked
    for (int i = 0; i < 4; ++i) {
#pragma omp task shared(done) untied
      {
        look();
#pragma omp taskyield
#pragma omp atomic
        ++done;
      }
#pragma omp task shared(done) final(i & 1)
      {
#pragma omp task shared(done)
#pragma omp atomic
        ++done;
        look();
      }
#pragma omp task shared(done) mergeable if (0)
#pragma omp atomic
      ++done;
    }
#pragma omp barrier
    if (done != 12)
      exit(2);
  }
}

static void dependences(void) {
  int a = 0, b = 0, c = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 5; ++i) {
#pragma omp task depend(out : a)
    {
      look();
      a = i;
    }
#pragma omp task depend(in : a) depend(out : b)
    b = a;
#pragma omp task depend(in : a) depend(out : c)
    c = a;
#pragma omp task depend(inout : b, c) if (i & 1)
    {
      sink = b + c;
      look();
    }
#pragma omp task depend(mutexinoutset : b)
    sink += b;
#pragma omp taskwait depend(in : b)
    look();
  }
}

static void groups(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < 8; ++i)
#pragma omp task in_reduction(+ : sum)
    {
      sum += i;
#pragma omp taskgroup
      {
#pragma omp task
        sink = i;
      }
      look();
    }
    if (sum != 28)
      exit(3);
#pragma omp taskloop grainsize(4)
    for (int i = 0; i < 32; ++i) {
      sink = i;
      look();
    }
#pragma omp taskloop num_tasks(3) nogroup
    for (int i = 0; i < 32; ++i)
      sink = i;
  }
}

static void loops(void) {
  int sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 40; ++i)
      sum += 1;
#pragma omp for schedule(dynamic, 3) nowait
    for (int i = 0; i < 40; ++i)
      sum += 1;
#pragma omp for schedule(guided)
    for (int i = 0; i < 40; ++i)
      look();
#pragma omp for schedule(runtime) ordered
    for (int i = 0; i < 10; ++i)
#pragma omp ordered
      sink = i;
#pragma omp for ordered(1)
    for (int i = 1; i < 10; ++i) {
#pragma omp ordered depend(sink : i - 1)
      sink = i;
#pragma omp ordered depend(source)
    }
#pragma omp sections
    {
#pragma omp section
      look();
#pragma omp section
      sink = 1;
#pragma omp section
      sink = 2;
    }
#pragma omp single
    sink = 3;
#pragma omp single nowait
    sink = 4;
#pragma omp barrier
    look();
  }
  if (sum != 80)
    exit(4);
}

static void mutexes(void) {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  int count = 0;
  double largest = 0;
#pragma omp parallel
  for (int i = 0; i < 20; ++i) {
#pragma omp critical
    ++count;
#pragma omp critical(named)
    look();
    omp_set_lock(&lock);
    ++count;
    omp_unset_lock(&lock);
    if (omp_test_lock(&lock)) {
      look();
      omp_unset_lock(&lock);
    }
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    if (omp_test_nest_lock(&nest))
      omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    look();
    omp_unset_nest_lock(&nest);
    if (omp_test_nest_lock(&nest))
      omp_unset_nest_lock(&nest);
#pragma omp atomic
    largest += 1;
#pragma omp flush
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
}

static void nested(void) {
  omp_set_max_active_levels(2);
  for (int i = 0; i < 3; ++i) {
#pragma omp parallel num_threads(2)
    {
      look();
#pragma omp parallel num_threads(2)
      {
        look();
#pragma omp task
        look();
#pragma omp taskwait
      }
#pragma omp parallel if (0)
      {
#pragma omp task
        look();
      }
      look();
    }
  }
}

static void events(void) {
  omp_event_handle_t event = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task detach(event)
    look();
#pragma omp task
    omp_fulfill_event(event);
#pragma omp taskwait
    omp_event_handle_t early = 0;
#pragma omp task detach(early)
    omp_fulfill_event(early);
#pragma omp taskwait
  }
}

static void cancellation(void) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < 100; ++i) {
#pragma omp cancel for if (i == 5)
      sink = i;
#pragma omp cancellation point for
    }
#pragma omp single
#pragma omp taskgroup
    for (int i = 0; i < 10; ++i)
#pragma omp task
    {
#pragma omp cancel taskgroup if (i == 3)
      sink = i;
    }
  }
}

static void serial(void) {
#pragma omp task
  look();
#pragma omp taskwait
#pragma omp taskgroup
  {
#pragma omp task if (0)
    look();
  }
  // By name: not in the omp.h of older compilers.
  int (*control_tool)(int, int, void*) =
      (int (*)(int, int, void*))dlsym(RTLD_DEFAULT, "omp_control_tool");
  if (control_tool)
    control_tool(3, 7, NULL); // flush
#pragma omp parallel num_threads(1)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 4; ++i)
      sink = i;
#pragma omp barrier
  }
  look();
}

static const struct {
  const char* name;
  void (*function)(void);
} parts[] = {
    {"tasks", tasks},   {"task_kinds", task_kinds}, {"dependences", dependences},
    {"groups", groups}, {"loops", loops},           {"mutexes", mutexes},
    {"nested", nested}, {"events", events},         {"cancellation", cancellation},
    {"serial", serial},
};

// All parts, or those that are named.
int main(int count, char** names) {
  omp_get_max_threads(); // the runtime begins, and loads the checker
  find_checker();
  for (size_t part = 0; part < sizeof parts / sizeof *parts; ++part) {
    int wanted = count == 1;
    for (int i = 1; i < count; ++i)
      wanted |= strcmp(names[i], parts[part].name) == 0;
    if (wanted)
      parts[part].function();
  }
  return 0;
}
