// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The only way to stderr: one line per message, prefixed with the runtime's name.
#pragma once

namespace xomp::sys {

/// Prints "xomp: MESSAGE".
[[gnu::format(printf, 1, 2)]] void warn(const char* format, ...);
/// As `warn`, then ends the process with status 1.
[[noreturn, gnu::format(printf, 1, 2), gnu::cold]] void fatal(const char* format, ...);

} // namespace xomp::sys
