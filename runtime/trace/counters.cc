// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/counters.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <iterator>
#include <pthread.h>
#include <unistd.h>

#include "sys/report.h"

namespace xomp {
namespace {

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
Counters* enlisted = nullptr; ///< newest first
CounterSums retired;          ///< the sums of those that were removed
bool ever_enlisted = false;   ///< since the process began, or was forked

void add(CounterSums& sum, const Counters& part) {
#define XOMP_COUNTER(name) sum.name += part.name;
#include "trace/counters.def"
}

/// The caller holds the lock.
CounterSums sum_of_all() {
  CounterSums sum = retired;
  for (Counters* counters = enlisted; counters; counters = counters->next)
    add(sum, *counters);
  return sum;
}

/// A team's workers in the list.
struct Crew {
  int workers = 0;
  uint64_t tasks = 0, most = 0; ///< run by all, and by one
};

Crew crew_of(const void* team) {
  Crew crew;
  for (Counters* each = enlisted; each; each = each->next) {
    if (each->team != team)
      continue;
    uint64_t ran = each->ran();
    ++crew.workers;
    crew.tasks += ran;
    crew.most = ran > crew.most ? ran : crew.most;
  }
  return crew;
}

/// The team of several workers that ran the most tasks.
Crew busiest_crew() {
  Crew busiest;
  for (Counters* each = enlisted; each; each = each->next) {
    Crew crew = each->worker == 0 ? crew_of(each->team) : Crew{};
    if (crew.workers > 1 && crew.tasks > busiest.tasks)
      busiest = crew;
  }
  return busiest;
}

const char* plural(uint64_t number) { return number == 1 ? "" : "s"; }

/// What most want to know, before the numbers.
void print_sentences(const CounterSums& sum) {
  if (sum.created == 0) {
    sys::warn("  No task was created.");
    return;
  }
  uint64_t others = sum.local + sum.remote, share = thousandths(others, sum.created);
  uint64_t at_once = thousandths(sum.immediate, sum.created);
  sys::warn("  Of %" PRIu64 " task%s other workers than their creators ran %" PRIu64 " (%" PRIu64
            ".%" PRIu64 " %%).",
            sum.created, plural(sum.created), others, share / 10, share % 10);
  sys::warn("  Creators ran %" PRIu64 " at once (%" PRIu64 ".%" PRIu64
            " %%), and left the others for whoever came first.",
            sum.immediate, at_once / 10, at_once % 10);
  Crew crew = busiest_crew();
  if (crew.tasks == 0)
    sys::warn("  No team of several workers ran any, so that no two ran at the same time.");
  else
    sys::warn("  The busiest of %d workers ran %" PRIu64 " %% of its team's tasks.", crew.workers,
              (thousandths(crew.most, crew.tasks) + 5) / 10);
}

bool zeros = false; ///< whether something is said of what did not happen

void print(const char* words, uint64_t number, const char* name = "") {
  if (number == 0 && !zeros)
    return;
  sys::warn("  %-34s %20" PRIu64 "%s%s", words, number, *name ? "  " : "", name);
}

void print_sums(const CounterSums& sum) {
  print("tasks created", sum.created, "NTASKS_CREATED");
  print("run by the worker that created them", sum.immediate + sum.self, "NTASKS_SELF");
  print("  at once", sum.immediate, "NTASKS_IMM_EXEC");
#define XOMP_AT_ONCE(reason, counter, words) print("    " words, sum.counter);
#include "trace/at_once.def"
  print("by another of its locality domain", sum.local, "NTASKS_LOCAL");
  print("by a worker of another domain", sum.remote, "NTASKS_REMOTE");
  print("pushed by their creator", sum.deferred - sum.redirected, "NTASKS_STATIC_PUSH");
  print("requests of thieves", sum.requests_sent, "NREQ_SENT");
  print("handled by victims", sum.requests_handled, "NREQ_HANDLED");
  print("  with tasks given", sum.requests_with_steal, "NREQ_HAS_STEAL");
  print("  the victim had none", sum.requests_source_empty, "NREQ_SRC_EMPTY");
  print("  the thief's queue was full", sum.requests_target_full, "NREQ_TARGET_FULL");
  print("tasks given to thieves", sum.stolen_local + sum.stolen_remote, "NTASKS_STOLEN");
  print("  of the victim's domain", sum.stolen_local, "NTASKS_STOLEN_LOCAL");
  print("  of another domain", sum.stolen_remote, "NTASKS_STOLEN_REMOTE");
  print("steals from another domain", sum.remote_steals, "NSTEALS_REMOTE");
  print("steals that found none", sum.failed_steals, "NSTEALS_FAILED");
  print("steals of what may not start here", sum.refused_steals, "NSTEALS_REFUSED");
  print("times a worker slept", sum.sleeps);
}

struct Column {
  const char* words;
  uint64_t (*of)(const CounterSums& each);
};
constexpr Column kColumns[] = {
    {"created", [](const CounterSums& each) { return each.created; }},
    {"run", [](const CounterSums& each) { return each.ran(); }},
    {"at once", [](const CounterSums& each) { return each.immediate; }},
    {"own", [](const CounterSums& each) { return each.self; }},
    {"local", [](const CounterSums& each) { return each.local; }},
    {"remote", [](const CounterSums& each) { return each.remote; }},
    {"sent", [](const CounterSums& each) { return each.requests_sent; }},
    {"handled", [](const CounterSums& each) { return each.requests_handled; }},
    {"given", [](const CounterSums& each) { return each.stolen_local + each.stolen_remote; }},
    {"times slept", [](const CounterSums& each) { return each.sleeps; }},
};

/// A row of a team's table: of each column in which some worker has more than nothing.
struct Row {
  explicit Row(const CounterSums& sums) : sums(sums) {}
  bool has(const Column& column) const { return zeros || column.of(sums) != 0; }
  void put(const char* format, auto... value) {
    int bytes = std::snprintf(text + used, sizeof text - used, format, value...);
    used += std::max(0, std::min(bytes, static_cast<int>(sizeof text - used) - 1));
  }
  void put_words() {
    for (const Column& column : kColumns)
      if (has(column))
        put(" %12s", column.words);
  }
  void put_numbers(const CounterSums& each) {
    for (const Column& column : kColumns)
      if (has(column))
        put(" %12" PRIu64, column.of(each));
  }

