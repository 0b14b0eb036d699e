// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// XOMP_DISPLAY says at the start what is in force, and at the end what became of the tasks, regions
// and loops of programs of which the answer is known; without it nothing is printed.
#include <omp.h>
#include <sched.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "process.h"

constexpr int kRounds = 100, kEach = 3000;
constexpr int kFew = 60; // fit into one queue
constexpr int kMany = 1000;
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

/// The first member that comes does not go on before all other iterations are done.
static void loop() {
  constexpr int kIterations = 100;
  std::atomic<bool> first{true};
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < kIterations; ++i) {
    if (first.exchange(false) && omp_get_num_threads() > 1) {
      while (ran < kIterations - 1)
        sched_yield();
    }
    ran++;
  }
}

static int as_child(const std::string& what) {
  if (what == "small")
    small();
  else if (what == "large")
    produce(kFew, 200);
  else if (what == "many")
    produce(kMany, 60);
  else if (what == "regions")
    regions();
  else if (what == "loop")
    loop();
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
  // What a tool does when a task begins and ends is part of what is measured: with one, no task
  // need be small.
  bool told = std::getenv("OMP_TOOL_LIBRARIES") != nullptr;
  double at_once = number(text, "run at once: ");
  expect(told || at_once > 0.8 * created, text, "small tasks are run at once");
  if (!alone && !told)
    expect(says(text, "window: small bodies run at once below height "), text, "a small body");
  if (alone)
    return;
  text = shown("large");
  expect(number(text, "tasks created: ") == kFew, text, "few tasks");
  expect(says(text, "offered: 60 (100.0%)"), text, "all large tasks are offered");
  expect(number(text, "offered tasks took ") > 150, text, "the mean");
  expect(says(text, "of 60 measured 0 too small, 60 large"), text, "they are judged large");
  expect(says(text, "window: no body was found small"), text, "no window");
  expect(number(text, "creators throttled (no room in a queue): ") == 0, text, "room for all");
  double taken = number(text, "taken by thieves: ");
  expect(taken >= 1 && taken <= kFew, text, "a thief took some");

  text = shown("many");
  double throttled = number(text, "creators throttled (no room in a queue): ");
  expect(throttled > 0, text, "no room for all");
  expect(number(text, "run at once: ") == throttled, text, "the others are run at once");
}

static void expect_regions() {
  std::string text = shown("regions", "OMP_NUM_THREADS=1");
  expect(says(text, "regions: 10; crowded (more threads than processors): 0\n"), text, "room");
  expect(says(text, "all threads can run at once"), text, "few threads");
  expect(!says(text, "tasks created"), text, "no tasks, no words about them");
  std::string threads = "OMP_NUM_THREADS=" + std::to_string(2 * omp_get_num_procs());
  text = shown("regions", threads.c_str());
  expect(says(text, "regions: 10; crowded (more threads than processors): 10: threads yield"), text,
         "a crowd");
  expect(says(text, "more threads than can run at once"), text, "many threads");
}

static void expect_other_scheduler() {
  std::string text = shown("large", "XOMP_SCHEDULER=slb");
  expect(says(text, ": scheduler slb, barrier "), text, "its name");
  expect(says(text, "what slb did: "), text, "its name at the end");
  expect(says(text, "window: off"), text, "no window");
  expect(!says(text, "thieves") && !says(text, "hungry"), text, "only what applies");
  expect(number(text, "run by others than their creators: ") > 0, text, "pushed");
}

int main(int argc, char** argv) {
  if (argc > 1)
    return as_child(argv[1]);
  bool alone = omp_get_max_threads() == 1;
  expect(!says(shown("small"), "xomp"), "", "nothing is printed unless it is asked for");
  setenv("XOMP_DISPLAY", "1", 1);
  std::string text = shown("nothing");
  expect(says(text, "xomp: version ") && says(text, ": scheduler auto, barrier "), text, "a start");
  expect(!says(text, "what auto did"), text, "no end for a program without OpenMP");
  expect_tasks(alone);
  expect_regions();
  if (!alone) {
    text = shown("loop");
    expect(number(text, "loops whose chunks were stolen: ") == 1, text, "one loop");
    expect_other_scheduler();
  }
  return 0;
}
