// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the environment says: the ICVs whose scope is the device or the process, the initial values
// of the others, and xomp's own XOMP_* choices. Constant-initialised, filled once by
// `load_settings` and `complete_settings`, read-only afterwards except for the affinity format
// (omp_set_affinity_format), the teams ICVs (omp_set_num_teams, omp_set_teams_thread_limit), and
// what a forked child forgets.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "conf/allocator_numbers.h"
#include "conf/icv.h"
#include "sys/names.h"
#include "sys/relaxed.h"
#include "sys/text_sink.h"

namespace xomp {

enum class BarrierKind : uint8_t {
#define XOMP_BARRIER(kind, name) k##kind,
#include "conf/barriers.def"
};
enum class SchedulerKind : uint8_t {
#define XOMP_SCHEDULER(kind, name) k##kind,
#include "conf/schedulers.def"
};
enum class LocalityMode : uint8_t { kRelaxed, kStrict, kOblivious };
enum class TaskMemory : uint8_t { kHeap, kMalloc };
enum class WaitPolicy : uint8_t { kUndefined, kPassive, kActive };
/// What kmp_get_library tells.
enum class KmpLibrary : uint8_t { kSerial = 1, kTurnaround = 2, kThroughput = 3 };
enum class TargetOffload : uint8_t { kDefault, kMandatory, kDisabled };

/// The scheduling policies that XOMP_SCHEDULER names.
inline constexpr sys::Named<SchedulerKind> kSchedulerNames[] = {
#define XOMP_SCHEDULER(kind, name) {name, SchedulerKind::k##kind},
#include "conf/schedulers.def"
};
inline constexpr sys::Named<LocalityMode> kLocalityNames[] = {
    {"relaxed", LocalityMode::kRelaxed},
    {"strict", LocalityMode::kStrict},
    {"oblivious", LocalityMode::kOblivious},
};
inline constexpr sys::Named<TaskMemory> kTaskMemoryNames[] = {
    {"heap", TaskMemory::kHeap},
    {"malloc", TaskMemory::kMalloc},
};
inline constexpr sys::Named<BarrierKind> kBarrierNames[] = {
#define XOMP_BARRIER(kind, name) {name, BarrierKind::k##kind},
#include "conf/barriers.def"
};

/// The name of a policy or barrier, as its variable accepts it.
constexpr const char* scheduler_name(SchedulerKind kind) {
  return sys::name_of(kSchedulerNames, kind);
}
/// Whether it has a queue for each locality domain.
constexpr bool has_domains(SchedulerKind kind) { return kind == SchedulerKind::kMts; }
constexpr const char* barrier_name(BarrierKind kind) { return sys::name_of(kBarrierNames, kind); }

struct Settings {
  Icv icv; ///< the initial task's data environment

  // nthreads-var and bind-var when a list was given: element L is for a team created at nesting
  // level L.
  int* nthreads_list = nullptr;
  int nthreads_count = 0;
  uint8_t* bind_list = nullptr;
  int bind_count = 0;

  int processors = 1;      ///< usable by the process when it started
  bool cgroup = true;      ///< XOMP_CGROUP: the next is also bounded by the control groups' quota
  int quota = 0;           ///< processors that the control groups grant; 0: no limit, or not asked
  int threads_at_once = 1; ///< that can run at the same time
  /// What kmp_get_blocktime tells, in milliseconds: KMP_BLOCKTIME, or libomp's default.
  int blocktime = 200;
  KmpLibrary kmp_library = KmpLibrary::kThroughput;
  bool inherits_float_mode = true; ///< KMP_INHERIT_FP_CONTROL
  bool reduces_in_order = false;   ///< KMP_DETERMINISTIC_REDUCTION, KMP_FORCE_REDUCTION
  bool display_at_use = false;     ///< KMP_SETTINGS: print the settings when OpenMP is first used
  std::size_t stack_size = 0;      ///< stacksize-var in bytes; 0 is the system's default
  int64_t spin_count = 20000; ///< so many rounds an idle thread spins at most, about 0.5 ms; four
                              ///< times as many between regions
  bool spin_adapts =
      true;           ///< the above is an upper limit that each worker adapts (task/spin_policy.h)
  bool yields = true; ///< with more threads than processors one yields for a while before it sleeps
  WaitPolicy wait_policy = WaitPolicy::kUndefined;
  TargetOffload target_offload = TargetOffload::kDefault;
  bool cancellation = false;
  bool display_affinity = false;
  bool verbose_affinity = false;      ///< KMP_AFFINITY=verbose alone asks for that
  bool shows_affinity_as_kmp = false; ///< the format, the stream and `%i` are libomp's
  char* affinity_format = nullptr;    ///< affinity-format-var, on the heap; null is the default
  int max_task_priority = 0;
  bool examines_tasks = false;          ///< each that is created: it may be discarded, or urgent
  int num_teams = 0;                    ///< nteams-var; 0 is "implementation defined"
  int teams_thread_limit = 0;           ///< teams-thread-limit-var; 0 is "none"
  bool tool = true;                     ///< tool-var
  const char* tool_libraries = nullptr; ///< tool-libraries-var; in the environment
  /// tool-verbose-init-var: stdout, stderr, the name of a file; null: disabled.
  const char* tool_verbose = nullptr;

  // OMP_ALLOCATOR with a memory space: the memory layer makes the allocator from these at its
  // first use.
  int allocator_space = -1; ///< omp_memspace_handle_t; -1 when icv.default_allocator says it all
  AllocatorTrait allocator_traits[8] = {};
  int allocator_trait_count = 0;

