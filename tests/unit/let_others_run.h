// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a thread of a test waits for another one, also beside programs that compute: kernels let who
// yields wait for whole time slices of these, hundreds of thousands of times in a test of a ring,
// but give a processor soon to who has slept.
#pragma once
#include <sched.h>

#include <chrono>
#include <thread>

namespace xomp {

inline void let_others_run() {
  using Clock = std::chrono::steady_clock;
  thread_local bool others_compute = false;
  if (others_compute)
    return std::this_thread::sleep_for(std::chrono::microseconds(1));
  auto begin = Clock::now();
  sched_yield();
  others_compute = Clock::now() - begin > std::chrono::milliseconds(1);
}

} // namespace xomp