  const CounterSums& sums;
  char text[16 * std::size(kColumns)] = "";
  std::size_t used = 0;
};

void print_team(const void* team, int count) {
  static CounterSums sums; // not on the stack, which may be small
  sums = CounterSums();
  for (Counters* each = enlisted; each; each = each->next)
    if (each->team == team)
      add(sums, *each);
  Row head(sums);
  head.put_words();
  if (!head.used)
    return;
  sys::warn("  team of %d", count);
  sys::warn("  %6s%s", "worker", head.text);
  for (Counters* each = enlisted; each; each = each->next) {
    if (each->team != team)
      continue;
    Row row(sums);
    CounterSums numbers;
    add(numbers, *each);
    row.put_numbers(numbers);
    sys::warn("  %6d%s", each->worker, row.text);
  }
}

/// Every worker of a team of several, the oldest team and its first worker last: as the list is.
void print_workers() {
  const void* team = nullptr;
  for (Counters* each = enlisted; each; each = each->next) {
    if (each->team == team)
      continue;
    team = each->team;
    if (int count = crew_of(team).workers; count > 1)
      print_team(team, count);
  }
}

/// Paper 4's lambda (section 3.1) is of the time that each was in tasks, which only a recorded run
/// knows: this counts tasks, and has another name.
void print_imbalance() {
  Crew crew = busiest_crew();
  if (crew.tasks == 0)
    return;
  uint64_t more = thousandths(crew.most * crew.workers, crew.tasks) - 1000;
  sys::warn("  imbalance of tasks run (most / mean - 1) %" PRIu64 ".%03" PRIu64 ", of %d workers",
            more / 1000, more % 1000, crew.workers);
}

void check(const CounterSums& sum) {
  if (sum.created == sum.ran())
    return;
  if (sum.regions_begun != sum.regions_ended)
    sys::warn("  the process ended in the middle of a parallel region");
  else
    sys::warn("error: of %" PRIu64 " tasks created, %" PRIu64 " were run; these numbers "
              "should be equal",
              sum.created, sum.ran());
}

} // namespace

void enlist(Counters& counters, const void* team, int worker) {
  counters.team = team;
  counters.worker = worker;
  pthread_mutex_lock(&lock);
  counters.next = enlisted;
  counters.link = &enlisted;
  if (enlisted)
    enlisted->link = &counters.next;
  enlisted = &counters;
  ever_enlisted = true;
  pthread_mutex_unlock(&lock);
}

void delist(Counters& counters) {
  pthread_mutex_lock(&lock);
  if (counters.link) {
    *counters.link = counters.next;
    if (counters.next)
      counters.next->link = counters.link;
    counters.link = nullptr;
    add(retired, counters);
  }
  pthread_mutex_unlock(&lock);
}

bool sum_counters(CounterSums& sum) {
  pthread_mutex_lock(&lock);
  sum = sum_of_all();
  bool any = ever_enlisted;
  pthread_mutex_unlock(&lock);
  return any;
}

void print_counters(bool with_zeros) {
  if (!ever_enlisted)
    return; // the process never used OpenMP: a shell in between, say
  pthread_mutex_lock(&lock);
  zeros = with_zeros;
  static CounterSums sum; // not on the stack, which may be small
  sum = sum_of_all();
  sys::warn("statistics of %s, process %d, %" PRIu64 " thread%s, %" PRIu64 " parallel region%s",
            program_invocation_short_name, static_cast<int>(getpid()), sum.threads,
            plural(sum.threads), sum.regions_begun, plural(sum.regions_begun));
  print_sentences(sum);
  print_sums(sum);
  print_imbalance();
  print_workers();
  check(sum);
  pthread_mutex_unlock(&lock);
}

void reset_counters_after_fork() {
  lock = PTHREAD_MUTEX_INITIALIZER;
  while (Counters* each = enlisted) {
    enlisted = each->next;
    *each = Counters();
  }
  retired = CounterSums();
  ever_enlisted = false;
}

} // namespace xomp
