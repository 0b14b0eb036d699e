// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `error` directive at run time. A program's users know these lines as libgomp prints them, so
// the wording is libgomp's.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "abi/export.h"

namespace {

/// C and C++ pass a terminated string with the length -1, Fortran a counted one, and no message
/// clause a null pointer.
void report(const char* prefix, const char* message, std::size_t length) {
  if (!message)
    length = 0;
  else if (length == static_cast<std::size_t>(-1))
    length = std::strlen(message);
  std::fprintf(stderr, "\nlibgomp: %serror directive encountered%s%.*s\n", prefix,
               message ? ": " : "", static_cast<int>(length), message ? message : "");
}

} // namespace

XOMP_EXPORT void GOMP_warning(const char* message, std::size_t length) {
  report("", message, length);
}

XOMP_EXPORT void GOMP_error(const char* message, std::size_t length) {
  report("fatal error: ", message, length);
  std::exit(EXIT_FAILURE);
}
