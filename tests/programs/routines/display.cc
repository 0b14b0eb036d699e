// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// XOMP_DISPLAY says at the start what is in force, and at the end what became of the tasks and
// regions of programs of which the answer is known; without it nothing is printed.
// xomp-test: compilers=gcc,clang
#include <omp.h>
#include <sched.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "process.h"

constexpr int kRounds = 100, kEach = 3000;
constexpr int kWaiting = 256; // of one creator, at least
constexpr int kFew = 60;
constexpr int kMany = 5000;
constexpr int kRegions = 10;
constexpr double kMicrosecond = 1e-6;

static std::atomic<int> ran{0};

static void small() {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kEach; ++i)
#pragma omp task
      ran.store(i, std::memory_order_relaxed);
#pragma omp taskwait
  }
}

static void lasts(double microseconds) {
  double end = omp_get_wtime() + microseconds * kMicrosecond;
  while (omp_get_wtime() < end) {
  }
  ran++;
}

static void produce(int tasks, double microseconds) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < tasks; ++i)
#pragma omp task
      lasts(microseconds);
    while (ran == 0) // so that a thief takes one
      sched_yield();
  }
  CHECK(ran == tasks);
}

static void regions() {
  for (int i = 0; i < kRegions; ++i)
#pragma omp parallel
    ran++;
}

/// Tasks that the program itself keeps from being deferred, and some that have no team.
static void said() {
  for (int i = 0; i < kFew; ++i)
#pragma omp task
    ran++;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kFew; ++i)
#pragma omp task if (false)
      ran++;
#pragma omp task final(true)
    for (int i = 0; i < kFew; ++i)
#pragma omp task
      ran++;
  }
  CHECK(ran == 3 * kFew);
}

static int as_child(const std::string& what) {
  if (what == "small")
    small();
  else if (what == "large")
    produce(kFew, 200);
  else if (what == "many")
    produce(kMany, 5);
  else if (what == "said")
    said();
  else if (what == "regions")
    regions();
  return 0;
}

static std::string shown(const char* what, const char* variable = nullptr) {
  outcome result = run_self(what, variable, nullptr);
  if (result.status != 0)
    std::fprintf(stderr, "%s\n", result.output);
  CHECK(result.status == 0);
  return result.output;
}

static void expect(bool holds, const std::string& text, const char* what) {
  if (holds)
    return;
  std::fprintf(stderr, "%s\nnot as expected: %s\n", text.c_str(), what);
  std::exit(1);
}

static bool says(const std::string& text, const std::string& words) {
  return text.find(words) != text.npos;
}

/// The number after these words.
static double number(const std::string& text, const std::string& words) {
  std::size_t at = text.find(words);
  expect(at != text.npos, text, words.c_str());
  return std::atof(text.c_str() + at + words.size());
}

static void expect_tasks(bool alone) {
  std::string text = shown("small");
  double created = number(text, "tasks created: ");
  expect(created == kRounds * kEach, text, "the number of tasks");
  double at_once = number(text, "run at once by their creator: ");
  double deferred = number(text, "; left for any thread: ");
  expect(at_once + deferred == created, text, "each is one or the other");
  expect(deferred >= kRounds * kWaiting, text, "as many wait as may");
  expect(at_once == number(text, "as many waited as may: "), text, "there is no other reason");
  if (alone)
    return;
  text = shown("large");
  expect(number(text, "tasks created: ") == kFew, text, "few tasks");
  expect(says(text, "left for any thread: 60 (100.0 %)"), text, "all large tasks are deferred");
  double measured = number(text, "tasks whose time was taken: ");
  expect(measured >= 1 && measured == number(text, "longer than 50 us: "), text,
         "they are judged large");
  expect(!says(text, "because of"), text, "room for all, and no word about what did not happen");
  double taken = number(text, "run by another thread than their creator: ");
  expect(taken >= 1 && taken <= kFew, text, "another thread took some");

  text = shown("many");
  double throttled = number(text, "as many waited as may: ");
  expect(throttled > 0, text, "no room for all");
  expect(number(text, "run at once by their creator: ") == throttled, text,
         "the others are run at once");

  text = shown("said");
  expect(number(text, "if or final says so: ") == 2 * kFew, text, "if(0) and in final tasks");
  expect(number(text, "outside of all regions: ") == kFew, text, "no team");
  expect(number(text, "run at once by their creator: ") == 3 * kFew, text, "no other reason");
}

static void expect_regions() {
  std::string text = shown("regions", "OMP_NUM_THREADS=1");
  expect(says(text, "parallel regions: 10\n") && !says(text, "with more threads"), text, "room");
  expect(says(text, "all threads can run at once"), text, "few threads");
  expect(!says(text, "tasks created"), text, "no tasks, no words about them");
  std::string threads = "OMP_NUM_THREADS=" + std::to_string(2 * omp_get_num_procs());
  text = shown("regions", threads.c_str());
  expect(says(text, "with more threads than processors: 10 (threads yield"), text, "a crowd");
  expect(says(text, "more threads than can run at once"), text, "many threads");
}

static void expect_other_scheduler() {
  std::string text = shown("large", "XOMP_SCHEDULER=slb");
  expect(says(text, ": scheduler slb, barrier "), text, "its name");
  expect(says(text, ", scheduler slb\n"), text, "its name at the end");
  expect(number(text, "run by another thread than their creator: ") > 0, text, "pushed");
}

int main(int argc, char** argv) {
  if (argc > 1)
    return as_child(argv[1]);
  bool alone = omp_get_max_threads() == 1;
  expect(!says(shown("small"), "xomp"), "", "nothing is printed unless it is asked for");
  setenv("XOMP_DISPLAY", "1", 1);
  std::string text = shown("nothing");
#ifndef __clang__ // whose programs read the variables when they first use OpenMP
  expect(says(text, "xomp: version ") && says(text, ": scheduler auto, barrier "), text, "a start");
#endif
  expect(!says(text, "what became of"), text, "no end for a program without OpenMP");
  expect_tasks(alone);
  expect_regions();
  if (!alone)
    expect_other_scheduler();
  return 0;
}
