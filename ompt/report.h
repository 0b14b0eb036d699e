// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tool was asked for, and how it speaks: a line for each callback, one for each broken
// rule, each written with one call, so that those of several threads do not mix.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ompt_check {

/// The rules, by the names that OMPT_CHECK and the messages have for them; README.md says what
/// each asks for.
enum class Rule : uint8_t {
  kData,
  kArguments,
  kThreads,
  kRegions,
  kImplicit,
  kSchedule,
  kConstraint,
  kDependences,
  kWaits,
  kNesting,
  kMutexes,
  kStates,
  kFrames,
  kAddresses,
  kNoAddress,
  kInfo,
  kEntryPoints,
  kEnds,
  kCount
};

struct Options {
  bool print = false;    ///< a line for each callback
  bool summary = false;  ///< one at the end, even if all is well
  bool fail = false;     ///< end the program with kFailed if a rule was broken
  uint32_t ignored = 0;  ///< rules, as bits
  int file = 2;          ///< see `keep_standard_error`
  bool own_file = false; ///< OMPT_CHECK has named one
};
inline Options options;

inline constexpr int kFailed = 86;

/// A program may point standard error elsewhere; what is said still goes to where it was at first.
void keep_standard_error();

/// Reads OMPT_CHECK. A word that it does not know is named, and the rest is obeyed.
void read_options();

/// One line, newline added. Long ones are cut.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...);

/// The calling thread found a rule broken. Only the first of each rule are told, all are counted.
[[gnu::format(printf, 2, 3)]] void broken(Rule rule, const char* format, ...);

/// How many rules were found broken, each counted as often as it was, apart from ignored ones.
uint64_t broken_rules();

/// What the calling thread is being told: named in each complaint.
void set_callback_name(const char* name);

} // namespace ompt_check
