// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is played: by file, as the rules are that they break.
#pragma once
#include <cstddef>

namespace fake {

struct Scenario {
  const char* name;
  const char* rules; ///< all that are broken, joined by '+'
  const char* words; ///< of the complaint
  void (*play)();
};

struct Scenarios {
  const Scenario* first;
  size_t count;
  const Scenario* begin() const { return first; }
  const Scenario* end() const { return first + count; }
};
template <size_t count> constexpr Scenarios scenarios_of(const Scenario (&all)[count]) {
  return {all, count};
}

extern const Scenarios regions_scenarios, tasks_scenarios, sync_scenarios, context_scenarios,
    ends_scenarios;

/// One that breaks no rule.
void all_right();

/// Entry points that are wrong before the first callback.
struct Setting {
  const char* name;
  const char* words;
  void (*set)();
};
struct Settings {
  const Setting* first;
  size_t count;
  const Setting* begin() const { return first; }
  const Setting* end() const { return first + count; }
};
extern const Settings entry_point_settings;

} // namespace fake
