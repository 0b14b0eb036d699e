// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each construct twice: ok_NAME orders all accesses with it, race_NAME leaves that out. Built with
// -fsanitize=thread and run with Archer, the first must be silent and the second must be reported,
// at a place in the function of that name.
//
//   constructs ok [NAME...]      constructs race [NAME...]      constructs list
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kTasks = 24, kMost = 64 };

static volatile int sink;

// Long enough for other threads to take the next task. Orders nothing.
static void pause_briefly(void) {
  struct timespec time = {0, 300000};
  nanosleep(&time, NULL);
}

static void expect(int right, const char* what) {
  if (!right) {
    fprintf(stderr, "wrong result: %s\n", what);
    exit(3);
  }
}

#define EXPECT(condition) expect(condition, #condition)

// The sanitizer's own words for an order that Archer does not know (docs/races.md).
void AnnotateHappensBefore(const char* file, int line, const volatile void* what);
void AnnotateHappensAfter(const char* file, int line, const volatile void* what);
#define POSTS(what) AnnotateHappensBefore(__FILE__, __LINE__, what)
#define HAS_WAITED(what) AnnotateHappensAfter(__FILE__, __LINE__, what)

// ---- regions and barriers ----

static void ok_fork_join(void) {
  int before = 1, slots[kMost] = {0};
#pragma omp parallel
  slots[omp_get_thread_num()] = before;
  EXPECT(slots[0] == 1);
  before = 2;
#pragma omp parallel
  slots[omp_get_thread_num()] = before;
  EXPECT(slots[omp_get_max_threads() - 1] == 2);
}

static void race_fork_join(void) {
  int shared = 0;
#pragma omp parallel
  shared = omp_get_thread_num();
  sink = shared;
}

static void ok_barrier(void) {
  int slots[kMost] = {0};
#pragma omp parallel
  for (int round = 0; round < 10; ++round) {
    int me = omp_get_thread_num(), threads = omp_get_num_threads();
    slots[me] = round;
#pragma omp barrier
    EXPECT(slots[(me + 1) % threads] == round);
#pragma omp barrier
  }
}

static void race_barrier(void) {
  int slots[kMost] = {0};
#pragma omp parallel
  for (int round = 0; round < 10; ++round) {
    int me = omp_get_thread_num(), threads = omp_get_num_threads();
    slots[me] = round;
    sink = slots[(me + 1) % threads];
  }
}

static void ok_single(void) {
  int value = 0;
#pragma omp parallel
  for (int round = 1; round < 10; ++round) {
#pragma omp single
    value = round;
    EXPECT(value == round);
#pragma omp barrier
  }
}

static void race_single(void) {
  int value = 0;
#pragma omp parallel
  for (int round = 1; round < 10; ++round) {
#pragma omp single nowait
    value = round;
    sink = value;
  }
}

static void ok_copyprivate(void) {
#pragma omp parallel
  {
    int mine = 0;
#pragma omp single copyprivate(mine)
    mine = 7;
    EXPECT(mine == 7);
  }
}

static void race_copyprivate(void) {
#pragma omp parallel
  {
    int mine = 0;
    int* theirs;
#pragma omp single copyprivate(theirs)
    theirs = &mine;
    ++*theirs;
#pragma omp barrier
  }
}

static void ok_masked(void) {
  int value = 0;
#pragma omp parallel
  {
#pragma omp masked
    value = 1;
#pragma omp barrier
    EXPECT(value == 1);
  }
}

static void race_masked(void) {
  int value = 0;
#pragma omp parallel
  {
#pragma omp masked
    value = 1;
    sink = value;
  }
}

static void ok_nested(void) {
  int sums[kMost] = {0};
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    int slots[2] = {0};
#pragma omp parallel num_threads(2) shared(slots)
    slots[omp_get_thread_num()] = 1;
    sums[omp_get_thread_num()] = slots[0] + slots[1];
  }
  EXPECT(sums[0] >= 1);
}

static void race_nested(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    int value = 0;
#pragma omp parallel num_threads(2) shared(value)
    value += 1;
    sink = value;
  }
}

// ---- mutual exclusion ----

