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
  return xomp::place_count() ? xomp::settings.processors : xomp::usable_processors();
}

const xomp::Thread& league() { return xomp::league_of(xomp::me()); }

bool in_final() { return xomp::me().env->flags & xomp::kEnvFinal; }

bool in_explicit_task() { return xomp::in_explicit_task(xomp::me()); }

} // namespace

XOMP_EXPORT int omp_get_thread_num() { return thread_num(); }
XOMP_EXPORT int omp_get_thread_num_() { return thread_num(); }
XOMP_EXPORT int omp_get_thread_num_dim(int dim) { return dim == 0 ? thread_num() : 0; }
XOMP_EXPORT int omp_get_num_threads() { return num_threads(); }
XOMP_EXPORT int omp_get_num_threads_() { return num_threads(); }
XOMP_EXPORT int omp_get_num_threads_dim(int dim) { return dim == 0 ? num_threads() : 1; }

XOMP_EXPORT int omp_get_num_procs() { return num_procs(); }
XOMP_EXPORT int omp_get_num_procs_() { return num_procs(); }

XOMP_EXPORT int omp_in_parallel() { return active_level() > 0; }
XOMP_EXPORT int omp_in_parallel_() { return active_level() > 0; }
XOMP_EXPORT int omp_get_active_level() { return active_level(); }
XOMP_EXPORT int omp_get_active_level_() { return active_level(); }
XOMP_EXPORT int omp_get_level() { return level(); }
XOMP_EXPORT int omp_get_level_() { return level(); }

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

XOMP_EXPORT int omp_get_num_teams() { return league().team_total; }
XOMP_EXPORT int omp_get_num_teams_() { return league().team_total; }
XOMP_EXPORT int omp_get_num_teams_dim(int dim) { return dim == 0 ? league().team_total : 1; }
XOMP_EXPORT int omp_get_team_num() { return league().team_number; }
XOMP_EXPORT int omp_get_team_num_() { return league().team_number; }
XOMP_EXPORT int omp_get_team_num_dim(int dim) { return dim == 0 ? league().team_number : 0; }

XOMP_EXPORT int omp_in_final() { return in_final(); }
XOMP_EXPORT int omp_in_final_() { return in_final(); }
XOMP_EXPORT int omp_in_explicit_task() { return in_explicit_task(); }
XOMP_EXPORT int omp_in_explicit_task_() { return in_explicit_task(); }

// OpenMP 6.0: there are no threads outside of teams here that run tasks.
XOMP_EXPORT int omp_is_free_agent() { return 0; }
XOMP_EXPORT int omp_is_free_agent_() { return 0; }
XOMP_EXPORT int omp_ancestor_is_free_agent(int) { return 0; }
XOMP_EXPORT int omp_ancestor_is_free_agent_(const int*) { return 0; }

// Also for binaries of clang, flang and Intel's compilers.
XOMP_ALSO_VERSION(omp_get_active_level, OMP_3.0);
XOMP_ALSO_VERSION(omp_get_active_level_, OMP_3.0);
XOMP_ALSO_VERSION(omp_get_ancestor_thread_num, OMP_3.0);
XOMP_ALSO_VERSION(omp_get_ancestor_thread_num_, OMP_3.0);
XOMP_ALSO_VERSION(omp_get_level, OMP_3.0);
XOMP_ALSO_VERSION(omp_get_level_, OMP_3.0);
XOMP_ALSO_VERSION(omp_get_num_procs, OMP_1.0);
XOMP_ALSO_VERSION(omp_get_num_procs_, OMP_1.0);
XOMP_ALSO_VERSION(omp_get_num_teams, OMP_4.0);
XOMP_ALSO_VERSION(omp_get_num_teams_, OMP_4.0);
XOMP_ALSO_VERSION(omp_get_num_threads, OMP_1.0);
XOMP_ALSO_VERSION(omp_get_num_threads_, OMP_1.0);
XOMP_ALSO_VERSION(omp_get_team_num, OMP_4.0);
XOMP_ALSO_VERSION(omp_get_team_num_, OMP_4.0);
XOMP_ALSO_VERSION(omp_get_team_size, OMP_3.0);
XOMP_ALSO_VERSION(omp_get_team_size_, OMP_3.0);
XOMP_ALSO_VERSION(omp_get_thread_num, OMP_1.0);
XOMP_ALSO_VERSION(omp_get_thread_num_, OMP_1.0);
XOMP_ALSO_VERSION(omp_in_explicit_task, OMP_5.2);
XOMP_ALSO_VERSION(omp_in_explicit_task_, OMP_5.2);
XOMP_ALSO_VERSION(omp_in_final, OMP_3.1);
XOMP_ALSO_VERSION(omp_in_final_, OMP_3.1);
XOMP_ALSO_VERSION(omp_in_parallel, OMP_1.0);
XOMP_ALSO_VERSION(omp_in_parallel_, OMP_1.0);
XOMP_ALSO_NAME(omp_get_ancestor_thread_num, ompc_get_ancestor_thread_num);
XOMP_ALSO_NAME(omp_get_team_size, ompc_get_team_size);
