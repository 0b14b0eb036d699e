// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random pauses where two threads race, in builds made to find races (cmake -DXOMP_DELAYS=ON,
// preset `delays`). Everywhere else `delay` is nothing.
#pragma once
#ifdef XOMP_DELAYS
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "sys/cpu.h"
#include "sys/uncancellable.h"
#endif

namespace xomp::sys {

#ifdef XOMP_DELAYS
inline void delay() {
  static __thread uint64_t random;
  if (random == 0)
    random = reinterpret_cast<uintptr_t>(&random) | 1;
  random ^= random << 13;
  random ^= random >> 7;
  random ^= random << 17;
  unsigned draw = random >> 40 & 1023;
  int saved = errno;
  if (draw < 2) {
    Uncancellable whole;
    usleep(random & 127);
  } else if (draw < 40) {
    sched_yield();
  } else if (draw < 300) {
    for (unsigned i = 0; i < draw; ++i)
      pause();
  }
  errno = saved;
}
#else
inline void delay() {}
#endif

} // namespace xomp::sys
