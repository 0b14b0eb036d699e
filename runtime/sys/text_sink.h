// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text into a buffer that may be too small: what does not fit is counted but not written, so a
// first pass with size 0 measures.
#pragma once
#include <cstddef>
#include <string_view>

namespace xomp::sys {

class TextSink {
public:
  TextSink(char* buffer, std::size_t size) : buffer(buffer), size(size) {}

  void put(std::string_view text) {
    for (char c : text)
      put(c);
  }
  void put(char c) {
    if (used < size)
      buffer[used] = c;
    ++used;
  }
  void fill(char c, std::size_t count) {
    for (std::size_t i = used; i < size && i < used + count; ++i)
      buffer[i] = c;
    used += count;
  }
  /// Numbers and short texts: at most 255 characters in all.
  [[gnu::format(printf, 2, 3)]] void print(const char* format, ...);
  /// Ends the text with a NUL, over its last character when the buffer is full.
  void terminate() {
    if (size)
      buffer[used < size ? used : size - 1] = '\0';
  }
  std::size_t length() const { return used; }

private:
  char* buffer;
  std::size_t size;
  std::size_t used = 0;
};

} // namespace xomp::sys
