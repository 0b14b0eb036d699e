// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GOMP_scope_start: a scope with task reductions; without them the compiler needs no call.
#include "abi/export.h"
#include "worksharing/task_reduction.h"

XOMP_EXPORT void GOMP_scope_start(uintptr_t* reductions) {
  xomp::start_scope(xomp::me(), reductions);
}
