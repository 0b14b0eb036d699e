// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cancellation of a construct (OpenMP 5.2, section 11).
#pragma once
#include "team/team.h"

namespace xomp {

/// What is cancelled; values of the GNU ABI, which are flags.
enum CancelKind : int {
  kCancelParallel = 1,
  kCancelLoop = 2,
  kCancelSections = 4,
  kCancelTaskgroup = 8,
};

/// cancel with a true condition. True: the construct is cancelled, the caller leaves it.
bool cancel(Member& member, int which);
/// True when the construct was cancelled.
bool cancellation_point(Member& member, int which);

} // namespace xomp