static void ok_critical(void) {
  int count = 0;
#pragma omp parallel
  for (int i = 0; i < 50; ++i)
#pragma omp critical(one)
    ++count;
  EXPECT(count % 50 == 0);
}

// The two hold different mutexes at the same time. (Archer has a lock of its own that it takes when
// a mutex is acquired or released: what does not overlap looks ordered.)
static void race_critical(void) {
  int count = 0;
#pragma omp parallel
  for (int i = 0; i < 10; ++i)
    if (omp_get_thread_num() == 0) {
#pragma omp critical(one)
      {
        ++count;
        pause_briefly();
      }
    } else {
#pragma omp critical(another)
      {
        ++count;
        pause_briefly();
      }
    }
}

static void ok_lock(void) {
  int count = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
  for (int i = 0; i < 50; ++i) {
    while (!omp_test_lock(&lock))
      pause_briefly();
    ++count;
    omp_unset_lock(&lock);
    omp_set_lock(&lock);
    ++count;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  EXPECT(count % 100 == 0);
}

static void race_lock(void) {
  int count = 0;
  omp_lock_t locks[2];
  omp_init_lock(&locks[0]);
  omp_init_lock(&locks[1]);
#pragma omp parallel
  for (int i = 0; i < 10; ++i) {
    omp_lock_t* lock = &locks[omp_get_thread_num() != 0];
    omp_set_lock(lock);
    ++count;
    pause_briefly();
    omp_unset_lock(lock);
  }
  omp_destroy_lock(&locks[0]);
  omp_destroy_lock(&locks[1]);
}

static void ok_nest_lock(void) {
  int count = 0;
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp parallel
  for (int i = 0; i < 50; ++i) {
    omp_set_nest_lock(&lock);
    ++count;
    if (omp_test_nest_lock(&lock)) {
      ++count;
      omp_unset_nest_lock(&lock);
    }
    ++count;
    omp_unset_nest_lock(&lock);
  }
  omp_destroy_nest_lock(&lock);
  EXPECT(count % 150 == 0);
}

static void race_nest_lock(void) {
  int count = 0;
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp parallel
  for (int i = 0; i < 50; ++i) {
    omp_set_nest_lock(&lock);
    omp_set_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
    ++count;
  }
  omp_destroy_nest_lock(&lock);
}

// Too large for an instruction: the runtime has a lock for it.
static void ok_atomic(void) {
  long double sum = 0;
#pragma omp parallel
  for (int i = 0; i < 50; ++i)
#pragma omp atomic
    sum += 1;
  EXPECT((int)sum % 50 == 0);
}

static void race_atomic(void) {
  long double sum = 0;
#pragma omp parallel
  for (int i = 0; i < 50; ++i)
    sum += 1;
  sink = (int)sum;
}

// ---- worksharing ----

static void ok_static(void) {
  int data[100];
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i)
      data[i] = i;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i)
      EXPECT(data[99 - i] == 99 - i);
  }
}

static void race_static(void) {
  int data[100];
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 100; ++i)
      data[i] = i;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i)
      sink = data[99 - i];
  }
}

// With nowait, and without an error: each thread gets the same iterations twice.
static void ok_nowait(void) {
  int data[100];
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 100; ++i)
      data[i] = i;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i)
      EXPECT(data[i] == i);
  }
}

static void race_nowait(void) {
  int sum = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 100; ++i)
      if (i == 99)
        sum = i;
    sink = sum;
  }
}

static void ok_dynamic(void) {
  int data[kTasks];
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < kTasks; ++i) {
      data[i] = i;
      pause_briefly();
    }
#pragma omp for schedule(guided)
    for (int i = 0; i < kTasks; ++i)
      EXPECT(data[kTasks - 1 - i] == kTasks - 1 - i);
  }
}

static void race_dynamic(void) {
  int value = 0;
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < kTasks; ++i) {
    value = i;
    pause_briefly();
  }
  sink = value;
}

static void ok_ordered(void) {
  int last = -1;
#pragma omp parallel for schedule(dynamic, 1) ordered
  for (int i = 0; i < kTasks; ++i) {
    pause_briefly();
#pragma omp ordered
    {
      EXPECT(last == i - 1);
      last = i;
    }
  }
}

