// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the Fortran names need: `name_` takes default integers by reference, `name_8_` 64-bit ones.
// Strings come with their length and without a terminator.
#pragma once
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "abi/export.h"
#include "sys/memory.h"

/// A routine without arguments is the same for C and for Fortran.
#define XOMP_IN_BOTH(type, name)                                                                   \
  XOMP_EXPORT type name##_() __attribute__((nothrow, alias(#name)));                               \
  XOMP_EXPORT type name()

namespace xomp {

/// A 64-bit argument where the routine takes an int.
inline int to_int(int64_t value) {
  return value < INT_MIN ? INT_MIN : value > INT_MAX ? INT_MAX : static_cast<int>(value);
}

/// A terminated copy of a Fortran string; null for an empty one, which stands for "not given".
class TerminatedCopy {
public:
  TerminatedCopy(const char* text, std::size_t length) {
    if (length == 0)
      return;
    copy = static_cast<char*>(sys::allocate(length + 1));
    std::memcpy(copy, text, length);
    copy[length] = '\0';
  }
  ~TerminatedCopy() { sys::release(copy); }
  TerminatedCopy(const TerminatedCopy&) = delete;

  const char* get() const { return copy; }

private:
  char* copy = nullptr;
};

/// Hands a C string to gfortran's deferred-length result: the pointer and its length.
inline void return_string(const char** result, std::size_t* length, const char* text) {
  *result = text;
  *length = text ? std::strlen(text) : 0;
}

} // namespace xomp
