// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OMP_DISPLAY_ENV and omp_display_env, OpenMP 5.2 sections 21.7 and 18.15: libgomp's layout and
// entries, then xomp's own variables. And the first lines of XOMP_DISPLAY.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include "conf/environment.h"
#include "conf/kmp.h"
#include "conf/own.h"
#include "conf/parse.h"
#include "conf/settings.h"
#include "place/places.h"
#include "sys/memory.h"
#include "sys/report.h"
#include "sys/text_sink.h"

namespace xomp {
namespace {

using sys::TextSink;

// The _OPENMP that gcc defines for the programs.
constexpr int kOpenMpVersion = 201511;

const char* truth(bool value) { return value ? "TRUE" : "FALSE"; }

void put_entry(TextSink& sink, const char* name, const char* value) {
  sink.print("  %s = '", name);
  sink.put(value);
  sink.put("'\n");
}

void put_entry(TextSink& sink, const char* name, unsigned long long value) {
  sink.print("  %s = '%llu'\n", name, value);
}

void put_num_threads(TextSink& sink) {
  sink.print("  OMP_NUM_THREADS = '%d", settings.icv.num_threads);
  for (int i = 1; i < settings.nthreads_count; ++i)
    sink.print(",%d", settings.nthreads_list[i]);
  sink.put("'\n");
}

void put_schedule(TextSink& sink) {
  uint32_t kind = settings.icv.schedule_kind & ~kScheduleModifiers;
  bool monotonic = settings.icv.schedule_kind & kMonotonic;
  bool is_static = kind == kScheduleStatic;
  const char* modifier = monotonic == is_static ? "" : monotonic ? "MONOTONIC:" : "NONMONOTONIC:";
  const char* name = is_static                  ? "STATIC"
                     : kind == kScheduleDynamic ? "DYNAMIC"
                     : kind == kScheduleGuided  ? "GUIDED"
                                                : "AUTO";
  sink.print("  OMP_SCHEDULE = '%s%s", modifier, name);
  int default_chunk = is_static ? 0 : 1;
  if (kind != kScheduleAuto && settings.icv.schedule_chunk != default_chunk)
    sink.print(",%d", settings.icv.schedule_chunk);
  sink.put("'\n");
}

const char* bind_name(int bind) {
  constexpr const char* kNames[] = {"FALSE", "TRUE", "MASTER", "CLOSE", "SPREAD", "INTEL"};
  return kNames[bind];
}

void put_binding(TextSink& sink) {
  sink.print("  OMP_PROC_BIND = '%s", bind_name(settings.icv.bind));
  for (int i = 1; i < settings.bind_count; ++i)
    sink.print(",%s", bind_name(settings.bind_list[i]));
  sink.put("'\n  OMP_PLACES = '");
  put_place_list(sink);
  sink.put("'\n");
}

void put_limits(TextSink& sink) {
  put_entry(sink, "OMP_STACKSIZE", settings.stack_size);
  put_entry(sink, "OMP_WAIT_POLICY",
            settings.wait_policy == WaitPolicy::kActive ? "ACTIVE" : "PASSIVE");
  // libgomp's number for "no limit".
  bool limited = settings.icv.thread_limit != kNoThreadLimit;
  put_entry(sink, "OMP_THREAD_LIMIT", limited ? settings.icv.thread_limit : UINT_MAX);
  put_entry(sink, "OMP_MAX_ACTIVE_LEVELS", settings.icv.max_active_levels);
  put_entry(sink, "OMP_NUM_TEAMS", settings.num_teams);
  put_entry(sink, "OMP_TEAMS_THREAD_LIMIT", settings.teams_thread_limit);
}

void put_target_offload(TextSink& sink) {
  constexpr const char* kNames[] = {"DEFAULT", "MANDATORY", "DISABLED"};
  put_entry(sink, "OMP_TARGET_OFFLOAD", kNames[static_cast<int>(settings.target_offload)]);
}

void put_gnu(TextSink& sink) {
  put_entry(sink, "GOMP_CPU_AFFINITY", "");
  put_entry(sink, "GOMP_STACKSIZE", settings.stack_size);
  put_entry(sink, "GOMP_SPINCOUNT", settings.spin_count);
}

void put_tool(TextSink& sink) {
  put_entry(sink, "OMP_TOOL", settings.tool ? "enabled" : "disabled");
  put_entry(sink, "OMP_TOOL_LIBRARIES", settings.tool_libraries ? settings.tool_libraries : "");
  put_entry(sink, "OMP_TOOL_VERBOSE_INIT",
            settings.tool_verbose ? settings.tool_verbose : "disabled");
}

/// Those of LLVM's and Intel's runtimes that mean something here. What became of the first two is
/// seen in OMP_PLACES, OMP_PROC_BIND and OMP_NUM_THREADS.
void put_kmp(TextSink& sink) {
  constexpr const char* kLibraries[] = {"serial", "turnaround", "throughput"};
  for (Variable variable : {Variable::kKmpAffinity, Variable::kKmpHwSubset}) {
    const char* given = std::getenv(name_of(variable));
    put_entry(sink, name_of(variable), given ? given : "");
  }
  if (settings.blocktime == kForEver)
    put_entry(sink, "KMP_BLOCKTIME", "infinite");
  else
    put_entry(sink, "KMP_BLOCKTIME", settings.blocktime);
  put_entry(sink, "KMP_LIBRARY", kLibraries[static_cast<int>(settings.kmp_library) - 1]);
  put_entry(sink, "KMP_STACKSIZE", settings.stack_size);
  put_entry(sink, "KMP_DEVICE_THREAD_LIMIT", settings.icv.thread_limit);
  put_entry(sink, "KMP_TEAMS_THREAD_LIMIT", settings.teams_thread_limit);
  put_entry(sink, "KMP_INHERIT_FP_CONTROL", truth(settings.inherits_float_mode));
  put_entry(sink, "KMP_DETERMINISTIC_REDUCTION", truth(settings.reduces_in_order));
  put_entry(sink, "KMP_SETTINGS", truth(settings.display_at_use));
}

void put_all(TextSink& sink, bool verbose) {
  sink.put("\nOPENMP DISPLAY ENVIRONMENT BEGIN\n");
  put_settings(sink, verbose);
  if (settings.display_at_use)
    put_kmp(sink);
  sink.put("OPENMP DISPLAY ENVIRONMENT END\n");
}

} // namespace

void put_settings(TextSink& sink, bool verbose) {
  complete_settings();
  put_entry(sink, "_OPENMP", kOpenMpVersion);
  put_entry(sink, "OMP_DYNAMIC", truth(settings.icv.dynamic));
  put_entry(sink, "OMP_NESTED", truth(settings.icv.max_active_levels > 1));
  put_num_threads(sink);
  put_schedule(sink);
  put_binding(sink);
  put_limits(sink);
  put_entry(sink, "OMP_CANCELLATION", truth(settings.cancellation));
  sink.print("  OMP_DEFAULT_DEVICE = '%d'\n", settings.icv.default_device);
  put_entry(sink, "OMP_MAX_TASK_PRIORITY", settings.max_task_priority);
  put_entry(sink, "OMP_DISPLAY_AFFINITY", truth(settings.display_affinity));
  put_entry(sink, "OMP_AFFINITY_FORMAT", affinity_format());
  sink.put("  OMP_ALLOCATOR = '");
  put_allocator(sink, settings);
  sink.put("'\n");
  put_target_offload(sink);
  if (verbose)
    put_gnu(sink);
  put_tool(sink);
  put_own(sink);
}

void display_settings(bool verbose) {
  sys::print_held();
  TextSink measure(nullptr, 0);
  put_all(measure, verbose);
  auto* text = static_cast<char*>(sys::allocate(measure.length()));
  TextSink sink(text, measure.length());
  put_all(sink, verbose);
  sys::print({text, sink.length()});
  sys::release(text);
}

void display_choices() {
  sys::print_held();
  complete_settings();
  sys::warn("version %s: %s, process %d: scheduler %s, barrier %s", XOMP_VERSION,
            program_invocation_short_name, static_cast<int>(getpid()),
            scheduler_name(settings.scheduler), barrier_name(settings.barrier));
  char quota[48] = "no quota";
  if (!settings.cgroup)
    std::snprintf(quota, sizeof quota, "quota not asked for");
  else if (settings.quota)
    std::snprintf(quota, sizeof quota, "quota of %d", settings.quota);
  bool more = settings.icv.num_threads > settings.threads_at_once;
  sys::warn("  threads %d, processors %d, control groups: %s; %s", settings.icv.num_threads,
            settings.processors, quota,
            more ? "more threads than can run at once" : "all threads can run at once");
}

} // namespace xomp
