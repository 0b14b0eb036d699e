// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// XOMP_WATCHDOG: SIGUSR1 shows in which kind of wait each thread is, at any moment of the life of
// any team, and without the variable xomp has nothing to do with the signal.
// The report reads what other threads are writing, whatever that gives.
// xomp-test: threads=4 env=XOMP_WATCHDOG=true skip=tsan compilers=gcc,clang
#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include "process.h"

enum { kThreads = 7 };

static FILE* report; // stands for stderr until all have been counted
static int errors;

static void redirect_errors(void) {
  report = tmpfile();
  CHECK(report);
  errors = dup(2);
  CHECK(dup2(fileno(report), 2) == 2);
}

// The report as a text; to be freed.
static char* ask(void) {
  CHECK(ftruncate(fileno(report), 0) == 0);
  CHECK(lseek(2, 0, SEEK_SET) == 0);
  raise(SIGUSR1);
  off_t size = lseek(2, 0, SEEK_CUR);
  char* text = malloc((size_t)size + 1);
  CHECK(pread(2, text, (size_t)size, 0) == size);
  text[size] = 0;
  return text;
}

static int shows(const char* text, const char* words) {
  for (const char* line = text; *line;) {
    const char* end = strchr(line, '\n');
    const char* found = strstr(line, words);
    if (found && found < end)
      return 1;
    line = end + 1;
  }
  return 0;
}

// Until the others have come to their waits.
static void expect(const char* const* words, int count) {
  for (int i = 0;; ++i) {
    char* text = ask();
    int found = 0;
    for (int k = 0; k < count; ++k)
      found += shows(text, words[k]);
    if (found == count) {
      free(text);
      return;
    }
    if (i == 1000) {
      printf("%s", text);
      CHECK(!"the report shows every wait");
    }
    free(text);
    usleep(10000);
  }
}

static omp_event_handle_t open_events[3];
static int given, taken;
static char order;

static void open_event(int i, omp_event_handle_t event) {
  open_events[i] = event;
  __atomic_fetch_add(&given, 1, __ATOMIC_RELEASE);
}

// One thread in each kind of wait for tasks and locks; the last lets them go.
static void waits_for_tasks(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(kThreads)
  {
    omp_event_handle_t event;
    switch (omp_get_thread_num()) {
    case 1:
      while (!__atomic_load_n(&taken, __ATOMIC_ACQUIRE))
        sched_yield();
      omp_set_lock(&lock);
      omp_unset_lock(&lock);
      break;
    case 2:
#pragma omp task detach(event)
      open_event(0, event);
#pragma omp taskwait
      break;
    case 3:
#pragma omp taskgroup
    {
#pragma omp task detach(event)
      open_event(1, event);
    } break;
    case 4:
#pragma omp task detach(event) depend(out : order)
      open_event(2, event);
#pragma omp taskwait depend(in : order)
      break;
    case 6: {
      omp_set_lock(&lock);
      __atomic_store_n(&taken, 1, __ATOMIC_RELEASE);
      const char* waits[] = {"in program > join",       "in program > lock",
                             "in program > taskwait",   "in program > taskgroup",
                             "in program > dependence", "in program > wait_for_region",
                             "open events 3",           "7 members"};
      expect(waits, 8);
      while (__atomic_load_n(&given, __ATOMIC_ACQUIRE) < 3)
        sched_yield();
      omp_unset_lock(&lock);
      for (int i = 0; i < 3; ++i)
        omp_fulfill_event(open_events[i]);
      break;
    }
    }
  }
  omp_destroy_lock(&lock);
}

static void waits_for_members(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < 2; ++i) {
#pragma omp ordered
      if (i == 0)
        expect((const char*[]){"in program > ordered"}, 1);
    }
#pragma omp for ordered(1) schedule(static, 1)
    for (int i = 0; i < 2; ++i) {
#pragma omp ordered depend(sink : i - 1)
      if (i == 0)
        expect((const char*[]){"in program > doacross"}, 1);
#pragma omp ordered depend(source)
    }
    if (omp_get_thread_num() == 0)
      expect((const char*[]){"in program > construct"}, 1);
    for (int k = 0; k < 200; ++k) {
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < 2; ++i)
        ;
    }
    if (omp_get_thread_num() == 1)
      expect((const char*[]){"in program > barrier"}, 1);
#pragma omp barrier
  }
}

// Whoever runs the task asks: nothing runs here without one.
static void a_task_in_a_wait(void) {
#pragma omp parallel num_threads(2)
#pragma omp masked
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : order)
    open_event(0, event);
#pragma omp task depend(in : order)
    expect((const char*[]){" > task;"}, 1);
    omp_fulfill_event(event);
#pragma omp taskwait
  }
}

static int over;

// Again and again, but not before the last report has ended: threads that do nothing but report get
// no further.
static void* ask_often(void* nothing) {
  while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
    off_t before = lseek(2, 0, SEEK_CUR), last, now = before;
    kill(getpid(), SIGUSR1);
    do {
      last = now;
      usleep(200);
      now = lseek(2, 0, SEEK_CUR);
    } while ((now == before || now != last) && !__atomic_load_n(&over, __ATOMIC_RELAXED));
  }
  return nothing;
}

static void* use_openmp(void* nothing) {
  int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
  sum += 1;
  CHECK(sum == 3);
  return nothing;
}

static void count_reports(int* begun, int* ended) {
  *begun = *ended = 0;
  char line[4096];
  rewind(report);
  while (fgets(line, sizeof line, report)) {
    *begun += strcmp(line, "xomp: state of all workers\n") == 0;
    *ended += strcmp(line, "xomp: end of the state\n") == 0;
  }
}

// Teams are made, made larger and smaller, nested and freed while reports are written. A worker
// that took the last signal may still be writing when the one who asked has ended.
static void reports_beside_changes(void) {
  CHECK(ftruncate(fileno(report), 0) == 0);
  CHECK(lseek(2, 0, SEEK_SET) == 0);
  omp_set_max_active_levels(2);
  pthread_t asker, user;
  CHECK(pthread_create(&asker, 0, ask_often, 0) == 0);
  for (int round = 0; round < 150; ++round) {
    int sum = 0, width = 1 + round % 9;
    CHECK(pthread_create(&user, 0, use_openmp, 0) == 0);
#pragma omp parallel num_threads(width) reduction(+ : sum)
    {
#pragma omp parallel num_threads(2) reduction(+ : sum)
      {
#pragma omp task
        sched_yield();
        sum += 1;
      }
    }
    CHECK(sum == 2 * width);
    CHECK(pthread_join(user, 0) == 0);
  }
  __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
  CHECK(pthread_join(asker, 0) == 0);
  int begun, ended;
  count_reports(&begun, &ended);
  for (int i = 0; i < 1000 && begun != ended; ++i) {
    usleep(10000);
    count_reports(&begun, &ended);
  }
  CHECK(dup2(errors, 2) == 2);
  CHECK(begun > 0);
  CHECK(begun == ended);
}

static int handled(void) {
  struct sigaction action;
  CHECK(sigaction(SIGUSR1, 0, &action) == 0);
  return action.sa_handler != SIG_DFL;
}

int main(int count, char** arguments) {
  (void)arguments;
  omp_get_max_threads();
  if (count > 1)
    return handled();
  CHECK(handled());
  struct outcome other = run_self("plain", "XOMP_WATCHDOG=false", 0);
  CHECK(WIFEXITED(other.status) && WEXITSTATUS(other.status) == 0);
  redirect_errors();
  waits_for_tasks();
  waits_for_members();
  a_task_in_a_wait();
  reports_beside_changes();
  return 0;
}
