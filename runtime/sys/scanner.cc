// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sys/scanner.h"

#include "sys/names.h"

namespace xomp::sys {
namespace {

int digit_value(char c) {
  c = lower(c);
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return 99;
}

bool word_char(char c) {
  c = lower(c);
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

} // namespace

bool Scanner::take_number(uint64_t& value, bool any_base) {
  take('+');
  int base = 10;
  if (any_base && *at == '0') {
    bool hexadecimal = lower(at[1]) == 'x' && digit_value(at[2]) < 16;
    base = hexadecimal ? 16 : 8;
    if (hexadecimal)
      at += 2;
  }
  const char* start = at;
  uint64_t number = 0;
  for (; digit_value(*at) < base; ++at)
    if (__builtin_mul_overflow(number, static_cast<uint64_t>(base), &number) ||
        __builtin_add_overflow(number, static_cast<uint64_t>(digit_value(*at)), &number))
      return false;
  if (at == start)
    return false;
  value = number;
  return true;
}

bool Scanner::take_signed(int64_t& value) {
  bool negative = take('-');
  uint64_t magnitude;
  if (negative && *at == '+')
    return false;
  if (!take_number(magnitude) || magnitude > static_cast<uint64_t>(INT64_MAX))
    return false;
  value = negative ? -static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude);
  return true;
}

bool Scanner::take_fraction(int places, uint64_t& value) {
  skip_blanks();
  uint64_t number = 0;
  bool any = digit_value(*at) < 10;
  if (any && !take_number(number))
    return false;
  auto put_digit = [&](uint64_t digit) {
    return !__builtin_mul_overflow(number, uint64_t{10}, &number) &&
           !__builtin_add_overflow(number, digit, &number);
  };
  if (*at == '.') {
    ++at;
    for (; digit_value(*at) < 10; ++at, any = true) {
      if (places <= 0)
        continue; // further digits are dropped
      --places;
      if (!put_digit(static_cast<uint64_t>(digit_value(*at))))
        return false;
    }
  }
  for (; places > 0; --places) {
    if (!put_digit(0))
      return false;
  }
  if (any)
    value = number;
  return any;
}

std::string_view Scanner::take_word() {
  skip_blanks();
  const char* start = at;
  while (word_char(*at))
    ++at;
  return {start, static_cast<std::size_t>(at - start)};
}

} // namespace xomp::sys
