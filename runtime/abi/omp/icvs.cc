// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The routines that read and set internal control variables, for C and Fortran.
#include <atomic>
#include <cstdint>

#include "abi/export.h"
#include "abi/omp/fortran.h"
#include "abi/omp/meet.h"
#include "abi/omp/versions.h"
#include "conf/settings.h"
#include "sys/report.h"
#include "task/environment.h"
#include "team/team.h"

using xomp::Icv;
using xomp::to_int;

namespace {

const Icv& icv() { return xomp::icv(xomp::me()); }
[[gnu::always_inline]] inline Icv& own_icv() { return xomp::own_icv(xomp::me()); }

void set_nested(bool nested) {
  Icv& own = own_icv();
  if (nested)
    own.max_active_levels = xomp::kSupportedActiveLevels;
  else if (own.max_active_levels > 1)
    own.max_active_levels = 1;
}

bool nested() {
  return icv().max_active_levels > 1 && icv().max_active_levels > xomp::my_team().active_level;
}

// Once in a process each: a program may say it in a loop. libgomp says nothing, libomp each time.
[[gnu::cold]] void warn_of_schedule(uint32_t kind) {
  static std::atomic<bool> warned{false};
  // Relaxed: it guards no data.
  if (!warned.exchange(true, std::memory_order_relaxed))
    xomp::sys::warn("omp_set_schedule: there is no schedule %u; the one before it stays", kind);
}
[[gnu::cold]] void warn_of_levels(int levels) {
  static std::atomic<bool> warned{false};
  if (!warned.exchange(true, std::memory_order_relaxed)) // as above
    xomp::sys::warn("omp_set_max_active_levels: %d levels are none; the limit before it stays",
                    levels);
}

void set_schedule(uint32_t kind, int chunk) {
  uint32_t base = kind & ~xomp::kMonotonic;
  if (base < xomp::kScheduleStatic || base > xomp::kScheduleAuto)
    return warn_of_schedule(kind);
  Icv& own = own_icv();
  own.schedule_kind = kind;
  if (base != xomp::kScheduleAuto)
    own.schedule_chunk = chunk > 0 ? chunk : base == xomp::kScheduleStatic ? 0 : 1;
}

/// As programs of clang know it from libomp.
void get_schedule_llvm(uint32_t* kind, int* chunk) {
  const Icv& own = icv();
  bool given = own.schedule_kind != xomp::kDefaultSchedule;
  uint32_t told = given ? own.schedule_kind : uint32_t{xomp::kScheduleStatic};
  *kind = told & xomp::kUnsaid ? told & ~xomp::kScheduleModifiers : told;
  *chunk = given ? own.schedule_chunk : 0;
}

void set_max_active_levels(int levels) {
  if (levels < 0)
    return warn_of_levels(levels);
  own_icv().max_active_levels =
      levels < xomp::kSupportedActiveLevels ? levels : xomp::kSupportedActiveLevels;
}

// What is the process's own, and of no thread.

xomp::Settings& of_process() {
  xomp::meet_for_tool();
  return xomp::completed_settings();
}

void set_num_teams(int teams) {
  xomp::Settings& process = of_process();
  if (teams >= 0)
    process.num_teams = teams;
}

void set_teams_thread_limit(int limit) {
  xomp::Settings& process = of_process();
  if (limit >= 0)
    process.teams_thread_limit = limit;
}

void display_env(bool verbose) {
  xomp::meet_for_tool();
  xomp::display_settings(verbose);
}

} // namespace

XOMP_EXPORT void omp_set_num_threads(int threads) {
  own_icv().num_threads = xomp::supported_threads(threads);
}
XOMP_EXPORT void omp_set_num_threads_(const int32_t* threads) { omp_set_num_threads(*threads); }
XOMP_EXPORT void omp_set_num_threads_8_(const int64_t* threads) {
  omp_set_num_threads(to_int(*threads));
}
XOMP_IN_BOTH(int, omp_get_max_threads) { return icv().num_threads; }

XOMP_EXPORT void omp_set_dynamic(int dynamic) { own_icv().dynamic = dynamic != 0; }
XOMP_EXPORT void omp_set_dynamic_(const int32_t* dynamic) { omp_set_dynamic(*dynamic); }
XOMP_EXPORT void omp_set_dynamic_8_(const int64_t* dynamic) { omp_set_dynamic(*dynamic != 0); }
XOMP_IN_BOTH(int, omp_get_dynamic) { return icv().dynamic; }

XOMP_EXPORT void omp_set_nested(int on) { set_nested(on); }
XOMP_EXPORT void omp_set_nested_(const int32_t* on) { set_nested(*on); }
XOMP_EXPORT void omp_set_nested_8_(const int64_t* on) { set_nested(*on); }
XOMP_IN_BOTH(int, omp_get_nested) { return nested(); }

XOMP_EXPORT void omp_set_schedule(uint32_t kind, int chunk) { set_schedule(kind, chunk); }
XOMP_EXPORT void omp_set_schedule_(const int32_t* kind, const int32_t* chunk) {
  set_schedule(*kind, *chunk);
}
XOMP_EXPORT void omp_set_schedule_8_(const int32_t* kind, const int64_t* chunk) {
  set_schedule(*kind, to_int(*chunk));
}
XOMP_EXPORT void omp_get_schedule(uint32_t* kind, int* chunk) {
  *kind = icv().schedule_kind & ~xomp::kUnsaid;
  *chunk = icv().schedule_chunk;
}
XOMP_EXPORT __attribute__((symver("omp_get_schedule@VERSION"))) void
omp_get_schedule_llvm(uint32_t* kind, int* chunk) {
  get_schedule_llvm(kind, chunk);
}
// omp_lib of OpenMP 4.5 has no name for the monotonic flag, so Fortran does not get to see it.
XOMP_EXPORT void omp_get_schedule_(int32_t* kind, int32_t* chunk) {
  *kind = static_cast<int32_t>(icv().schedule_kind & ~xomp::kScheduleModifiers);
  *chunk = icv().schedule_chunk;
}
XOMP_EXPORT __attribute__((symver("omp_get_schedule_@VERSION"))) void
omp_get_schedule_llvm_(int32_t* kind, int32_t* chunk) {
  uint32_t told;
  get_schedule_llvm(&told, chunk);
  *kind = static_cast<int32_t>(told & ~xomp::kMonotonic);
}
XOMP_EXPORT void omp_get_schedule_8_(int32_t* kind, int64_t* chunk) {
  *kind = static_cast<int32_t>(icv().schedule_kind & ~xomp::kScheduleModifiers);
  *chunk = icv().schedule_chunk;
}

