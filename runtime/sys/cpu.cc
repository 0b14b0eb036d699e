// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts usable processors from the affinity mask, growing the mask until the kernel accepts its
// size.
#include "sys/cpu.h"

#include <sched.h>
#include <unistd.h>

namespace xomp::sys {

int usable_processors() {
  for (int bits = 1024; bits <= 1 << 20; bits *= 2) {
    cpu_set_t* set = CPU_ALLOC(bits);
    if (!set)
      break;
    std::size_t bytes = CPU_ALLOC_SIZE(bits);
    int rc = sched_getaffinity(0, bytes, set);
    int count = rc == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0)
      return count;
  }
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? static_cast<int>(online) : 1;
}

void yield() { sched_yield(); }

} // namespace xomp::sys
