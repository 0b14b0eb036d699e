// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of names: what a word in a variable stands for, and back. Case does not matter.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>

namespace xomp::sys {

/// A name and what it stands for; an array of these is the one place where a new choice is added.
template <class Kind> struct Named {
  const char* name;
  Kind kind;
};

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr bool same_name(std::string_view one, std::string_view other) {
  if (one.size() != other.size())
    return false;
  for (std::size_t i = 0; i < one.size(); ++i)
    if (lower(one[i]) != lower(other[i]))
      return false;
  return true;
}

/// Looks `word` up; leaves `kind` alone when the table does not have it.
template <class Kind, std::size_t N>
constexpr bool find_name(const Named<Kind> (&table)[N], std::string_view word, Kind& kind) {
  for (const Named<Kind>& entry : table)
    if (same_name(entry.name, word)) {
      kind = entry.kind;
      return true;
    }
  return false;
}

/// The first name of `kind`; empty when the table has none.
template <class Kind, std::size_t N>
constexpr const char* name_of(const Named<Kind> (&table)[N], Kind kind) {
  for (const Named<Kind>& entry : table)
    if (entry.kind == kind)
      return entry.name;
  return "";
}

/// `before`, then the names of a table with commas between them: for messages, so a plain string.
template <const auto& table, const auto& before> consteval auto listed() {
  constexpr std::size_t kLength = [] {
    std::size_t sum = std::string_view(before).size();
    for (const auto& entry : table)
      sum += std::string_view(entry.name).size() + 2;
    return sum - 2;
  }();
  std::array<char, kLength + 1> text{};
  std::size_t used = 0;
  auto put = [&](std::string_view part) {
    for (char each : part)
      if (used < kLength)
        text[used++] = each;
  };
  put(before);
  for (const auto& entry : table) {
    put(entry.name);
    put(", ");
  }
  return text;
}

} // namespace xomp::sys
