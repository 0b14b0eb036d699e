// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// XOMP_STATS: the tasks that were created are those that were run, by somebody, under each
// scheduler and in a child process; and an exit in the middle of a region is told from a mistake.
// xomp-test: threads=1,4 timeout=120 skip=tsan compilers=gcc,clang
#include <omp.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "process.h"

static const char* const kSchedulers[] = {"auto", "slb", "xqueue1", "na-rp", "na-ws", "ws", "mts"};
constexpr long kTasks = 3 * 500 + 500 + 64 + 1;

static std::atomic<long> ran{0}; // an empty task is no task to the compiler

static void work() {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 500; ++i)
#pragma omp task
    {
      ran++;
#pragma omp task
      ran++;
#pragma omp task if (0)
      ran++;
    }
    int chain = 0;
    for (int i = 0; i < 500; ++i)
#pragma omp task depend(inout : chain)
      chain++, ran++;
#pragma omp taskloop num_tasks(64)
    for (int i = 0; i < 64; ++i)
      ran++;
#pragma omp taskwait
  }
#pragma omp task
  ran++;
#pragma omp taskwait
}

static int as_child(const char* what) {
  if (std::string(what) == "exits in a region") {
#pragma omp parallel
#pragma omp master
    {
#pragma omp task
      std::exit(0);
#pragma omp taskwait
    }
  }
  work();
  CHECK(ran == kTasks);
  if (std::string(what) == "forks") {
    fflush(stderr);
    pid_t child = fork();
    if (child == 0) {
      work();
      std::exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }
  return 0;
}

/// The number before a name, in the `part`th statistics of the text, which are silent about zeros;
/// -1 if there are none.
static long number(const std::string& text, const char* name, int part = 1) {
  std::size_t from = 0;
  for (int i = 0; i < part; ++i) {
    from = text.find("xomp: statistics of ", from);
    if (from == text.npos)
      return -1;
    ++from;
  }
  std::size_t at = text.find(std::string("  ") + name + "\n", from);
  if (at == text.npos || at > text.find("xomp: statistics of ", from))
    return 0;
  std::size_t begin = text.find_last_of(' ', at - 1);
  return std::atol(text.c_str() + begin);
}

static void expect_agreement(const std::string& text, int part) {
  long created = number(text, "NTASKS_CREATED", part);
  long ran = number(text, "NTASKS_SELF", part) + number(text, "NTASKS_LOCAL", part) +
             number(text, "NTASKS_REMOTE", part);
  if (created != kTasks || ran != kTasks || text.find("xomp: error") != text.npos) {
    std::fprintf(stderr, "%s\n%ld of %ld tasks created, %ld run\n", text.c_str(), created, kTasks,
                 ran);
    std::exit(1);
  }
}

int main(int argc, char** argv) {
  if (argc > 1)
    return as_child(argv[1]);
  setenv("XOMP_STATS", "1", 1);
  for (const char* scheduler : kSchedulers) {
    std::string variable = std::string("XOMP_SCHEDULER=") + scheduler;
    outcome result = run_self("works", variable.c_str(), nullptr);
    CHECK(result.status == 0);
    expect_agreement(result.output, 1);
  }
  outcome forked = run_self("forks", nullptr, nullptr);
  CHECK(forked.status == 0);
  expect_agreement(forked.output, 1);
  expect_agreement(forked.output, 2);
  std::string left = run_self("exits in a region", nullptr, nullptr).output;
  CHECK(left.find("xomp: statistics of ") != left.npos);
  CHECK(left.find("xomp: error") == left.npos);
  return 0;
}
