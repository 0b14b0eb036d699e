// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One child of a node as a task, with drawn clauses and data.
#pragma once
#include "graph.h"

namespace stress {

/// Creates one task, with clauses drawn from its key, that stores the child's value.
void create_child(Value& out, Key key, int budget, Context context);

/// Shakes the timing, now and then.
void jitter(Key key);

/// Firstprivate objects that were not destroyed.
long tokens_left();

} // namespace stress
