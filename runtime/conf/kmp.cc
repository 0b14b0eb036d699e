// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "conf/kmp.h"

#include <unistd.h>

#include <algorithm>

#include "conf/environment.h"
#include "conf/parse.h"
#include "conf/settings.h"
#include "place/hardware_subset.h"
#include "place/kmp_affinity.h"
#include "place/places.h"
#include "sys/memory.h"
#include "sys/relaxed.h"
#include "sys/report.h"

namespace xomp {

constinit Question kmp_variables_count = nullptr;
constinit Question kmp_defaults_count = nullptr;

namespace {

constexpr int64_t kRoundsOfMicrosecond = 40; // as settings.h has it: 20000 are 0.5 ms

constexpr sys::Named<KmpLibrary> kLibraries[] = {
    {"serial", KmpLibrary::kSerial},        {"turnaround", KmpLibrary::kTurnaround},
    {"dedicated", KmpLibrary::kTurnaround}, {"throughput", KmpLibrary::kThroughput},
    {"multiuser", KmpLibrary::kThroughput},
};

/// How threads add up. Only the tree has an order.
constexpr sys::Named<bool> kReductionsInOrder[] = {
    {"critical", false}, {"atomic", false}, {"tree", true}};

/// Spins for so long and no less: it is what the user has said.
void wait_for(int64_t rounds) {
  // Threads may be waiting.
  sys::store_relaxed(settings.spin_count, rounds);
  sys::store_relaxed(settings.spin_adapts, false);
  sys::store_relaxed(settings.yields, settings.yields && rounds > 0);
}

/// Milliseconds, with "us" microseconds.
bool parse_blocktime(const char* text, int64_t& microseconds) {
  static constexpr sys::Named<int64_t> kUnits[] = {{"ms", 1000}, {"us", 1}};
  static constexpr sys::Named<bool> kEndless[] = {{"infinite", true}, {"infinity", true}};
  bool endless;
  if (parse_name(text, kEndless, endless)) {
    microseconds = int64_t{kForEver} * 1000;
    return true;
  }
  sys::Scanner scan(text);
  uint64_t number;
  int64_t unit = 1000;
  if (!scan.take_number(number) || number > kForEver)
    return false;
  if (!scan.at_end() && (!sys::find_name(kUnits, scan.take_word(), unit) || !scan.at_end()))
    return false;
  microseconds = static_cast<int64_t>(number) * unit;
  return true;
}

void set_waiting(int64_t microseconds) {
  settings.blocktime = static_cast<int>(std::min<int64_t>(microseconds / 1000, kForEver));
  wait_for(settings.blocktime == kForEver ? INT64_MAX : microseconds * kRoundsOfMicrosecond);
}

/// The KMP_* variables of one process, read once.
class Reader {
public:
  Reader(const Environment& environment, const KmpGaps& open)
      : environment(environment), open(open) {}

  void read_all() {
    read_switches();
    read_version();
    read_waiting();
    read_limits();
    read_stack();
    read_affinity();
  }
  void read_late() const {
    read_waiting();
    read_stack();
  }

private:
  template <class Parse> bool read(Variable variable, const char* explanation, Parse parse) const {
    const Setting& setting = environment[variable];
    if (!setting)
      return false;
    bool good = parse(setting.value);
    if (!good && warnings)
      reject(setting, explanation);
    return good;
  }
  void read_switch(Variable variable, bool& on) const {
    read(variable, "is neither true nor false",
         [&](const char* text) { return parse_boolean(text, on); });
  }

  void read_switches() {
    read_switch(Variable::kKmpWarnings, warnings);
    bool second_runtime; // there is none that it could allow
    read_switch(Variable::kKmpDuplicateLibOk, second_runtime);
    read_switch(Variable::kKmpSettings, settings.display_at_use);
    read_switch(Variable::kKmpInheritFpControl, settings.inherits_float_mode);
    read_switch(Variable::kKmpDeterministicReduction, settings.reduces_in_order);
    // It wins over the one above.
    read(Variable::kKmpForceReduction, "is neither critical, atomic nor tree",
         [](const char* text) {
           return parse_name(text, kReductionsInOrder, settings.reduces_in_order);
         });
  }

  void read_version() const {
    bool shown = false;
    read_switch(Variable::kKmpVersion, shown);
    if (shown)
      sys::warn("version %s", XOMP_VERSION);
  }

  void read_waiting() const {
    KmpLibrary library = settings.kmp_library;
    read(Variable::kKmpLibrary, "is neither serial, turnaround nor throughput",
         [&](const char* text) { return parse_name(text, kLibraries, library); });
    if (library == KmpLibrary::kTurnaround && open.waiting)
      wait_for(INT64_MAX);
    if (library == KmpLibrary::kSerial || open.waiting)
      settings.kmp_library = library;
    int64_t blocktime;
    if (read(Variable::kKmpBlocktime, "is neither a time in milliseconds nor infinite",
             [&](const char* text) { return parse_blocktime(text, blocktime); }) &&
        open.waiting)
      set_waiting(blocktime);
  }

  /// A number, or "all" for as many as there are processors.
  bool read_number(Variable variable, int& number) const {
    return read(variable, "is neither a positive integer nor all", [&](const char* text) {
      static constexpr sys::Named<bool> kAll[] = {{"all", true}};
      bool all;
      if (!parse_name(text, kAll, all))
        return parse_clamped(text, 1, INT_MAX, number);
      number = settings.processors;
      return true;
    });
  }

