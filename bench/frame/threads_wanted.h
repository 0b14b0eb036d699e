// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the thread starters of the libraries other than OpenMP have in common.
#ifndef XOMP_BENCH_THREADS_WANTED_H
#define XOMP_BENCH_THREADS_WANTED_H

#include "app.h"

#include <cstddef>
#include <cstdlib>
#include <thread>

// Enough for the recursion of every application; pages that are not used cost nothing.
constexpr std::size_t kThreadStack = 100 << 20;

// As OpenMP does: OMP_NUM_THREADS, else one for each processor.
inline int threads_wanted() {
  const char* text = std::getenv("OMP_NUM_THREADS");
  if (text == nullptr)
    return static_cast<int>(std::thread::hardware_concurrency());
  char* end;
  long threads = std::strtol(text, &end, 10);
  if (end == text || *end != '\0' || threads < 1 || threads > 4096)
    app_reject("OMP_NUM_THREADS must be an integer from 1 to 4096, not '%s'", text);
  return static_cast<int>(threads);
}

#endif