XOMP_IN_BOTH(int, omp_get_thread_limit) { return icv().thread_limit; }
XOMP_EXPORT int omp_get_thread_limit_dim(int dim) { return dim == 0 ? icv().thread_limit : 1; }

XOMP_EXPORT void omp_set_max_active_levels(int levels) { set_max_active_levels(levels); }
XOMP_EXPORT void omp_set_max_active_levels_(const int32_t* levels) {
  set_max_active_levels(*levels);
}
XOMP_EXPORT void omp_set_max_active_levels_8_(const int64_t* levels) {
  set_max_active_levels(to_int(*levels));
}
XOMP_IN_BOTH(int, omp_get_max_active_levels) { return icv().max_active_levels; }
XOMP_IN_BOTH(int, omp_get_supported_active_levels) { return xomp::kSupportedActiveLevels; }

XOMP_EXPORT void omp_set_num_teams(int teams) { set_num_teams(teams); }
XOMP_EXPORT void omp_set_num_teams_(const int32_t* teams) { set_num_teams(*teams); }
XOMP_EXPORT void omp_set_num_teams_8_(const int64_t* teams) { set_num_teams(to_int(*teams)); }
XOMP_IN_BOTH(int, omp_get_max_teams) { return of_process().num_teams; }

XOMP_EXPORT void omp_set_teams_thread_limit(int limit) { set_teams_thread_limit(limit); }
XOMP_EXPORT void omp_set_teams_thread_limit_(const int32_t* limit) {
  set_teams_thread_limit(*limit);
}
XOMP_EXPORT void omp_set_teams_thread_limit_8_(const int64_t* limit) {
  set_teams_thread_limit(to_int(*limit));
}
XOMP_IN_BOTH(int, omp_get_teams_thread_limit) { return of_process().teams_thread_limit; }

XOMP_IN_BOTH(int, omp_get_cancellation) { return of_process().cancellation; }
XOMP_IN_BOTH(int, omp_get_proc_bind) { return icv().bind; }
XOMP_IN_BOTH(int, omp_get_max_task_priority) { return of_process().max_task_priority; }

XOMP_EXPORT void omp_set_default_device(int device) { own_icv().default_device = device; }
XOMP_EXPORT void omp_set_default_device_(const int32_t* device) { omp_set_default_device(*device); }
XOMP_EXPORT void omp_set_default_device_8_(const int64_t* device) {
  omp_set_default_device(to_int(*device));
}
XOMP_IN_BOTH(int, omp_get_default_device) { return icv().default_device; }

XOMP_EXPORT void omp_display_env(int verbose) { display_env(verbose); }
XOMP_EXPORT void omp_display_env_(const int32_t* verbose) { display_env(*verbose); }
XOMP_EXPORT void omp_display_env_8_(const int64_t* verbose) { display_env(*verbose); }

XOMP_ALSO_VERSION(OMP_1.0, omp_get_dynamic, omp_get_dynamic_, omp_get_max_threads,
                  omp_get_max_threads_, omp_get_nested, omp_get_nested_, omp_set_dynamic,
                  omp_set_dynamic_, omp_set_nested, omp_set_nested_, omp_set_num_threads,
                  omp_set_num_threads_);
XOMP_ALSO_VERSION(OMP_3.0, omp_get_max_active_levels, omp_get_max_active_levels_,
                  omp_get_thread_limit, omp_get_thread_limit_, omp_set_max_active_levels,
                  omp_set_max_active_levels_, omp_set_schedule, omp_set_schedule_);
XOMP_ALSO_VERSION(OMP_4.0, omp_get_cancellation, omp_get_cancellation_, omp_get_default_device,
                  omp_get_default_device_, omp_get_proc_bind, omp_get_proc_bind_,
                  omp_set_default_device, omp_set_default_device_);
XOMP_ALSO_VERSION(OMP_4.5, omp_get_max_task_priority, omp_get_max_task_priority_);
XOMP_ALSO_VERSION(OMP_5.0.1, omp_get_supported_active_levels, omp_get_supported_active_levels_);
XOMP_ALSO_VERSION(OMP_5.1, omp_display_env, omp_display_env_, omp_get_max_teams, omp_get_max_teams_,
                  omp_get_teams_thread_limit, omp_get_teams_thread_limit_, omp_set_num_teams,
                  omp_set_num_teams_, omp_set_teams_thread_limit, omp_set_teams_thread_limit_);
XOMP_ALSO_NAME(omp_set_dynamic, ompc_set_dynamic);
XOMP_ALSO_NAME(omp_set_max_active_levels, ompc_set_max_active_levels);
XOMP_ALSO_NAME(omp_set_nested, ompc_set_nested);
XOMP_ALSO_NAME(omp_set_num_threads, ompc_set_num_threads);
XOMP_ALSO_NAME(omp_set_schedule, ompc_set_schedule);
