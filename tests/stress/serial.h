// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the graph's value must be.
#pragma once
#include "graph.h"

namespace stress {

/// The value of a node, computed without OpenMP.
Value serial(Key key, int budget, Context context);

} // namespace stress
