// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the environment to `settings`. The order matters in a few places: the wait policy gives the
// default spin count, and the binding policy and the place list decide about each other.
#include "conf/settings.h"

#include <pthread.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "conf/environment.h"
#include "conf/kmp.h"
#include "conf/own.h"
#include "conf/parse.h"
#include "place/affinity_format.h"
#include "place/places.h"
#include "sys/cgroup.h"
#include "sys/files.h"
#include "sys/memory.h"
#include "sys/report.h"
#include "sys/uncancellable.h"

namespace xomp {

constinit Settings settings;
constinit std::atomic<bool> beginnings_ask{false};

namespace {

// libgomp's rounds of an active policy: minutes.
constexpr int64_t kSpinActive = 30'000'000'000;

constexpr char kThreadList[] = "is not a list of integers from 1 to 4194304";

/// What is read when OpenMP is first used. The program may have changed its environment by then, so
/// the texts are copies, on the heap; null where the variable is not there.
struct Later {
  bool read = false;                    ///< all that follows
  bool openmp = false;                  ///< the variables of OpenMP and libgomp
  bool displays = false;                ///< what the variables of OpenMP ask to see
  DisplayEnv display = DisplayEnv::kNo; ///< OMP_DISPLAY_ENV, until that is done
  bool default_threads = false;         ///< OMP_NUM_THREADS says nothing
  bool bind_given = false;
  KmpGaps open{}; ///< what the variables of LLVM's runtime may fill; `binding` is not in it yet
  Setting places, cpu_affinity;
};
constinit Later later;
constinit pthread_once_t completed = PTHREAD_ONCE_INIT;
constinit std::atomic<bool> display_awaited{false}; // of what is read at first use

void keep(const Setting& setting, Setting& kept) {
  sys::release(const_cast<char*>(std::exchange(kept, {}).name));
  if (!setting)
    return;
  std::size_t bytes = std::strlen(setting.name) + 1;
  auto* copy = static_cast<char*>(sys::allocate(bytes));
  std::memcpy(copy, setting.name, bytes);
  kept = {copy, setting.name_length, copy + setting.name_length + 1};
}

/// An empty one is as if it were not there, where it is so on libomp.
Setting unless_empty(const Setting& setting) {
  return setting && *setting.value ? setting : Setting{};
}

void read_boolean(const Setting& setting, bool& value) {
  read(setting, "is neither TRUE nor FALSE",
       [&](const char* text) { return parse_boolean(text, value); });
}

bool read_int(const Setting& setting, int lowest, int& value) {
  return read(setting, lowest ? "is not a positive integer" : "is not a non-negative integer",
              [&](const char* text) { return parse_int(text, lowest, value); });
}

void read_threads(const Environment& environment) {
  Icv& icv = settings.icv;
  later.default_threads =
      !read(environment[Variable::kNumThreads], kThreadList, [&](const char* text) {
        return parse_thread_list(text, icv.num_threads, settings.nthreads_list,
                                 settings.nthreads_count);
      });
  later.open.limit =
      !read(environment[Variable::kThreadLimit], "is not a positive integer",
            [&](const char* text) { return parse_clamped(text, 1, INT_MAX, icv.thread_limit); });
  bool dynamic = false;
  read_boolean(environment[Variable::kDynamic], dynamic);
  icv.dynamic = dynamic;
  read_int(environment[Variable::kNumTeams], 1, settings.num_teams);
  later.open.team_limit =
      !read_int(environment[Variable::kTeamsThreadLimit], 1, settings.teams_thread_limit);
}

// The control groups are looked for in several files.
void choose_threads() {
  settings.quota = settings.cgroup ? sys::cgroup_quota() : 0;
  settings.threads_at_once = settings.processors;
  if (settings.quota)
    settings.threads_at_once = std::min(settings.quota, settings.processors);
  if (later.default_threads)
    settings.icv.num_threads = settings.threads_at_once;
}

// OpenMP 5.2 section 21.1.4: lists imply nesting; the deprecated OMP_NESTED yields to
// OMP_MAX_ACTIVE_LEVELS.
void read_nesting(const Environment& environment) {
  bool lists = settings.nthreads_count > 1 || settings.bind_count > 1;
  int levels = lists ? kSupportedActiveLevels : 1;
  read(environment[Variable::kNested], "is neither TRUE nor FALSE", [&](const char* text) {
    bool nested;
    if (!parse_boolean(text, nested))
      return false;
    levels = nested ? kSupportedActiveLevels : 1;
    return true;
  });
  read(environment[Variable::kMaxActiveLevels], "is not a non-negative integer",
       [&](const char* text) { return parse_clamped(text, 0, kSupportedActiveLevels, levels); });
  settings.icv.max_active_levels = static_cast<uint8_t>(levels);
}

// Checks a place list and, with `keep`, takes it in.
bool read_places(const Setting& setting, PlacesResult (*load)(const char*, bool), bool keep,
                 const char* explanation) {
  if (!setting)
    return false;
  PlacesResult result = load(setting.value, keep);
  if (result.status == PlacesStatus::kMalformed) {
    reject(setting, explanation);
  } else if (keep && result.status == PlacesStatus::kNoneUsable) {
    reject(setting, "names no processor that this process may use");
  } else if (keep && result.dropped > 0) {
    sys::warn("%.*s=\"%.200s\" has places without a processor that this process may use; %d of %d "
              "places are left out",
              setting.name_length, setting.name, setting.value, result.dropped,
              result.dropped + place_count());
  } else if (result.as_cores) {
    warn_of(setting, "names a level that this machine does not have; places are cores");
  }
  return keep && result.status == PlacesStatus::kLoaded;
}

void read_binding(const Environment& environment) {
  clear_places();
  later.bind_given = read(
      environment[Variable::kProcBind],
      "is neither TRUE, FALSE nor a list of PRIMARY, CLOSE and SPREAD", [&](const char* text) {
        return parse_bind_list(text, settings.icv.bind, settings.bind_list, settings.bind_count);
      });
  keep(environment[Variable::kPlaces], later.places);
  keep(environment[Variable::kGompCpuAffinity], later.cpu_affinity);
}

// A place list turns binding on unless OMP_PROC_BIND=false; binding without a list gets one. The
// topology may come from a library that has to be loaded.
void choose_binding() {
  Icv& icv = settings.icv;
  bool wanted = !later.bind_given || icv.bind != kBindFalse;
  bool loaded = read_places(later.places, load_places, wanted, "is not a list of places");
  loaded = read_places(later.cpu_affinity, load_cpu_affinity, wanted && !loaded,
                       "is not a list of processors") ||
           loaded;
  if (loaded && icv.bind == kBindFalse)
    icv.bind = kBindTrue;
  if (!loaded && icv.bind != kBindFalse)
    load_default_places();
}

/// Behind all that can give a place list.
void begin_binding() {
  if (place_count() == 0)
    return;
  note_free_processors();
  beginnings_ask.store(true, std::memory_order_relaxed);
}

void read_execution(const Environment& environment) {
  Icv& icv = settings.icv;
  read(environment[Variable::kSchedule], "is not a schedule", [&](const char* text) {
    return parse_schedule(text, icv.schedule_kind, icv.schedule_chunk);
  });
  read_boolean(environment[Variable::kCancellation], settings.cancellation);
  read_int(environment[Variable::kMaxTaskPriority], 0, settings.max_task_priority);
  settings.examines_tasks = settings.cancellation || settings.max_task_priority > 0;
  read(unless_empty(environment[Variable::kTargetOffload]),
       "is neither DEFAULT, MANDATORY nor DISABLED",
       [&](const char* text) { return parse_target_offload(text, settings.target_offload); });
  if (settings.target_offload == TargetOffload::kMandatory)
    icv.default_device = kInvalidDevice; // for there is none (OpenMP 5.2 section 21.2.7)
  read_int(environment[Variable::kDefaultDevice], 0, icv.default_device);
  read(unless_empty(environment[Variable::kAllocator]),
       "is neither an allocator nor a memory space with traits",
       [&](const char* text) { return parse_allocator(text, settings); });
  int debug; // nothing comes of it
  read_int(environment[Variable::kGompDebug], 0, debug);
}

// OMP_STACKSIZE wins over GOMP_STACKSIZE.
void read_stack_size(const Environment& environment) {
  later.open.stack = true;
  for (Variable variable : {Variable::kStackSize, Variable::kGompStackSize}) {
    const Setting& setting = environment[variable];
    std::size_t bytes = 0;
    bool well_formed = read(setting, "is not a size with a unit of B, K, M or G",
                            [&](const char* text) { return parse_stack_size(text, bytes); });
    if (!well_formed)
      continue;
    long smallest = sysconf(_SC_THREAD_STACK_MIN);
    if (smallest > 0 && bytes < static_cast<std::size_t>(smallest)) {
      reject(setting, "is less than the smallest stack that a thread can have");
      continue;
    }
    settings.stack_size = bytes;
    later.open.stack = false;
    return;
  }
}

void read_waiting(const Environment& environment) {
  read(environment[Variable::kWaitPolicy], "is neither ACTIVE nor PASSIVE",
       [&](const char* text) { return parse_wait_policy(text, settings.wait_policy); });
  if (settings.wait_policy == WaitPolicy::kActive) {
    settings.spin_count = kSpinActive;
    settings.blocktime = kForEver;
    settings.kmp_library = KmpLibrary::kTurnaround;
  } else if (settings.wait_policy == WaitPolicy::kPassive) {
    settings.spin_count = settings.blocktime = 0;
  }
  bool counted =
      read(environment[Variable::kGompSpinCount], "is neither a number of rounds nor INFINITE",
           [&](const char* text) { return parse_spin_count(text, settings.spin_count); });
  later.open.waiting = settings.wait_policy == WaitPolicy::kUndefined && !counted;
  settings.spin_adapts = later.open.waiting;
  if (settings.wait_policy == WaitPolicy::kPassive || counted)
    settings.yields = false; // the user has said how a waiting thread is to pass its time
}

void read_affinity_display(const Environment& environment) {
  read_boolean(environment[Variable::kDisplayAffinity], settings.display_affinity);
  read(environment[Variable::kAffinityFormat], "is not an affinity format", [](const char* text) {
    if (!valid_affinity_format(text))
      return false;
    set_affinity_format(text, std::strlen(text));
    return true;
  });
}

// A set-user-id program would write with rights that its user does not have. The program may
// change its working directory before there is anything to record.
void read_perflog(const Environment& environment) {
  sys::release(std::exchange(settings.perflog, nullptr));
  const Setting& folder = environment[Variable::kXompPerflog];
  if (folder && *folder.value && getauxval(AT_SECURE) == 0)
    settings.perflog = sys::absolute_path(folder.value);
}

// A set-user-id program neither loads what its user names nor writes there.
void read_tool(const Environment& environment) {
  settings.tool_libraries = settings.tool_verbose = nullptr;
  read(environment[Variable::kTool], "is neither enabled nor disabled",
       [](const char* text) { return parse_tool(text, settings.tool); });
  if (getauxval(AT_SECURE) != 0)
    return;
  if (const Setting& libraries = environment[Variable::kToolLibraries]; libraries)
    settings.tool_libraries = *libraries.value ? libraries.value : nullptr;
  read(unless_empty(environment[Variable::kToolVerboseInit]),
       "is neither disabled, stdout, stderr nor the name of a file",
       [](const char* text) { return parse_tool_verbose(text, settings.tool_verbose); });
}

void read_yielding(const Environment& environment) {
  settings.yields = settings.scheduler == SchedulerKind::kAuto;
  read(environment[Variable::kXompYield], "is neither TRUE nor FALSE",
       [](const char* text) { return parse_boolean(text, settings.yields); });
}

void check_locality() {
  if (settings.locality != LocalityMode::kStrict || has_domains(settings.scheduler))
    return;
  sys::warn("XOMP_LOCALITY=strict has no effect: the scheduler %s has no queue for each locality "
            "domain (mts has)",
            scheduler_name(settings.scheduler));
  settings.locality = LocalityMode::kRelaxed;
}

void read_openmp() {
  auto& environment = *sys::create<Environment>(environ, Environment::Part::kOpenmp);
  read_threads(environment);
  read_binding(environment);
  read_nesting(environment);
  read_execution(environment);
  read_stack_size(environment);
  read_affinity_display(environment);
  read_waiting(environment);
  if (settings.display_affinity || settings.creates_slowly() || settings.perflog)
    beginnings_ask.store(true, std::memory_order_relaxed);

  read(environment[Variable::kDisplayEnv], "is neither TRUE, FALSE nor VERBOSE",
       [](const char* text) { return parse_display_env(text, later.display); });
  sys::destroy(&environment);
}

/// What OMP_DISPLAY_ENV and XOMP_DISPLAY ask for. Relies on the completed ones.
void display() {
  DisplayEnv wanted = std::exchange(later.display, DisplayEnv::kNo);
  if (wanted != DisplayEnv::kNo)
    display_settings(wanted == DisplayEnv::kVerbose);
  if (settings.display)
    display_choices();
}

void complete() {
  sys::Uncancellable whole;
  sys::print_held();
  if (later.openmp)
    read_openmp();
  choose_threads();
  later.open.threads = later.default_threads;
  later.open.binding = !later.bind_given && !later.places && !later.cpu_affinity;
  apply_kmp(later.open); // the part of the machine before the places that are made of it
  if (!later.open.binding)
    choose_binding();
  apply_kmp_defaults();
  if (settings.display_affinity)
    beginnings_ask.store(true, std::memory_order_relaxed);
  later.displays |= later.openmp;
  display_awaited.store(later.displays || settings.display_at_use, std::memory_order_relaxed);
  begin_binding();
  put_before_environment(nullptr, 0);
  later.read = true;
  later.openmp =
      false; // last: a child of `fork` does again what another thread was in the middle of
}

} // namespace

void set_affinity_format(const char* format, std::size_t length) {
  auto* copy = static_cast<char*>(sys::allocate(length + 1));
  std::memcpy(copy, format, length);
  copy[length] = '\0';
  sys::release(settings.affinity_format);
  settings.affinity_format = copy;
}

void load_settings(ReadOpenmp when) {
  completed = PTHREAD_ONCE_INIT; // a unit test loads them again
  later.read = false;
  beginnings_ask.store(false, std::memory_order_relaxed);
  settings.processors = load_processors();
  // On the heap: a thread with a small stack may have loaded the library.
  auto& environment = *sys::create<Environment>(environ, Environment::Part::kOwn);
  read_own(environment); // the described machine before its places, the scheduler before waiting
  check_locality();
  read_yielding(environment);
  read_perflog(environment);
  read_tool(environment);
  sys::destroy(&environment);
  later.openmp = when == ReadOpenmp::kAtUse;
  if (later.openmp)
    return;
  read_openmp();
  display();
}

bool add_defaults(const char* text, std::size_t length) {
  if (later.read)
    return false;
  put_before_environment(text, length);
  later.openmp = true;
  return true;
}

void heed_defaults(const char* text, std::size_t length, IcvValues& own) {
  put_before_environment(text, length);
  auto& given = *sys::create<Environment>(nullptr, Environment::Part::kOpenmp);
  int *list = nullptr, count;
  if (read(given[Variable::kNumThreads], kThreadList, [&](const char* value) {
        return parse_thread_list(value, own.num_threads, list, count);
      }))
    settings.icv.num_threads = own.num_threads;
  sys::release(list); // by level: too late
  if (given[Variable::kDynamic]) {
    bool dynamic = own.dynamic;
    read_boolean(given[Variable::kDynamic], dynamic);
    own.dynamic = settings.icv.dynamic = dynamic;
  }
  sys::destroy(&given);
  apply_kmp_late();
  put_before_environment(nullptr, 0);
}

void complete_settings() {
  pthread_once(&completed, complete);
  // Relaxed: it only has to be one thread. Not as part of the above, which it relies on.
  if (!display_awaited.load(std::memory_order_relaxed) ||
      !display_awaited.exchange(false, std::memory_order_relaxed))
    return;
  if (std::exchange(later.displays, false))
    display();
  if (settings.display_at_use)
    display_settings(true);
}

} // namespace xomp