static void race_ordered(void) {
  int last = -1;
#pragma omp parallel for schedule(dynamic, 1) ordered
  for (int i = 0; i < kTasks; ++i) {
#pragma omp ordered
    sink = i;
    last = i;
    pause_briefly();
  }
  sink = last;
}

static void ok_doacross(void) {
  int data[kTasks + 1] = {0};
#pragma omp parallel for schedule(static, 1) ordered(1)
  for (int i = 1; i <= kTasks; ++i) {
#pragma omp ordered depend(sink : i - 1)
    HAS_WAITED(&data[i - 1]);
    data[i] = data[i - 1] + 1;
    POSTS(&data[i]);
#pragma omp ordered depend(source)
  }
  EXPECT(data[kTasks] == kTasks);
}

static void race_doacross(void) {
  int data[kTasks + 1] = {0};
#pragma omp parallel for schedule(static, 1) ordered(1)
  for (int i = 1; i <= kTasks; ++i) {
#pragma omp ordered depend(sink : i - 2)
    HAS_WAITED(&data[i > 1 ? i - 2 : 0]);
    data[i] = data[i - 1] + 1;
    POSTS(&data[i]);
#pragma omp ordered depend(source)
  }
}

static void ok_sections(void) {
  int a = 0, b = 0;
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      {
        a = 1;
        pause_briefly();
      }
#pragma omp section
      {
        b = 1;
        pause_briefly();
      }
    }
    EXPECT(a + b == 2);
  }
}

static void race_sections(void) {
  int a = 0;
  for (int round = 0; round < 5; ++round)
#pragma omp parallel sections
  {
#pragma omp section
    {
      a = 1;
      pause_briefly();
    }
#pragma omp section
    {
      a = 2;
      pause_briefly();
    }
  }
  sink = a;
}

static void ok_reduction(void) {
  int sum = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < 100; ++i)
      sum += i;
    EXPECT(sum == 4950);
  }
  double product = 1;
#pragma omp parallel reduction(* : product)
  product *= 1;
  EXPECT(product == 1);
}

static void race_reduction(void) {
  int sum = 0;
#pragma omp parallel for
  for (int i = 0; i < 100; ++i)
    sum += i;
  sink = sum;
}

// ---- tasks ----

static void ok_task_creation(void) {
  int values[kTasks];
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
    values[i] = i;
#pragma omp task shared(values)
    {
      EXPECT(values[i] == i);
      pause_briefly();
    }
  }
}

// The task reads while its creator waits to write. (Later reads look ordered: Archer takes locks of
// its own when tasks are created and when they end.)
static void race_task_creation(void) {
  int values[kTasks] = {0};
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(values)
    sink = values[i];
    pause_briefly();
    pause_briefly();
    values[i] = i;
  }
}

static void ok_taskwait(void) {
  int values[kTasks];
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(values)
    {
      values[i] = i;
      pause_briefly();
    }
#pragma omp taskwait
    for (int i = 0; i < kTasks; ++i)
      EXPECT(values[i] == i);
  }
}

static void race_taskwait(void) {
  int values[kTasks] = {0};
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(values)
    {
      values[i] = i;
      pause_briefly();
    }
    for (int i = 0; i < kTasks; ++i)
      sink = values[i];
  }
}

// The barrier waits for tasks of all threads.
static void ok_barrier_tasks(void) {
  int values[kTasks];
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(values)
    {
      values[i] = i;
      pause_briefly();
    }
#pragma omp barrier
    for (int i = 0; i < kTasks; ++i)
      EXPECT(values[i] == i);
  }
}

// A taskwait waits for the thread's own only.
static void race_barrier_tasks(void) {
  int values[kTasks] = {0};
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(values)
    {
      values[i] = i;
      pause_briefly();
    }
#pragma omp taskwait
    for (int i = 0; i < kTasks; ++i)
      sink = values[i];
  }
}