  void read_limits() const {
    int limit = INT_MAX, team_limit;
    for (Variable variable : {Variable::kKmpAllThreads, Variable::kKmpDeviceThreadLimit})
      read_number(variable, limit);
    if (open.limit)
      settings.icv.thread_limit = limit;
    if (read_number(Variable::kKmpTeamsThreadLimit, team_limit) && open.team_limit)
      settings.teams_thread_limit = team_limit;
    // Whatever else asks for threads, OMP_NUM_THREADS and clauses as well.
    if (settings.kmp_library == KmpLibrary::kSerial)
      settings.icv.num_threads = settings.icv.thread_limit = 1;
  }

  /// Other than OMP_STACKSIZE, a number without a unit is one of bytes.
  void read_stack() const {
    uint64_t bytes = 0;
    bool given = read(Variable::kKmpStackSize, "is not a size with a unit of B, K, M or G",
                      [&](const char* text) { return parse_bytes(text, bytes) && bytes > 0; });
    if (!given || !open.stack)
      return;
    long smallest = sysconf(_SC_THREAD_STACK_MIN);
    settings.stack_size = std::max<uint64_t>(bytes, smallest > 0 ? smallest : 0);
  }

  void read_affinity() const {
    read_subset();
    KmpAffinity affinity;
    read(Variable::kKmpAffinity, "is not an affinity such as granularity=fine,compact,1,0",
         [&](const char* text) { return parse_kmp_affinity(text, affinity); });
    if (affinity.verbose && !settings.display_affinity)
      settings.display_affinity = settings.verbose_affinity = true;
    if (affinity.type != KmpAffinity::Type::kNone && open.binding)
      bind(affinity);
  }

  void read_subset() const {
    Variable variable = Variable::kKmpHwSubset;
    if (!environment[variable])
      variable = Variable::kKmpPlaceThreads; // the old name
    HardwareSubset subset;
    if (read(variable, "is not a list such as 2s,4c,1t",
             [&](const char* text) { return parse_hardware_subset(text, subset); }))
      use(subset, environment[variable]);
  }

  void use(const HardwareSubset& subset, const Setting& setting) const {
    SubsetResult result = use_hardware_subset(subset);
    if (result.status != SubsetStatus::kGood)
      refuse(setting, result.status);
    else if (open.threads)
      settings.icv.num_threads = std::min(settings.icv.num_threads, result.processors);
    if (result.passed_types && warnings)
      warn_of(setting, "names a type of cores, of which this machine has only one");
  }

  void refuse(const Setting& setting, SubsetStatus status) const {
    static constexpr sys::Named<SubsetStatus> kReasons[] = {
        {"names a layer that this machine does not have", SubsetStatus::kNoSuchLayer},
        {"names two layers that are one on this machine", SubsetStatus::kSameLayers},
        {"has no processor that this process may use", SubsetStatus::kNothing},
        {"names types of cores, of which this machine has only one", SubsetStatus::kNoTypes},
    };
    if (warnings)
      reject(setting, sys::name_of(kReasons, status));
  }

  void bind(const KmpAffinity& affinity) const {
    const Setting& setting = environment[Variable::kKmpAffinity];
    PlacesResult result = load_kmp_places(affinity);
    if (result.status == PlacesStatus::kLoaded)
      settings.icv.bind = kBindKmp;
    if (!warnings)
      return;
    if (result.status != PlacesStatus::kLoaded)
      reject(setting, result.status == PlacesStatus::kMalformed
                          ? "is not an affinity such as granularity=fine,compact,1,0"
                          : "names no processor that this process may use");
    else if (result.as_cores)
      warn_of(setting, "names a level that this machine does not have; it is taken for core");
  }

  const Environment& environment;
  const KmpGaps& open;
  bool warnings = true;
};

} // namespace

void apply_kmp(const KmpGaps& open) {
  if (!kmp_variables_count)
    return;
  auto& environment = *sys::create<Environment>(environ, Environment::Part::kKmp);
  if (!environment.empty() && kmp_variables_count())
    Reader(environment, open).read_all();
  sys::destroy(&environment);
}

void apply_kmp_late() {
  auto& given = *sys::create<Environment>(nullptr, Environment::Part::kKmp);
  Reader(given, {.threads = true,
                 .limit = true,
                 .team_limit = true,
                 .stack = true,
                 .waiting = true,
                 .binding = true})
      .read_late();
  sys::destroy(&given);
}

void apply_kmp_defaults() {
  Icv& icv = settings.icv;
  // libomptarget, which may have devices, asks for the number of the default one.
  if (icv.default_device == kInvalidDevice && kmp_variables_count && kmp_variables_count())
    icv.default_device = 0;
  if (!kmp_defaults_count || !kmp_defaults_count())
    return;
  settings.shows_affinity_as_kmp = true;
  if (icv.schedule_kind == kDefaultSchedule) {
    icv.schedule_kind = kScheduleStatic | kMonotonic | kUnsaid;
    icv.schedule_chunk = 0;
  }
  if (icv.bind == kBindTrue)
    icv.bind = kBindSpread;
}

void set_blocktime(int milliseconds) { set_waiting(int64_t{std::max(milliseconds, 0)} * 1000); }

} // namespace xomp
