// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assertions: the rules that the READMEs state, where the code relies on them. XOMP_ASSERT(rule) is
// checked in builds with XOMP_ASSERTS (debug, sanitizers, delays); elsewhere it is compiled and
// never evaluated. A rule has no side effects. What others may write meanwhile is read relaxed, and
// only where every value that may be found there has to obey the rule.
#pragma once

#ifdef XOMP_ASSERTS
namespace xomp::sys {

/// Prints which rule is broken where, and aborts. Needs little stack, and may be called anywhere.
[[noreturn, gnu::cold]] void assertion_failed(const char* file, int line, const char* rule,
                                              const char* function);

} // namespace xomp::sys

#define XOMP_ASSERT(...)                                                                           \
  ((__VA_ARGS__) ? static_cast<void>(0)                                                            \
                 : ::xomp::sys::assertion_failed(__FILE__, __LINE__, #__VA_ARGS__, __func__))
#else
#define XOMP_ASSERT(...) static_cast<void>(sizeof((__VA_ARGS__) ? 1 : 0))
#endif
