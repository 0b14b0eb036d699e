// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How often a worker looks for memory that has become free. Rules: task/README.md, "Memory".
#pragma once
#include "task/worker.h"

namespace xomp {

/// How often memory may be taken afresh before the next look for what has become free. A look costs
/// as much as it leaves behind, so it is paid for by as many that need memory. Those that take what
/// it freed count too: if each look were followed by fresh memory, what is kept would grow with the
/// square root of all that was ever needed. So at most twice as much is kept as was in use at once.
/// `look` returns how much it leaves behind.
template <class Look> [[gnu::always_inline]] inline void look_when_due(SweepDue& due, Look look) {
  if (due.credit > 0) {
    --due.credit;
    return;
  }
  uint32_t before = due.freed, cost = 8 + look(), gained = due.freed - before;
  due.credit = cost > gained ? cost - gained : 0;
}

} // namespace xomp
