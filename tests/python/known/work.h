// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work of a given length in units of two microseconds. It sleeps: what a report must name does not
// depend on how many processors there are, nor on what else runs on them.
#pragma once
#include <errno.h>
#include <time.h>

static double work(long units) {
  struct timespec left = {units / 500000, units % 500000 * 2000};
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
    ;
  return 0;
}
