// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cancellation of a construct (OpenMP 5.2, section 11).
#pragma once
#include "conf/settings.h"
#include "team/team.h"

namespace xomp {

/// What is cancelled; values of the GNU ABI, which are flags.
enum CancelKind : int {
  kCancelParallel = 1,
  kCancelLoop = 2,
  kCancelSections = 4,
  kCancelTaskgroup = 8,
};

/// cancel with a true condition, and a cancellation point, where the program may cancel anything.
/// Of something else: the end of the process.
bool cancel_construct(Member& member, int which, const void* codeptr);
bool meets_cancellation(Member& member, int which, const void* codeptr);

[[noreturn, gnu::cold]] void no_such_kind(int kind);

/// True: the construct is cancelled, the caller leaves it. Inline, so that the return address is
/// the program's.
[[gnu::always_inline]] inline bool cancel(Member& member, int which) {
  return settings.cancellation && cancel_construct(member, which, __builtin_return_address(0));
}
/// True when the construct was cancelled.
[[gnu::always_inline]] inline bool cancellation_point(Member& member, int which) {
  return settings.cancellation && meets_cancellation(member, which, __builtin_return_address(0));
}

} // namespace xomp
