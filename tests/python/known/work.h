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

// So much of the processor's time, for what is another matter when it sleeps.
static void compute(long milliseconds) {
  struct timespec used;
  long begin = -1, now;
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    now = used.tv_sec * 1000000000 + used.tv_nsec;
    if (begin < 0)
      begin = now;
  } while (now - begin < milliseconds * 1000000);
}