  SchedulerKind scheduler = SchedulerKind::kAuto;
  BarrierKind barrier = BarrierKind::kTree;
  uint32_t queue_size = 64; ///< slots of each queue, a power of two
  int chunk = 0; ///< tasks that mts steals at a time; 0: as many as the domain has workers
  LocalityMode locality = LocalityMode::kRelaxed;
  TaskMemory task_memory = TaskMemory::kHeap;
  const char* topology = nullptr; ///< XOMP_TOPOLOGY, if in force; in the environment
  // Of na-rp and na-ws (paper 1, section IV.E); 0 and kAutoShare are `auto`
  // (sched/papers/guidelines.h).
  int victims = 0;  ///< XOMP_VICTIMS: N_victim
  int steal = 0;    ///< XOMP_STEAL: N_steal
  int interval = 0; ///< XOMP_INTERVAL: T_interval, in fruitless looks
  static constexpr uint32_t kAutoShare = UINT32_MAX;
  uint32_t local_share = kAutoShare; ///< XOMP_LOCAL: P_local, in millionths
  bool stats = false;                ///< XOMP_STATS: print counters when the process ends
  bool all_stats = false;            ///< those that are zero as well, for programs that read them
  bool display = false;              ///< XOMP_DISPLAY: say what is in force, and what came of it
  int started_by_run = 0;            ///< XOMP_RUN: the process that `xomp run` became; 0: none
  bool watchdog = false;             ///< XOMP_WATCHDOG: SIGUSR1 prints the state of every worker
  char* perflog = nullptr; ///< XOMP_PERFLOG: folder of the logs, absolute, on the heap; null: none
  uint64_t perflog_limit = uint64_t{1} << 30; ///< XOMP_PERFLOG_LIMIT: bytes of records in a log

  /// Whether unfinished tasks are counted for each team.
  bool has_central_barrier() const { return barrier == BarrierKind::kCentral; }
  /// Whether every task is counted, which costs some nanoseconds for each.
  bool counts() const { return stats || display; }
  /// Whether every task has a block of its own from the C library, as in the paper.
  bool mallocs_tasks() const { return task_memory == TaskMemory::kMalloc; }
  /// Whether no task is created on the fast path.
  bool creates_slowly() const { return cancellation || counts() || mallocs_tasks(); }
};

extern constinit Settings settings;

/// `spin_count` while there are more threads than processors.
inline int64_t crowded_spin_count() {
  int64_t most = settings.wait_policy == WaitPolicy::kActive ? 1000 : 100;
  return std::min(sys::load_relaxed(settings.spin_count), most);
}

/// Whether a thread that begins in a region has more to do than its work: to bind or to show
/// itself, to count, to heed cancellation, to tell listeners. Set when the settings are read, and
/// for good by whoever begins to listen. Relaxed: a thread that sees it late begins to tell at its
/// next region.
[[gnu::visibility("hidden")]] extern constinit std::atomic<bool> beginnings_ask;

inline constexpr char kDefaultAffinityFormat[] = "level %L thread %i affinity %A";
inline constexpr char kKmpAffinityFormat[] =
    "OMP: pid %P tid %i thread %n bound to OS proc set {%A}";
inline const char* affinity_format() {
  if (settings.affinity_format)
    return settings.affinity_format;
  return settings.shows_affinity_as_kmp ? kKmpAffinityFormat : kDefaultAffinityFormat;
}
/// omp_set_affinity_format: keeps a copy of `length` bytes.
void set_affinity_format(const char* format, std::size_t length);

/// Reads the environment; the library's constructor calls it once. A malformed variable gives one
/// warning and keeps its default. Shows the result when OMP_DISPLAY_ENV asks for it.
/// Many processes load the library that never use OpenMP, as the shell of a preloaded script, so
/// what takes time or files is left to `complete_settings`: the places and the control groups'
/// quota, `threads_at_once` and the default number of threads with it.
///
/// libgomp reads the variables of OpenMP and its own when it is loaded, libomp when OpenMP is first
/// used. `kAtUse`: so are they here, as nobody has asked for libgomp yet: a script of Python may
/// set them before it loads the package that does. Our own and those of tools are always read now.
enum class ReadOpenmp : bool { kNow, kAtUse };
void load_settings(ReadOpenmp when = ReadOpenmp::kNow);
/// The rest, once, before the first thread is met.
void complete_settings();
/// For what may be called before that.
inline Settings& completed_settings() {
  complete_settings();
  return settings;
}

/// kmp_set_defaults: "NAME=value|NAME=value" counts before the environment. False where OpenMP has
/// been used, whose variables have been read then.
bool add_defaults(const char* text, std::size_t length);
/// What counts all the same, as on libomp: the number of threads and whether it is dynamic, for the
/// data environment `own`, too, waiting, and the stack of threads that are made later.
void heed_defaults(const char* text, std::size_t length, IcvValues& own);

/// Adapts the ICVs that the implicit tasks of a team inherit to the team's nesting level (1 for an
/// outermost region): OMP_NUM_THREADS and OMP_PROC_BIND given as lists.
inline void enter_level(Icv& icv, int level) {
  if (level < settings.nthreads_count)
    icv.num_threads = settings.nthreads_list[level];
  if (level < settings.bind_count)
    icv.bind = settings.bind_list[level];
}

/// Writes the settings to stderr in libgomp's layout (OMP_DISPLAY_ENV, omp_display_env).
void display_settings(bool verbose);
/// Writes that into `sink`.
void put_settings(sys::TextSink& sink, bool verbose);

/// Writes what was chosen for this process to stderr (XOMP_DISPLAY).
void display_choices();

} // namespace xomp
