// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of outlined functions, which take the two numbers of the thread by address and then one
// pointer for each variable that the construct uses.
#pragma once
#include <cstdarg>
#include <cstddef>
#include <cstdint>

#include "abi/llvm/ident.h"
#include "sys/cpu.h"

namespace xomp::llvm {

using Outlined = void (*)(int32_t*, int32_t*, ...);

/// An outlined function with its variables, which lie on the caller's stack. What every thread of a
/// region reads is in the first line, which the caller writes to no more.
struct alignas(sys::kCacheLine) OutlinedCall {
  /// Most variables of one construct; more end the program with a message.
  static constexpr int32_t kMost = 256, kFew = 4;

  Outlined body;
  int32_t count;
  bool demands_something = false;
  void** variables = few; ///< room for more than there are; see `passed`
  void* few[kFew]{};
  Demands demands{};

  OutlinedCall(Outlined function, int32_t number) : body(function), count(number) {}
  OutlinedCall(const OutlinedCall&) = delete;
  void demand(const Demands& all) {
    demands = all;
    demands_something = all.any();
  }

  /// `call`: an OutlinedCall; the body of a region, or of a team.
  static void run(void* call);

  /// How many are passed for `count`. A function that takes fewer does not see the rest: the caller
  /// takes arguments off the stack again in the calling conventions of all our platforms.
  static int32_t passed(int32_t count);
  /// Reads them, behind `count`.
  void read(va_list list);
};
static_assert(offsetof(OutlinedCall, few) + sizeof(OutlinedCall::few) <= sys::kCacheLine);

/// An OutlinedCall `call` for `number` variables that follow in `list`, on this stack.
#define XOMP_OUTLINED_CALL(call, function, number, list)                                           \
  OutlinedCall call(function, number);                                                             \
  if (OutlinedCall::passed(number) > OutlinedCall::kFew)                                           \
    call.variables = static_cast<void**>(                                                          \
        __builtin_alloca(static_cast<std::size_t>(OutlinedCall::passed(number)) * sizeof(void*))); \
  call.read(list)

} // namespace xomp::llvm
