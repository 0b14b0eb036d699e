// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/counters.h"

#include <cinttypes>
#include <cstdio>
#include <pthread.h>

namespace xomp {
namespace {

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
Counters* enlisted = nullptr;
Counters retired; ///< the sums of those that were removed
int workers = 0;

void add(Counters& sum, const Counters& part) {
  sum.deferred += part.deferred;
  sum.immediate += part.immediate;
  sum.self += part.self;
  sum.taken += part.taken;
  sum.sleeps += part.sleeps;
  sum.remote_steals += part.remote_steals;
  sum.failed_steals += part.failed_steals;
}

} // namespace

void enlist(Counters& counters) {
  pthread_mutex_lock(&lock);
  counters.next = enlisted;
  counters.link = &enlisted;
  if (enlisted)
    enlisted->link = &counters.next;
  enlisted = &counters;
  ++workers;
  pthread_mutex_unlock(&lock);
}

void delist(Counters& counters) {
  pthread_mutex_lock(&lock);
  if (counters.link) {
    *counters.link = counters.next;
    if (counters.next)
      counters.next->link = counters.link;
    counters.link = nullptr;
    add(retired, counters);
  }
  pthread_mutex_unlock(&lock);
}

void print_counters() {
  pthread_mutex_lock(&lock);
  Counters sum = retired;
  for (Counters* counters = enlisted; counters; counters = counters->next)
    add(sum, *counters);
  pthread_mutex_unlock(&lock);
  if (workers == 0)
    return; // the process never used OpenMP: a shell in between, say
  std::fprintf(stderr,
               "xomp: statistics of %d workers\n"
               "xomp:   tasks run at once       %20" PRIu64 "  NTASKS_IMM_EXEC\n"
               "xomp:   tasks put into a queue  %20" PRIu64 "  NTASKS_STATIC_PUSH\n"
               "xomp:   of the deferred tasks, run by\n"
               "xomp:     their creator         %20" PRIu64 "  NTASKS_SELF\n"
               "xomp:     another worker        %20" PRIu64 "\n"
               "xomp:   times a worker slept    %20" PRIu64 "\n"
               "xomp:   steals from a domain    %20" PRIu64 "  NSTEALS_REMOTE\n"
               "xomp:   steals that found none  %20" PRIu64 "  NSTEALS_FAILED\n",
               workers, sum.immediate, sum.deferred, sum.self, sum.taken, sum.sleeps,
               sum.remote_steals, sum.failed_steals);
}

void reset_counters_after_fork() {
  lock = PTHREAD_MUTEX_INITIALIZER;
  enlisted = nullptr;
  retired = Counters();
  workers = 0;
}

} // namespace xomp
