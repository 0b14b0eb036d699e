// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thief asks owners of stacks to make something public, or to come with what they create next
// (`answer`, create.h).
#pragma once
#include "task/worker.h"

namespace xomp {

/// Asks all of `stacks_in_use`, but the one whose tiny tasks the thief leaves alone; what others
/// create first is asked for as it is. One of them may be about to create a task without having
/// seen that.
void ask_all(Worker& thief);
void ask_one(Worker& thief, const Worker& owner);
/// Asks all. Afterwards whoever creates a task sees that it was asked, or the caller sees the task.
void ask_all_for_certain(Worker& thief);
/// Whether the owner was asked, and does not answer for a microsecond or two: one that creates
/// small tasks all the time answers in between.
bool stays_away(const SplitStack& stack);

} // namespace xomp
