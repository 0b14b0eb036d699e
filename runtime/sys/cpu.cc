// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sys/cpu.h"

#include <sched.h>

#include "sys/futex.h"

namespace xomp::sys {

void yield() { sched_yield(); }

void nap(int64_t nanoseconds) {
  // Not nanosleep, at which the program's thread might be cancelled.
  std::atomic<uint32_t> never_changed{0};
  futex_wait_at_most(never_changed, 0, nanoseconds);
}

} // namespace xomp::sys
