// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thief's side of the workers' stacks (queue/split_stack.h): whose, how many tasks at once, and
// running them. Rules and races: task/README.md.
#pragma once
#include "task/run.h"

namespace xomp {

/// Takes tasks off another worker's stack that the search allows, the oldest first, and puts them
/// on `worker`'s own above a mark, which is returned; null: none was found. A thorough search
/// overlooks nothing that was created before it, and what is created afterwards wakes whoever has
/// made one and entered the set of sleepers before.
Slot* steal(Worker& worker, const Search& search);
/// Runs what lies above `mark`, and takes it off.
void run_stolen(Worker& worker, Slot* mark);
/// The full frame whose children were stolen.
FullFrame* parent_of_stolen(Slot* mark);

} // namespace xomp
