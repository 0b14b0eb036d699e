// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/llvm/ident.h"

#include <algorithm>

#include "trace/recorder.h"

namespace xomp::llvm {
namespace {

/// Takes what stands in front of the next semicolon.
std::string_view take_field(std::string_view& rest) {
  std::size_t length = std::min(rest.find(';'), rest.size());
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): its length goes with it
  std::string_view field(rest.data(), length); // `substr` may throw
  rest.remove_prefix(std::min(length + 1, rest.size()));
  return field;
}

unsigned number_in(std::string_view digits) {
  unsigned number = 0;
  for (char c : digits) {
    if (c < '0' || c > '9')
      return 0;
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  return number;
}

} // namespace

void describe(const Ident* ident, const void* codeptr, const void* body) {
  if (!ident || !ident->source || !trace::listening(trace::kRecorder))
    return;
  trace::recorder.describe(reinterpret_cast<uintptr_t>(codeptr), reinterpret_cast<uintptr_t>(body),
                           ident->source);
}

SourcePlace::SourcePlace(const Ident* ident) {
  if (!ident || !ident->source)
    return;
  std::string_view rest = ident->source;
  take_field(rest); // in front of the first semicolon there is nothing
  std::string_view name = take_field(rest);
  take_field(rest); // the function
  line = number_in(take_field(rest));
  column = number_in(take_field(rest));
  if (line != 0) // ";unknown;unknown;0;0;;" of programs without debugging information
    file = name;
}

} // namespace xomp::llvm
