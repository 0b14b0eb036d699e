// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of outlined functions, which take the two numbers of the thread by address and then one
// pointer for each variable that the construct uses.
#pragma once
#include <cstdarg>
#include <cstdint>

#include "abi/llvm/ident.h"

namespace xomp::llvm {

using Outlined = void (*)(int32_t*, int32_t*, ...);

/// An outlined function with its variables, which lie on the caller's stack.
struct OutlinedCall {
  /// Most variables of one construct; more end the program with a message.
  static constexpr int32_t kMost = 256;

  Outlined body;
  int32_t count;
  void** variables; ///< room for more than there are; see `passed`
  Demands demands{};

  /// `call`: an OutlinedCall; the body of a region, or of a team.
  static void run(void* call);

  /// How many are passed for `count`. A function that takes fewer does not see the rest: the caller
  /// takes arguments off the stack again in the calling conventions of all our platforms.
  static int32_t passed(int32_t count);
  /// Reads them, behind `count`.
  void read(va_list list);
};

/// An OutlinedCall `call` for `number` variables that follow in `list`, on this stack.
#define XOMP_OUTLINED_CALL(call, function, number, list)                                           \
  OutlinedCall call{function, number, nullptr, {}};                                                \
  call.variables = static_cast<void**>(                                                            \
      __builtin_alloca(static_cast<std::size_t>(OutlinedCall::passed(number)) * sizeof(void*)));   \
  call.read(list)

} // namespace xomp::llvm
