// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "conf/environment.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "sys/affixes.h"
#include "sys/memory.h"
#include "sys/report.h"

namespace xomp {
namespace {

struct Known {
  std::string_view name;
  bool for_all_devices; // its ICV is not global: NAME_ALL exists
};

constexpr Known kKnown[] = {
#define XOMP_VARIABLE(variable, name, all) {name, all},
#include "conf/variables.def"
};

/// Variables of other runtimes that change nothing here.
constexpr std::string_view kIgnored[] = {
#define XOMP_IGNORED(name) name,
#include "conf/variables.def"
};

constexpr std::string_view kAllSuffix = "_ALL";

/// What comes before the environment: terminated entries, the last of them empty; null: none.
constinit char* before = nullptr;

constexpr std::size_t kLongestName = 31;
constexpr std::size_t kMostSlips = 2;
constexpr std::size_t kLettersPerSlip = 5; // prefix included: two in OMP_FOO make any name of it

/// How many letters have to be put in, taken out, changed or swapped with their neighbour to make
/// one name of the other (Damerau and Levenshtein).
std::size_t slips(std::string_view typed, std::string_view name) {
  if (typed.size() > kLongestName || name.size() > kLongestName)
    return kLongestName;
  uint8_t rows[3][kLongestName + 1] = {}; // the last three, of `typed`
  for (std::size_t i = 0; i <= typed.size(); ++i) {
    uint8_t* row = rows[i % 3];
    const uint8_t* above = rows[(i + 2) % 3];
    const uint8_t* two_above = rows[(i + 1) % 3];
    row[0] = static_cast<uint8_t>(i);
    for (std::size_t j = 1; j <= name.size(); ++j) {
      if (i == 0) {
        row[j] = static_cast<uint8_t>(j);
        continue;
      }
      int change = above[j - 1] + (typed[i - 1] != name[j - 1]);
      int fewest = std::min({above[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && typed[i - 1] == name[j - 2] && typed[i - 2] == name[j - 1])
        fewest = std::min(fewest, two_above[j - 2] + 1);
      row[j] = static_cast<uint8_t>(fewest);
    }
  }
  return rows[typed.size() % 3][name.size()];
}

/// The variable that was probably meant, of the same prefix or one of ours without its X; empty if
/// none is near.
std::string_view nearest(std::string_view typed) {
  std::string_view best;
  std::size_t fewest = kMostSlips + 1;
  for (const Known& known : kKnown) {
    if (known.name == "XOMP_RUN") // which the command sets
      continue;
    if (known.name[0] == 'X' && known.name.size() == typed.size() + 1 &&
        sys::ends_with(known.name, typed))
      return known.name;
    std::size_t found = slips(typed, known.name);
    if (known.name[0] == typed[0] && found < fewest && found * kLettersPerSlip <= typed.size()) {
      fewest = found;
      best = known.name;
    }
  }
  return best;
}

// Cheap enough for every entry of a large environment.
bool may_be_ours(const char* entry, Environment::Part part) {
  auto begins = [entry](const char* prefix) {
    return std::strncmp(entry, prefix, std::strlen(prefix)) == 0;
  };
  switch (part) {
  case Environment::Part::kOwn:
    return begins("XOMP_") || begins("OMP_TOOL");
  case Environment::Part::kOpenmp:
    return (begins("OMP_") && !begins("OMP_TOOL")) || begins("GOMP_");
  case Environment::Part::kKmp:
    return begins("KMP_");
  }
  return false;
}

} // namespace

const char* name_of(Variable variable) { return kKnown[static_cast<int>(variable)].name.data(); }

void put_before_environment(const char* text, std::size_t length) {
  std::size_t rest = 0; // what is there already comes behind it
  while (before && before[rest])
    rest += std::strlen(before + rest) + 1;
  char* old = std::exchange(before, nullptr);
  if (length) {
    before = static_cast<char*>(sys::allocate(length + rest + 2));
    std::size_t used = 0;
    for (std::size_t i = 0; i < length; ++i)
      if (text[i] != '|' && text[i] != '\0')
        before[used++] = text[i];
      else if (used > 0 && before[used - 1])
        before[used++] = '\0';
    if (used > 0 && before[used - 1])
      before[used++] = '\0';
    if (rest)
      std::memcpy(before + used, old, rest);
    before[used + rest] = '\0';
  }
  sys::release(old);
}

Environment::Environment(char* const* environment, Part part) {
  auto look_at = [&](const char* entry) {
    if (may_be_ours(entry, part)) {
      none = false;
      note(entry);
    }
  };
  for (const char* entry = before; entry && *entry; entry += std::strlen(entry) + 1)
    look_at(entry);
  for (; environment && *environment; ++environment)
    look_at(*environment);
}

// Of several entries with one name the first counts, as for getenv.
void Environment::note(const char* entry) {
  const char* equals = std::strchr(entry, '=');
  if (!equals)
    return;
  std::string_view name(entry, static_cast<std::size_t>(equals - entry));
  Setting setting{entry, static_cast<int>(name.size()), equals + 1};
  for (std::size_t i = 0; i < std::size(kKnown); ++i) {
    const Known& known = kKnown[i];
    if (!sys::starts_with(name, known.name))
      continue;
    std::string_view rest(name.data() + known.name.size(), name.size() - known.name.size());
    Setting* slot = rest.empty()                                  ? &found[i]
                    : known.for_all_devices && rest == kAllSuffix ? &found_all[i]
                                                                  : nullptr;
    if (!slot)
      continue;
    if (!slot->value)
      *slot = setting;
    return;
  }
  if (std::find(std::begin(kIgnored), std::end(kIgnored), name) != std::end(kIgnored))
    return;
  std::string_view meant = nearest(name);
  if (entry[0] != 'X' && meant.empty()) // another runtime's, or of a later specification
    return;
  sys::warn("%.*s=\"%.200s\" is ignored: there is no such variable%s%.*s%s", setting.name_length,
            entry, setting.value, meant.empty() ? "" : "; did you mean ",
            static_cast<int>(meant.size()), meant.data(), meant.empty() ? "" : "?");
}

void warn_of(const Setting& setting, const char* explanation) {
  sys::warn("%.*s=\"%.200s\" %s", setting.name_length, setting.name, setting.value, explanation);
}

void reject(const Setting& setting, const char* explanation) {
  sys::warn("%.*s=\"%.200s\" %s; using the default", setting.name_length, setting.name,
            setting.value, explanation);
}

} // namespace xomp
