// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who and where the calling thread is: threads, nesting, teams of a league, tasks.
#include <cstdint>

#include "abi/export.h"
#include "abi/omp/fortran.h"
#include "abi/omp/meet.h"
#include "abi/omp/versions.h"
#include "place/allowed.h"
#include "place/places.h"
#include "task/environment.h"
#include "team/ancestors.h"
#include "team/team.h"

using xomp::to_int;

namespace {

// These two are asked for all the time. A thread that the runtime does not know has number 0 in a
// team of one as well, so nothing need be registered; a tool waits for more than the number, on
// libomp too.
int thread_num() { return xomp::self_id; }
int num_threads() {
  xomp::meet_for_tool();
  return xomp::self->count;
}

int active_level() { return xomp::my_team().active_level; }
int level() { return xomp::my_team().level; }

int ancestor_thread_num(int level) {
  const xomp::Member* found = xomp::ancestor(xomp::me(), level);
  return found ? found->id : -1;
}

int team_size(int level) {
  const xomp::Member* found = xomp::ancestor(xomp::me(), level);
  return found ? found->count : -1;
}

int num_procs() {
  xomp::meet_for_tool();
  // A thread that is bound to a place sees only that place's processors in its mask.
  xomp::complete_settings();
  return xomp::place_count() ? xomp::settings.processors : xomp::usable_processors();
}

const xomp::Team& league() { return xomp::league_of(xomp::me()); }

bool in_final() { return xomp::me().env->flags & xomp::kEnvFinal; }

bool in_explicit_task() { return xomp::in_explicit_task(xomp::me()); }

} // namespace

XOMP_IN_BOTH(int, omp_get_thread_num) { return thread_num(); }
XOMP_EXPORT int omp_get_thread_num_dim(int dim) { return dim == 0 ? thread_num() : 0; }
XOMP_IN_BOTH(int, omp_get_num_threads) { return num_threads(); }
XOMP_EXPORT int omp_get_num_threads_dim(int dim) { return dim == 0 ? num_threads() : 1; }

XOMP_IN_BOTH(int, omp_get_num_procs) { return num_procs(); }

XOMP_IN_BOTH(int, omp_in_parallel) { return active_level() > 0; }
XOMP_IN_BOTH(int, omp_get_active_level) { return active_level(); }
XOMP_IN_BOTH(int, omp_get_level) { return level(); }

XOMP_EXPORT int omp_get_ancestor_thread_num(int level) { return ancestor_thread_num(level); }
XOMP_EXPORT int omp_get_ancestor_thread_num_(const int32_t* level) {
  return ancestor_thread_num(*level);
}
XOMP_EXPORT int omp_get_ancestor_thread_num_8_(const int64_t* level) {
  return ancestor_thread_num(to_int(*level));
}
XOMP_EXPORT int omp_get_team_size(int level) { return team_size(level); }
XOMP_EXPORT int omp_get_team_size_(const int32_t* level) { return team_size(*level); }
XOMP_EXPORT int omp_get_team_size_8_(const int64_t* level) { return team_size(to_int(*level)); }

XOMP_IN_BOTH(int, omp_get_num_teams) { return league().team_total; }
XOMP_EXPORT int omp_get_num_teams_dim(int dim) { return dim == 0 ? league().team_total : 1; }
XOMP_IN_BOTH(int, omp_get_team_num) { return league().team_number; }
XOMP_EXPORT int omp_get_team_num_dim(int dim) { return dim == 0 ? league().team_number : 0; }

XOMP_IN_BOTH(int, omp_in_final) { return in_final(); }
XOMP_IN_BOTH(int, omp_in_explicit_task) { return in_explicit_task(); }

// OpenMP 6.0: there are no threads outside of teams here that run tasks.
XOMP_IN_BOTH(int, omp_is_free_agent) { return 0; }
XOMP_EXPORT int omp_ancestor_is_free_agent(int) { return 0; }
XOMP_EXPORT int omp_ancestor_is_free_agent_(const int*) { return 0; }

XOMP_ALSO_VERSION(OMP_1.0, omp_get_num_procs, omp_get_num_procs_, omp_get_num_threads,
                  omp_get_num_threads_, omp_get_thread_num, omp_get_thread_num_, omp_in_parallel,
                  omp_in_parallel_);
XOMP_ALSO_VERSION(OMP_3.0, omp_get_active_level, omp_get_active_level_, omp_get_ancestor_thread_num,
                  omp_get_ancestor_thread_num_, omp_get_level, omp_get_level_, omp_get_team_size,
                  omp_get_team_size_);
XOMP_ALSO_VERSION(OMP_3.1, omp_in_final, omp_in_final_);
XOMP_ALSO_VERSION(OMP_4.0, omp_get_num_teams, omp_get_num_teams_, omp_get_team_num,
                  omp_get_team_num_);
XOMP_ALSO_VERSION(OMP_5.2, omp_in_explicit_task, omp_in_explicit_task_);
XOMP_ALSO_NAME(omp_get_ancestor_thread_num, ompc_get_ancestor_thread_num);
XOMP_ALSO_NAME(omp_get_team_size, ompc_get_team_size);
