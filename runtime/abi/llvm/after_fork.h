// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In the child after fork: a thread that the child does not have may have held one of this folder's
// locks.
#pragma once

namespace xomp::llvm {

void repair_caches_after_fork();
void repair_taskgraphs_after_fork();

} // namespace xomp::llvm
