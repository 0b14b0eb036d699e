// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `error` directive at run time. A program's users know these lines as libgomp prints them, so
// the wording is libgomp's.
#include <cstdlib>
#include <cstring>

#include "abi/export.h"
#include "sys/memory.h"
#include "sys/report.h"
#include "sys/text_sink.h"
#include "team/team.h"

namespace {

/// C and C++ pass a terminated string with the length -1, Fortran a counted one, and no message
/// clause a null pointer.
std::size_t length_of(const char* message, std::size_t length) {
  if (!message)
    return 0;
  return length == static_cast<std::size_t>(-1) ? std::strlen(message) : length;
}

void report(const char* prefix, const char* message, std::size_t length) {
  length = length_of(message, length);
  std::size_t room = length + 64;
  auto* text = static_cast<char*>(xomp::sys::allocate(room));
  xomp::sys::TextSink sink(text, room);
  sink.put("\nlibgomp: ");
  sink.put(prefix);
  sink.put("error directive encountered");
  if (message) {
    sink.put(": ");
    sink.put({message, length});
  }
  sink.put('\n');
  xomp::sys::print({text, sink.length()});
  xomp::sys::release(text);
}

void report(ompt_severity_t severity, const char* message, std::size_t length,
            const void* codeptr) {
  if (!xomp::trace::listening(xomp::trace::kTool))
    return;
  xomp::me(); // a tool starts with the first thread that it can be told of
  xomp::trace::error_traced(severity, message, length_of(message, length), codeptr);
}

} // namespace

XOMP_EXPORT void GOMP_warning(const char* message, std::size_t length) {
  report(ompt_warning, message, length, __builtin_return_address(0));
  report("", message, length);
}

XOMP_EXPORT void GOMP_error(const char* message, std::size_t length) {
  report(ompt_fatal, message, length, __builtin_return_address(0));
  report("fatal error: ", message, length);
  std::exit(EXIT_FAILURE);
}
