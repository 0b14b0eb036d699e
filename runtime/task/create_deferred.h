// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks with memory of their own, in their creator's heap: those that a stack has no place for, and
// all of the papers' policies.
#pragma once
#include "task/create.h"

namespace xomp {

/// Whether a task that nobody else can have now is left to the end of its parent, to be run on less
/// stack: a few for each parent, so that also what waits too large stays bounded.
bool leave_for_later(const Worker& worker, AtOnce why);

/// Fills a new child: what it inherits, its clauses, its arguments.
void fill(Worker& worker, DeferredTask& task, const TaskSpec& spec);
/// Offers a child that is ready to the other workers, or runs it for that reason.
void offer(Worker& worker, DeferredTask& task, AtOnce why);
/// Runs a child at once that may not be deferred, and waits for its event where that is asked for.
void run_undeferred(Worker& worker, DeferredTask& task, const TaskSpec& spec);

/// A task without dependences.
void create_deferred(Worker& worker, const TaskSpec& spec, bool deferrable);

} // namespace xomp
