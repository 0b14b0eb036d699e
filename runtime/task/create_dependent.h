// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creation of tasks with `depend` clauses (task/depend.h).
#pragma once
#include "task/create.h"

namespace xomp {

void create_with_dependences(Worker& worker, const TaskSpec& spec, bool deferrable);

} // namespace xomp
