// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The only way to stderr, and to stdout: one line per message, prefixed with the runtime's name.
// What is wrong with the environment is said by processes that use OpenMP alone. The C library's
// stderr is without a buffer, for which its `fprintf` takes 8 kB of the stack.
#pragma once
#include <string_view>

namespace xomp::sys {

/// Prints "xomp: MESSAGE".
[[gnu::format(printf, 1, 2)]] void warn(const char* format, ...);
/// While one exists messages are kept, as many as there is room for, for `print_held`: a process
/// that asks nothing of the runtime, such as a shell that starts the program, never prints them.
struct HeldWarnings {
  HeldWarnings();
  ~HeldWarnings();
};
/// Prints what is kept; the next message is printed at once.
void print_held();
/// Prints a text as it is.
void print(std::string_view text);
/// Puts it into the C library's stdout, in turn with what the program prints there.
void print_to_stdout(std::string_view text);
/// As `warn`, then ends the process with status 1. Other threads that come here meanwhile wait for
/// that.
[[noreturn, gnu::format(printf, 1, 2), gnu::cold]] void fatal(const char* format, ...);

} // namespace xomp::sys
