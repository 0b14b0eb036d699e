// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A proc_bind clause binds the threads of its region, and says nothing of bind-var in programs of
// clang, as on libomp; in gcc's it is the policy of the regions inside as well, as on libgomp.
// xomp-test: compilers=gcc,clang threads=2 env=OMP_PLACES=threads env=OMP_PROC_BIND=spread
#include <omp.h>

#include "check.h"

#ifdef __clang__
static const int clangs = 1;
#else
static const int clangs = 0;
#endif

static void inside(omp_proc_bind_t policy, int together) {
  int places[2];
  CHECK(omp_get_proc_bind() == policy);
#pragma omp barrier
  if (omp_get_thread_num() > 0)
    return;
#pragma omp parallel num_threads(2)
  {
    CHECK(omp_get_proc_bind() == policy);
    places[omp_get_thread_num()] = omp_get_place_num();
  }
  CHECK((places[0] == places[1]) == together);
}

int main(void) {
  if (omp_get_num_places() < 2)
    return 77;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) proc_bind(primary)
  {
    CHECK(omp_get_place_num() == 0);
    inside(clangs ? omp_proc_bind_spread : omp_proc_bind_master, !clangs);
  }
#pragma omp parallel num_threads(2) proc_bind(master)
  {
    CHECK(omp_get_place_num() == 0);
    inside(clangs ? omp_proc_bind_spread : omp_proc_bind_master, !clangs);
  }
#pragma omp parallel num_threads(2) proc_bind(close)
  inside(clangs ? omp_proc_bind_spread : omp_proc_bind_close, 0);
  return 0;
}
