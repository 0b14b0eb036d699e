// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exceptions that stay inside a region, a task, a critical region; one that passes a finished
// region. Naive version: a runtime without unwind tables, or one that keeps state on the way that
// unwinding does not restore.
// xomp-test: schedulers=q,l,cq,ws,mts threads=1,2,4 compilers=gcc,clang
#include <omp.h>

#include <atomic>
#include <stdexcept>
#include <string>

#include "check.h"

namespace {

std::atomic<int> caught, destroyed;

struct Guard {
  ~Guard() { destroyed++; }
};

int deep(int level) {
  Guard guard;
  if (level == 0)
    throw std::runtime_error("deep");
  return deep(level - 1) + 1;
}

void catch_in_task() {
  try {
#pragma omp task if (0) // an inner task of the frame that is unwound later
    caught += 0;
    deep(10);
  } catch (const std::runtime_error& error) {
    if (std::string(error.what()) == "deep")
      caught++;
  }
}

void throw_after_region() {
  Guard guard;
#pragma omp parallel
  catch_in_task();
  throw 1;
}

} // namespace

int main() {
  for (int round = 0; round < 50; ++round) {
    caught = destroyed = 0;
    int threads = 0;
#pragma omp parallel
    {
#pragma omp single
      threads = omp_get_num_threads();
      catch_in_task();
      try {
#pragma omp critical
        try {
          deep(1);
        } catch (const std::exception&) {
          caught++;
        }
        throw std::string("in the region");
      } catch (const std::string&) {
        caught++;
      }
#pragma omp for
      for (int i = 0; i < 40; ++i) {
#pragma omp task
        catch_in_task();
      }
#pragma omp taskgroup
      {
#pragma omp task
        try {
#pragma omp task
          catch_in_task();
#pragma omp taskwait
          throw 2;
        } catch (int) {
          caught++;
        }
      }
    }
    CHECK(caught == threads * 5 + 40);
    try {
      throw_after_region();
    } catch (int) {
      caught++;
    }
    CHECK(caught == threads * 6 + 41);
    CHECK(destroyed == (threads * 3 + 40) * 11 + threads * 2 + 1);
  }
}