static void ok_taskgroup(void) {
  int values[kTasks];
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(values)
    {
#pragma omp task shared(values)
      {
        values[i] = i;
        pause_briefly();
      }
    }
    for (int i = 0; i < kTasks; ++i)
      EXPECT(values[i] == i);
  }
}

// A taskwait does not wait for grandchildren.
static void race_taskgroup(void) {
  int values[kTasks] = {0};
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(values)
    {
#pragma omp task shared(values)
      {
        pause_briefly();
        values[i] = i;
      }
      pause_briefly();
    }
#pragma omp taskwait
    for (int i = 0; i < kTasks; ++i)
      sink = values[i];
  }
}

static void ok_depend(void) {
  int a = 0, b = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 1; i <= kTasks / 3; ++i) {
#pragma omp task shared(a) depend(inout : a)
    {
      ++a;
      pause_briefly();
    }
#pragma omp task shared(a, b) depend(in : a) depend(out : b)
    {
      b = a;
      pause_briefly();
    }
#pragma omp task shared(a, b) depend(in : a, b)
    {
      EXPECT(a == b);
      pause_briefly();
    }
  }
  EXPECT(a == kTasks / 3);
}

static void race_depend(void) {
  int a = 0, b = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 1; i <= kTasks / 2; ++i) {
#pragma omp task shared(a) depend(inout : a)
    {
      ++a;
      pause_briefly();
    }
#pragma omp task shared(a, b) depend(out : b)
    {
      b = a;
      pause_briefly();
    }
  }
}

static void ok_mutexinoutset(void) {
  int sum = 0, set;
  (void)set;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(sum) depend(mutexinoutset : set)
    {
      ++sum;
      pause_briefly();
    }
#pragma omp task shared(sum) depend(in : set)
    EXPECT(sum == kTasks);
  }
}

static void race_mutexinoutset(void) {
  int sum = 0, set;
  (void)set;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(sum) depend(in : set)
  {
    ++sum;
    pause_briefly();
  }
}

static void ok_taskwait_depend(void) {
  int a = 0, b = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 1; i <= kTasks / 2; ++i) {
#pragma omp task shared(a) depend(out : a)
    {
      a = i;
      pause_briefly();
    }
#pragma omp task shared(b) depend(out : b)
    {
      b = i;
      pause_briefly();
    }
#pragma omp taskwait depend(in : a)
    EXPECT(a == i);
#pragma omp taskwait
    EXPECT(b == i);
  }
}

static void race_taskwait_depend(void) {
  int a = 0, others[kTasks] = {0};
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(a) depend(out : a)
    {
      a = 1;
      pause_briefly();
    }
    for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(others)
    {
      others[i] = i;
      pause_briefly();
    }
#pragma omp taskwait depend(in : a)
    for (int i = 0; i < kTasks; ++i)
      sink = others[i];
  }
}

static void ok_taskloop(void) {
  int values[kTasks];
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(1) shared(values)
    for (int i = 0; i < kTasks; ++i) {
      values[i] = i;
      pause_briefly();
    }
    for (int i = 0; i < kTasks; ++i)
      EXPECT(values[i] == i);
  }
}

static void race_taskloop(void) {
  int values[kTasks] = {0};
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(1) shared(values) nogroup
    for (int i = 0; i < kTasks; ++i) {
      values[i] = i;
      pause_briefly();
    }
    for (int i = 0; i < kTasks; ++i)
      sink = values[i];
  }
}

static void ok_task_reduction(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < kTasks; ++i)
#pragma omp task in_reduction(+ : sum)
    {
      sum += i;
      pause_briefly();
    }
    EXPECT(sum == kTasks * (kTasks - 1) / 2);
#pragma omp taskloop grainsize(1) reduction(+ : sum)
    for (int i = 0; i < kTasks; ++i) {
      sum += i;
      pause_briefly();
    }
    EXPECT(sum == kTasks * (kTasks - 1));
  }
}

static void race_task_reduction(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(sum)
  {
    sum += i;
    pause_briefly();
  }
  sink = sum;
}

