// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run may consist of, by name, and how often each is drawn: the kinds of nodes of the graph,
// and the scenes, rounds that are no graph. Any of them can be left out, to narrow a failure down.
#pragma once
#include "graph.h"

namespace stress {

enum Scene {
  kGraph,
  kPollers, ///< tasks that wait for what others do later (pollers.cc)
  kGuests,  ///< threads that come and go (guests.cc)
  kForks,   ///< children of fork (forks.cc)
  kScenes
};

/// Leaves out all that `names` lists, separated by commas; false: there is no such name.
bool leave_out(const char* names);
/// Leaves out everything else. A taskwait stands where nothing is left.
bool leave_only(const char* names);
bool drawn_at_all(Scene scene);

Kind draw_kind(Key key, int purpose);
Scene draw_scene(Key key, int purpose);

/// Every name, on one line.
void print_names();

} // namespace stress
