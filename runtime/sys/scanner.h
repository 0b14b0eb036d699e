// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the text of a variable or of a /sys file from left to right. Every `take` skips blanks
// first and says whether it found what it wanted; the locale plays no part.
#pragma once
#include <cstdint>
#include <string_view>

namespace xomp::sys {

class Scanner {
public:
  explicit Scanner(const char* text) : at(text) {}

  bool at_end() {
    skip_blanks();
    return *at == '\0';
  }
  bool next_is(char c) {
    skip_blanks();
    return *at == c;
  }
  bool take(char c) {
    if (!next_is(c))
      return false;
    ++at;
    return true;
  }
  /// A decimal number, or with `any_base` also 0x... and 0...; false when it does not fit 64 bits.
  bool take_number(uint64_t& value, bool any_base = false);
  /// A decimal number with or without a sign; false when it does not fit.
  bool take_signed(int64_t& value);
  /// A decimal fraction without a sign, such as 0.25 or .5, times 10^`places`; what is smaller is
  /// cut off. False when it does not fit.
  bool take_fraction(int places, uint64_t& value);
  /// Letters, digits, '_' and '-'; empty when there are none.
  std::string_view take_word();
  /// What has not been taken yet.
  const char* rest() const { return at; }
  /// Passes over everything up to the next `c`; false when there is none.
  bool skip_past(char c) {
    while (*at && *at != c)
      ++at;
    if (*at == '\0')
      return false;
    ++at;
    return true;
  }

private:
  void skip_blanks() {
    while (*at == ' ' || (*at >= '\t' && *at <= '\r'))
      ++at;
  }

  const char* at;
};

} // namespace xomp::sys
