// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for another thread in a way that no runtime knows of.
#pragma once
#include <stdatomic.h>
#include <unistd.h>

static inline void poll_until(const atomic_int* counter, int at_least) {
  while (atomic_load(counter) < at_least)
    usleep(100);
}
