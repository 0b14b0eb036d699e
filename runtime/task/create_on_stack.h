// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The slow path of ordinary tasks, which lie on their creator's stack (queue/split_stack.h): when
// they are one too many, final, or somebody has a question.
#pragma once
#include "task/create.h"

namespace xomp {

/// What has to be known of a task besides its flags where tasks may be discarded, or be urgent
/// (`Settings::examines_tasks`): kTaskGuarded, kTaskInHeap, or neither.
unsigned flags_where_examined(const Worker& worker, const TaskSpec& spec);

/// Whether it is an ordinary task. Where tasks are large, those of one worker go to a queue that
/// keeps their order beside that of others' tasks.
bool fits_on_stack(const Worker& worker, const TaskSpec& spec);
void create_on_stack(Worker& worker, const TaskSpec& spec);

} // namespace xomp