// The private copies of a whole region.
static void ok_region_task_reduction(void) {
  int sum = 0;
#pragma omp parallel reduction(task, + : sum)
#pragma omp single
  for (int i = 0; i < kTasks; ++i)
#pragma omp task in_reduction(+ : sum)
  {
    sum += i;
    pause_briefly();
  }
  EXPECT(sum == kTasks * (kTasks - 1) / 2);
}

static void race_region_task_reduction(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(sum)
  {
    sum += i;
    pause_briefly();
  }
}

// What is done before an event is fulfilled comes before what waits for the detached task.
static void ok_detach(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks / 4; ++i) {
    int value = 0, early = 0;
    omp_event_handle_t event = 0;
#pragma omp task detach(event) depend(out : value)
    early = 1;
#pragma omp task shared(value) firstprivate(event)
    {
      pause_briefly();
      value = 7;
      omp_fulfill_event(event);
    }
#pragma omp task shared(value) depend(in : value)
    EXPECT(value == 7);
#pragma omp taskwait
    EXPECT(value == 7);
    sink = early;
  }
}

static void race_detach(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks / 4; ++i) {
    int value = 0;
    omp_event_handle_t event = 0;
#pragma omp task detach(event)
    sink = 1;
#pragma omp task shared(value) firstprivate(event)
    {
      omp_fulfill_event(event);
      value = 7;
      pause_briefly();
    }
    pause_briefly();
    sink = value;
#pragma omp taskwait
  }
}

// Tasks that are run at once are ordered with who creates them, and with nobody else.
static void ok_undeferred(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(value) if (0)
    value += 1;
#pragma omp task shared(value) final(1) if (0)
    {
#pragma omp task shared(value)
      value += 1;
    }
    EXPECT(value == 2 * i + 2);
  }
}

static void race_undeferred(void) {
  int value = 0;
#pragma omp parallel
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(value) if (0)
    value += 1;
  }
}

// Recursive, with tasks of all sizes: most are run at once, some by others.
static int leaves(int depth) {
  if (depth == 0) {
    pause_briefly();
    return 1;
  }
  int left, right;
#pragma omp task shared(left)
  left = leaves(depth - 1);
#pragma omp task shared(right)
  right = leaves(depth - 1);
#pragma omp taskwait
  return left + right;
}

static void ok_recursion(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  sum = leaves(5);
  EXPECT(sum == 32);
}

static void race_recursion_tree(int depth, int* count) {
  if (depth == 0) {
    pause_briefly();
    ++*count;
    return;
  }
#pragma omp task
  race_recursion_tree(depth - 1, count);
#pragma omp task
  race_recursion_tree(depth - 1, count);
#pragma omp taskwait
}

static void race_recursion(void) {
  int count = 0;
#pragma omp parallel
#pragma omp single
  race_recursion_tree(5, &count);
}

#define PART(name) {#name, ok_##name, race_##name}

static const struct {
  const char* name;
  void (*ok)(void);
  void (*race)(void);
} parts[] = {
    PART(fork_join),   PART(barrier),        PART(single),
    PART(copyprivate), PART(masked),         PART(nested),
    PART(critical),    PART(lock),           PART(nest_lock),
    PART(atomic),      PART(static),         PART(nowait),
    PART(dynamic),     PART(ordered),        PART(doacross),
    PART(sections),    PART(reduction),      PART(task_creation),
    PART(taskwait),    PART(barrier_tasks),  PART(taskgroup),
    PART(depend),      PART(mutexinoutset),  PART(taskwait_depend),
    PART(taskloop),    PART(task_reduction), PART(region_task_reduction),
    PART(detach),      PART(undeferred),     PART(recursion),
};

int main(int count, char** words) {
  const char* what = count > 1 ? words[1] : "";
  for (size_t part = 0; part < sizeof parts / sizeof *parts; ++part) {
    int wanted = count == 2;
    for (int i = 2; i < count; ++i)
      wanted |= strcmp(words[i], parts[part].name) == 0;
    if (strcmp(what, "list") == 0)
      puts(parts[part].name);
    else if (wanted && strcmp(what, "ok") == 0)
      parts[part].ok();
    else if (wanted && strcmp(what, "race") == 0)
      parts[part].race();
  }
  return 0;
}
