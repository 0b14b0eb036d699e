// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sys/text_sink.h"

#include <cstdarg>
#include <cstdio>

namespace xomp::sys {

void TextSink::print(const char* format, ...) {
  char text[256];
  va_list args;
  va_start(args, format);
  int length = std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (length > 0)
    put({text, length < 256 ? static_cast<std::size_t>(length) : sizeof text - 1});
}

} // namespace xomp::sys
