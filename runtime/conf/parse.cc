// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "conf/parse.h"

#include <bit>

#include "sys/memory.h"

namespace xomp {
namespace {

using sys::Named;
using sys::Scanner;

/// libgomp takes the first two, libomp and libiomp5 all.
constexpr Named<bool> kBooleans[] = {
    {"true", true}, {"false", false}, {"1", true},    {"0", false},      {"yes", true},
    {"no", false},  {"on", true},     {"off", false}, {"enabled", true}, {"disabled", false},
    {"t", true},    {"f", false},     {"y", true},    {"n", false}};
constexpr Named<WaitPolicy> kWaitPolicies[] = {{"active", WaitPolicy::kActive},
                                               {"passive", WaitPolicy::kPassive}};
constexpr Named<TargetOffload> kTargetOffloads[] = {{"default", TargetOffload::kDefault},
                                                    {"mandatory", TargetOffload::kMandatory},
                                                    {"disabled", TargetOffload::kDisabled}};
constexpr Named<DisplayEnv> kDisplayEnvs[] = {{"verbose", DisplayEnv::kVerbose}};
constexpr Named<bool> kTools[] = {{"enabled", true}, {"disabled", false}};
constexpr Named<const char*> kToolLogs[] = {
    {"disabled", nullptr}, {"stdout", "stdout"}, {"stderr", "stderr"}};
constexpr Named<uint32_t> kSchedules[] = {{"static", kScheduleStatic},
                                          {"dynamic", kScheduleDynamic},
                                          {"guided", kScheduleGuided},
                                          {"auto", kScheduleAuto},
                                          // libomp's: what comes nearest, as for its loops
                                          {"trapezoidal", kScheduleGuided},
                                          {"static_steal", kScheduleDynamic}};
constexpr Named<bool> kModifiers[] = {{"monotonic", true}, {"nonmonotonic", false}};
constexpr Named<uint8_t> kBinds[] = {{"primary", kBindPrimary},
                                     {"master", kBindPrimary},
                                     {"close", kBindClose},
                                     {"spread", kBindSpread}};
constexpr Named<int64_t> kInfinities[] = {{"infinite", INT64_MAX}, {"infinity", INT64_MAX}};
constexpr Named<uint64_t> kSpinUnits[] = {
    {"k", 1000ull}, {"m", 1000'000ull}, {"g", 1000'000'000ull}, {"t", 1000'000'000'000ull}};
/// The names of two letters as libomp and libiomp5 have them.
constexpr Named<int> kByteShifts[] = {{"b", 0},   {"k", 10},  {"m", 20}, {"g", 30},
                                      {"kb", 10}, {"mb", 20}, {"gb", 30}};

// Elements separated by commas, each read by `take(scan, element)`; one more comma may end them.
enum class LastComma : bool { kIsWrong, kMayBe };
template <class Element, class Take>
bool parse_list(const char* text, Element& first, Element*& list, int& count, LastComma last,
                Take take) {
  int elements = 1;
  for (const char* c = text; *c; ++c)
    elements += *c == ',';
  auto* read = static_cast<Element*>(sys::allocate(sizeof(Element) * elements));
  Scanner scan(text);
  bool good = true;
  for (int i = 0; good && i < elements; ++i) {
    good = i == 0 || scan.take(',');
    if (last == LastComma::kMayBe && i > 0 && good && scan.at_end())
      elements = i;
    else
      good = good && take(scan, read[i]);
  }
  good = good && scan.at_end();
  if (good)
    first = read[0];
  if (good && elements > 1) {
    list = read;
    count = elements;
  } else {
    sys::release(read);
  }
  return good;
}

int clamped(uint64_t number, int highest) {
  return number < static_cast<uint64_t>(highest) ? static_cast<int>(number) : highest;
}

// A number and nothing else.
bool parse_number(const char* text, uint64_t& number) {
  Scanner scan(text);
  return scan.take_number(number) && scan.at_end();
}

} // namespace

bool parse_boolean(const char* text, bool& value) {
  Scanner scan(text);
  bool of_fortran = scan.take('.'), found;
  if (!sys::find_name(kBooleans, scan.take_word(), found) || (of_fortran && !scan.take('.')) ||
      !scan.at_end())
    return false;
  value = found;
  return true;
}

bool parse_stats(const char* text, bool& on, bool& all) {
  DisplayEnv found;
  if (!parse_display_env(text, found))
    return false;
  on = found != DisplayEnv::kNo;
  all = found == DisplayEnv::kVerbose;
  return true;
}

bool parse_int(const char* text, int lowest, int& value) {
  uint64_t number;
  if (!parse_number(text, number) || number > INT_MAX)
    return false;
  if (static_cast<int>(number) < lowest)
    return false;
  value = static_cast<int>(number);
  return true;
}

bool parse_clamped(const char* text, int lowest, int highest, int& value) {
  uint64_t number;
  if (!parse_number(text, number) || number < static_cast<uint64_t>(lowest))
    return false;
  value = clamped(number, highest);
  return true;
}

bool parse_share(const char* text, uint32_t& millionths) {
  Scanner scan(text);
  uint64_t number;
  if (!scan.take_fraction(6, number) || number > 1'000'000 || !scan.at_end())
    return false;
  millionths = static_cast<uint32_t>(number);
  return true;
}

bool parse_auto(const char* text) {
  static constexpr sys::Named<bool> kAuto[] = {{"auto", true}};
  bool said = false;
  return parse_name(text, kAuto, said);
}

bool parse_power_of_two(const char* text, uint32_t lowest, uint32_t highest, uint32_t& value) {
  uint64_t number;
  if (!parse_number(text, number) || !std::has_single_bit(number))
    return false;
  if (number < lowest || number > highest)
    return false;
  value = static_cast<uint32_t>(number);
  return true;
}

bool parse_thread_list(const char* text, int& first, int*& list, int& count) {
  // libomp takes the comma.
  return parse_list(text, first, list, count, LastComma::kMayBe, [](Scanner& scan, int& threads) {
    uint64_t number;
    if (!scan.take_number(number) || number == 0 || number > kMostThreads)
      return false;
    threads = static_cast<int>(number);
    return true;
  });
}

bool parse_bind_list(const char* text, uint8_t& first, uint8_t*& list, int& count) {
  bool on;
  if (parse_boolean(text, on)) {
    first = on ? kBindTrue : kBindFalse;
    return true;
  }
  return parse_list(
      text, first, list, count, LastComma::kIsWrong,
      [](Scanner& scan, uint8_t& bind) { return sys::find_name(kBinds, scan.take_word(), bind); });
}

bool parse_schedule(const char* text, uint32_t& kind, int& chunk) {
  Scanner scan(text);
  std::string_view word = scan.take_word();
  bool monotonic = false;
  bool modified = sys::find_name(kModifiers, word, monotonic);
  if (modified) {
    if (!scan.take(':'))
      return false;
    word = scan.take_word();
  }
  uint32_t named;
  if (!sys::find_name(kSchedules, word, named))
    return false;
  bool is_static = named == kScheduleStatic;
  uint64_t size = is_static ? 0 : 1;
  if (scan.take(',') && (!scan.take_number(size) || size > INT_MAX))
    return false;
  if (!scan.at_end())
    return false;
  if (modified)
    named |= monotonic ? uint32_t{kMonotonic} : 0;
  else if (is_static)
    named |= kMonotonic | kUnsaid; // the default, section 11.5.3
  kind = named;
  chunk = size == 0 && !is_static ? 1 : static_cast<int>(size);
  return true;
}

namespace {

// A size whose unit is 2^shift bytes where none is given.
bool parse_size(const char* text, int shift, uint64_t& bytes) {
  Scanner scan(text);
  uint64_t size;
  if (!scan.take_number(size))
    return false;
  if (!scan.at_end() && !sys::find_name(kByteShifts, scan.take_word(), shift))
    return false;
  if (!scan.at_end() || size << shift >> shift != size)
    return false;
  bytes = size << shift;
  return true;
}

} // namespace

bool parse_stack_size(const char* text, std::size_t& bytes) { return parse_size(text, 10, bytes); }

bool parse_bytes(const char* text, uint64_t& bytes) { return parse_size(text, 0, bytes); }

bool parse_spin_count(const char* text, int64_t& count) {
  if (parse_name(text, kInfinities, count))
    return true;
  Scanner scan(text);
  uint64_t rounds, unit = 1;
  if (!scan.take_number(rounds))
    return false;
  if (!scan.at_end() && !sys::find_name(kSpinUnits, scan.take_word(), unit))
    return false;
  if (!scan.at_end())
    return false;
  bool too_large = __builtin_mul_overflow(rounds, unit, &rounds) || rounds > INT64_MAX;
  count = too_large ? INT64_MAX : static_cast<int64_t>(rounds);
  return true;
}

bool parse_wait_policy(const char* text, WaitPolicy& policy) {
  return parse_name(text, kWaitPolicies, policy);
}
bool parse_target_offload(const char* text, TargetOffload& offload) {
  return parse_name(text, kTargetOffloads, offload);
}
bool parse_tool(const char* text, bool& enabled) { return parse_name(text, kTools, enabled); }
bool parse_tool_verbose(const char* text, const char*& where) {
  if (!parse_name(text, kToolLogs, where))
    where = text;
  return *text != '\0';
}
bool parse_display_env(const char* text, DisplayEnv& display) {
  bool on;
  if (!parse_boolean(text, on))
    return parse_name(text, kDisplayEnvs, display);
  display = on ? DisplayEnv::kYes : DisplayEnv::kNo;
  return true;
}

} // namespace xomp
