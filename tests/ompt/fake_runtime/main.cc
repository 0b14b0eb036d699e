// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A host for the checker that is no runtime: it calls the callbacks as its scenarios say, most of
// them wrongly, to show that each rule can be broken.
//
//   fake_runtime list            scenarios, each with the rules that it breaks and words of the
//                                complaint
//   fake_runtime CHECKER NAME    plays one
#include <cstdio>
#include <cstring>

#include "host.h"
#include "scenarios.h"

namespace fake {
namespace {

const Scenario kAllRight[] = {{"all_right", "", "", all_right}};

const Scenarios* const kFiles[] = {&regions_scenarios, &tasks_scenarios, &sync_scenarios,
                                   &context_scenarios, &ends_scenarios};

int list() {
  printf("%s\t\t\n", kAllRight->name);
  for (const Scenarios* file : kFiles)
    for (const Scenario& scenario : *file)
      printf("%s\t%s\t%s\n", scenario.name, scenario.rules, scenario.words);
  for (const Setting& setting : entry_point_settings)
    printf("%s\t%s\t%s\n", setting.name, "entry-points", setting.words);
  return 0;
}

const Scenario* find(const char* name) {
  if (strcmp(kAllRight->name, name) == 0)
    return kAllRight;
  for (const Scenarios* file : kFiles)
    for (const Scenario& scenario : *file)
      if (strcmp(scenario.name, name) == 0)
        return &scenario;
  return nullptr;
}

bool set(const char* name) {
  for (const Setting& setting : entry_point_settings)
    if (strcmp(setting.name, name) == 0) {
      setting.set();
      return true;
    }
  return false;
}

int play(const char* name) {
  const Scenario* scenario = set(name) ? kAllRight : find(name);
  if (!scenario) {
    fprintf(stderr, "no scenario %s\n", name);
    return 2;
  }
  initialize();
  if (!refuses_callbacks)
    scenario->play();
  tool->finalize(&tool->tool_data);
  return 0;
}

} // namespace
} // namespace fake

int main(int count, char** arguments) {
  if (count == 2 && strcmp(arguments[1], "list") == 0)
    return fake::list();
  if (count != 3 || !fake::load(arguments[1]))
    return 2;
  return fake::play(arguments[2]);
}
