// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// taskloop: divides a loop's iterations among tasks (OpenMP 5.2, 12.6).
#pragma once
#include "task/create.h"

namespace xomp {

/// How many tasks, and how many iterations each: the first `larger` have one more, the last ones
/// may have less.
struct TaskloopSplit {
  uint64_t tasks;
  uint64_t size;
  uint64_t larger;
};

/// `number`: the argument of grainsize or num_tasks; 0: neither was given.
TaskloopSplit split_taskloop(uint64_t trips, unsigned flags, uint64_t number, int workers);

/// The argument block begins with the bounds that a task is to execute, in the program's type; with
/// task reductions their chain follows.
struct TaskloopSpec {
  void (*body)(void*);
  void* data;
  void (*copy)(void*, void*);
  std::size_t size, align;
  unsigned flags;
  uint64_t number;
  int priority;
  const void* codeptr;               ///< in the program
  uint64_t first, past, step, trips; ///< modulo 2^64
};

/// `Number` is long or unsigned long long.
template <class Number> void taskloop(Worker& worker, const TaskloopSpec& spec);

} // namespace xomp
