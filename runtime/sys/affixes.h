// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a text begins and ends. The library's own functions need the C++ library at run time unless
// the compiler optimises.
#pragma once
#include <cstring>
#include <string_view>

namespace xomp::sys {

inline bool starts_with(std::string_view text, std::string_view stem) {
  return text.size() >= stem.size() && std::memcmp(text.data(), stem.data(), stem.size()) == 0;
}
inline bool ends_with(std::string_view text, std::string_view rest) {
  return text.size() >= rest.size() &&
         std::memcmp(text.data() + (text.size() - rest.size()), rest.data(), rest.size()) == 0;
}

} // namespace xomp::sys
