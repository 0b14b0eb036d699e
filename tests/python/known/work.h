// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work of so many milliseconds. It sleeps: what a report must name does not depend on how many
// processors there are, nor on what else runs on them, as far as the parts of a program are some
// milliseconds long, in which a busy machine wakes who has slept.
#pragma once
#include <errno.h>
#include <time.h>

static double work(long milliseconds) {
  struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
    ;
  return 0;
}
