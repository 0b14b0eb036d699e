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

/// A region's call with few variables, which comes to each member with its call to the region.
struct ShortCall {
  static constexpr int32_t kMost = 3;

  Outlined body;
  void* variables[kMost];

  /// Reads `count` of them from `list`.
  [[gnu::always_inline]] ShortCall(Outlined function, int32_t count, va_list list)
      : body(function), variables{} {
    for (int32_t i = 0; i < count; ++i)
      variables[i] = va_arg(list, void*);
  }
  static void run(void* call);
};

/// An outlined function with its variables, which lie on the caller's stack. A region's begins a
/// cache line: all that each of its threads reads, and the caller writes to no more.
struct OutlinedCall {
  static constexpr int32_t kFew = 4;

  Outlined body;
  int32_t count;
  const Demands* demands = nullptr; ///< null: none
  void** variables = few;           ///< room for more than there are; see `passed`
  void* few[kFew]{};

  OutlinedCall(Outlined function, int32_t number) : body(function), count(number) {}
  OutlinedCall(const OutlinedCall&) = delete;

  /// `call`: an OutlinedCall; the body of a region, or of a team.
  static void run(void* call);

  /// How many are passed for `count`, at least as many. A function that takes fewer does not see
  /// the rest: the caller takes arguments off the stack again in the calling conventions of all our
  /// platforms.
  static int32_t passed(int32_t count);
  /// Reads them, behind `count`.
  void read(va_list list);
};
static_assert(sizeof(OutlinedCall) <= sys::kCacheLine);

/// Gives the OutlinedCall `call` the variables that follow in `list`, on this stack.
#define XOMP_READ_VARIABLES(call, list)                                                            \
  if (OutlinedCall::passed(call.count) > OutlinedCall::kFew)                                       \
    call.variables = static_cast<void**>(__builtin_alloca(                                         \
        static_cast<std::size_t>(OutlinedCall::passed(call.count)) * sizeof(void*)));              \
  call.read(list)

} // namespace xomp::llvm
