// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a parallel region each run target regions with teams at the same time: every league
// has its own numbers, and no iteration of a distribute construct is lost. clang has no call for
// the target construct.
// xomp-test: compilers=gcc,clang threads=1,2,4,8
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { kTrips = 12, kTeams = 3 };

int main(void) {
#pragma omp parallel
  {
    int threads = omp_get_num_threads(), self = omp_get_thread_num();
    for (int round = 0; round < repeats(100); ++round) {
      int visits[kTrips], team_of[kTeams], inside = 0;
      memset(visits, 0, sizeof visits);
      memset(team_of, 0, sizeof team_of);
#pragma omp target teams distribute map(tofrom : visits) num_teams(kTeams)
      for (int i = 0; i < kTrips; ++i) {
        if (i % 4 == 0 && round % 10 == 0)
          usleep(100);
        visits[i]++;
      }
      for (int i = 0; i < kTrips; ++i)
        CHECK(visits[i] == 1);
#pragma omp target teams map(tofrom : team_of, inside) num_teams(kTeams)
      {
        if (omp_get_num_teams() == kTeams)
          team_of[omp_get_team_num()]++;
#pragma omp parallel num_threads(2)
#pragma omp atomic
        inside++;
      }
      for (int team = 0; team < kTeams; ++team)
        CHECK(team_of[team] == 1);
      CHECK(inside >= kTeams && inside <= 2 * kTeams);
      CHECK(omp_get_num_threads() == threads && omp_get_thread_num() == self);
      CHECK(omp_get_num_teams() == 1 && omp_get_team_num() == 0);
#pragma omp barrier
    }
  }
}
