// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of KMP_HW_SUBSET.
#include <algorithm>
#include <cstring>

#include "place/hardware_subset.h"
#include "sys/memory.h"
#include "sys/names.h"
#include "sys/scanner.h"

namespace xomp {
namespace {

using sys::Named;
using sys::Scanner;
using Part = HardwareSubset::Part;

/// The beginnings of layers' names that are enough, as for libomp: any word that begins so is one.
constexpr Named<PlaceLevel> kLayers[] = {
    {"s", PlaceLevel::kSockets},
    {"p", PlaceLevel::kSockets},
    {"n", PlaceLevel::kNumaDomains},
    {"d", PlaceLevel::kDice},
    {"ti", PlaceLevel::kTiles},
    {"l3", PlaceLevel::kL3Caches},
    {"ll", PlaceLevel::kLastLevelCaches},
    {"m", PlaceLevel::kModules},
    {"l2", PlaceLevel::kL2Caches},
    {"l1", PlaceLevel::kL1Caches},
    {"c", PlaceLevel::kCores},
    {"t", PlaceLevel::kThreads},
};

bool same_start(std::string_view word, std::string_view start) {
  if (word.size() < start.size())
    return false;
  word.remove_suffix(word.size() - start.size());
  return sys::same_name(word, start);
}

class SubsetParser {
public:
  explicit SubsetParser(const char* text) : scan(text) {}

  bool parse(HardwareSubset& into) {
    read.alone = scan.take(':');
    do {
      if (!part(false))
        return false;
      while (scan.take('&'))
        if (!part(true))
          return false;
    } while (scan.take(',') && !scan.at_end()); // a comma may end it, as for libomp
    if (!scan.at_end())
      return false;
    into = read;
    return true;
  }

private:
  /// `more`: cores of another type.
  bool part(bool more) {
    if (read.size == HardwareSubset::kMost)
      return false;
    Part& next = read.parts[read.size];
    uint64_t number;
    if (!scan.take('*') && scan.take_number(number)) {
      if (number == 0 || number > INT_MAX)
        return false;
      next.count = static_cast<int>(number);
    }
    if (!layer(next) || !attributes(next))
      return false;
    for (const Part& other : read) // once, or cores of each type once
      if (other.layer == next.layer && !(more && next.type != other.type))
        return false;
    if (more && !(next.type >= 0 && read.parts[read.size - 1].type >= 0))
      return false;
    ++read.size;
    return true;
  }

  bool layer(Part& part) {
    std::string_view word = scan.take_word();
    for (const Named<PlaceLevel>& each : kLayers)
      if (same_start(word, each.name)) {
        part.layer = each.kind;
        return true;
      }
    return false;
  }

  bool attributes(Part& part) {
    for (bool first = false, type = false;;) {
      uint64_t number;
      if (!first && scan.take('@')) {
        if (!scan.take_number(number) || number > INT_MAX)
          return false;
        part.first = static_cast<int>(number);
        first = true;
      } else if (!type && part.layer == PlaceLevel::kCores && scan.take(':')) {
        if (!core_type(scan.take_word(), part.type))
          return false;
        type = true;
      } else {
        return true;
      }
    }
  }

  /// "effN" and "efficiencyN" are its place in the order of efficiencies.
  static bool core_type(std::string_view word, int& type) {
    static constexpr Named<int> kTypes[] = {{"intel_atom", 0}, {"intel_core", 1}};
    if (sys::find_name(kTypes, word, type))
      return true;
    std::size_t letters = word.size();
    while (letters > 0 && word[letters - 1] >= '0' && word[letters - 1] <= '9')
      --letters;
    int number = 0;
    for (std::size_t i = letters; i < word.size(); ++i)
      number = std::min(10 * number + (word[i] - '0'), 1000);
    bool given = letters < word.size();
    word.remove_suffix(word.size() - letters);
    if (!given || !(sys::same_name(word, "eff") || sys::same_name(word, "efficiency")))
      return false;
    type = number;
    return true;
  }

  Scanner scan;
  HardwareSubset read;
};

/// "1sx2o1" is "1s,2@1" as well, as it was once written.
void unify(char* text) {
  for (; *text; ++text) {
    char c = sys::lower(*text);
    if (c == 'x')
      *text = ',';
    else if (c == 'o' && text[1] >= '0' && text[1] <= '9')
      *text = '@';
  }
}

} // namespace

bool parse_hardware_subset(const char* text, HardwareSubset& subset) {
  std::size_t bytes = std::strlen(text) + 1;
  auto* copy = static_cast<char*>(sys::allocate(bytes));
  std::memcpy(copy, text, bytes);
  unify(copy);
  bool good = SubsetParser(copy).parse(subset);
  sys::release(copy);
  return good;
}

} // namespace xomp
