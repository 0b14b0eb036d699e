// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The weights.
#include "kinds.h"

#include <cstdio>
#include <cstring>
#include <string_view>

namespace stress {

namespace {

struct Choice {
  const char* name;
  int often;
};

Choice kinds[kKinds] = {
    {"taskwait", 26},       {"taskgroup", 10},  {"async", 10},         {"depend", 16},
    {"locked", 10},         {"taskloop", 6},    {"task-reduction", 5}, {"parallel", 3},
    {"workshare", 3},       {"throw", 3},       {"detach", 4},         {"cancel-group", 2},
    {"cancel-parallel", 1}, {"cancel-loop", 1}, {"cancel-ahead", 2},   {"late-event", 4},
    {"sleep", 2},           {"widths", 3},
};
Choice scenes[kScenes] = {{"graph", 88}, {"pollers", 4}, {"guests", 5}, {"forks", 3}};

template <class Visit> void for_each(std::string_view names, Visit visit) {
  while (!names.empty()) {
    auto comma = names.find(',');
    visit(names.substr(0, comma));
    names = comma == names.npos ? "" : names.substr(comma + 1);
  }
}

bool contains(std::string_view names, std::string_view name) {
  bool found = false;
  for_each(names, [&](std::string_view each) { found |= each == name; });
  return found;
}

template <class Visit> void for_all(Visit visit) {
  for (Choice& kind : kinds)
    visit(kind);
  for (Choice& scene : scenes)
    visit(scene);
}

bool all_known(const char* names) {
  bool all = true;
  for_each(names, [&](std::string_view name) {
    bool known = false;
    for_all([&](const Choice& choice) { known |= name == choice.name; });
    all &= known;
  });
  return all;
}

/// The first of the choices when none of them is left.
template <int count> int draw_one(const Choice (&choices)[count], Key key, int purpose) {
  int total = 0;
  for (const Choice& choice : choices)
    total += choice.often;
  if (total == 0)
    return 0;
  int ticket = draw(key, purpose, total), which = 0;
  while (ticket >= choices[which].often)
    ticket -= choices[which++].often;
  return which;
}

} // namespace

bool leave_out(const char* names) {
  for_all([&](Choice& choice) {
    if (contains(names, choice.name))
      choice.often = 0;
  });
  return all_known(names);
}

bool leave_only(const char* names) {
  bool any_scene = false;
  for (const Choice& scene : scenes)
    any_scene |= contains(names, scene.name);
  for_all([&](Choice& choice) {
    if (!contains(names, choice.name))
      choice.often = 0;
  });
  if (!any_scene)
    scenes[kGraph].often = 1;
  return all_known(names);
}

bool drawn_at_all(Scene scene) { return scenes[scene].often > 0; }

Kind draw_kind(Key key, int purpose) { return static_cast<Kind>(draw_one(kinds, key, purpose)); }
Scene draw_scene(Key key, int purpose) {
  return static_cast<Scene>(draw_one(scenes, key, purpose));
}

void print_names() {
  for_all([](const Choice& choice) { printf("%s ", choice.name); });
  printf("\n");
}

} // namespace stress
