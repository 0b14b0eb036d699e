// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers of this interface, which say in their description whether the program has a directive
// for them.
#pragma once
#include "abi/llvm/ident.h"
#include "team/barrier.h"

namespace xomp::llvm {

/// A barrier where cancellation is on or somebody listens.
[[gnu::cold]] bool special_barrier(const Ident* ident, const void* codeptr, Member& member);

/// Inline, so that the return address is the program's.
[[gnu::always_inline]] inline bool barrier(const Ident* ident, Member& member) {
  if (member.barriers_ask) [[unlikely]]
    return special_barrier(ident, __builtin_return_address(0), member);
  return plain_barrier(member);
}

} // namespace xomp::llvm
