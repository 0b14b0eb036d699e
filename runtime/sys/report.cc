// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formats into a buffer and writes once, so that lines of several threads do not mix.
#include "sys/report.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace xomp::sys {
namespace {

void put(const char* format, va_list args) {
  char line[1024];
  int used = std::snprintf(line, sizeof line, "xomp: ");
  int more = std::vsnprintf(line + used, sizeof line - used - 1, format, args);
  if (more > 0)
    used += more;
  if (used > static_cast<int>(sizeof line) - 2)
    used = sizeof line - 2;
  line[used++] = '\n';
  if (write(STDERR_FILENO, line, used) < 0)
    return;
}

} // namespace

void warn(const char* format, ...) {
  va_list args;
  va_start(args, format);
  put(format, args);
  va_end(args);
}

void fatal(const char* format, ...) {
  va_list args;
  va_start(args, format);
  put(format, args);
  va_end(args);
  std::exit(EXIT_FAILURE);
}

} // namespace xomp::sys
