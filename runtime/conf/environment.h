// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variables that the runtime knows and one pass over the environment that finds them. OMP_X_ALL
// stands in for OMP_X where OpenMP 5.2 section 21 allows the suffix; the _DEV ones concern devices
// only and are not read.
#pragma once
#include <cstddef>
#include <cstdint>

namespace xomp {

enum class Variable : uint8_t {
#define XOMP_VARIABLE(variable, name, all) k##variable,
#include "conf/variables.def"
  kCount,
};

/// As the environment has it: "OMP_NUM_THREADS".
const char* name_of(Variable variable);

/// A variable as it was found; `value` is null when it was not.
struct Setting {
  const char* name = nullptr; ///< where "NAME=value" begins
  int name_length = 0;
  const char* value = nullptr;

  explicit operator bool() const { return value != nullptr; }
};

/// What is read from here on begins with "NAME=value|NAME=value": such a variable counts before
/// that of the environment. Without a text no longer.
void put_before_environment(const char* text, std::size_t length);

/// The settings in force. Warns of XOMP_* variables that do not exist, and of what looks like a
/// slip.
class Environment {
public:
  /// By when they are read (`load_settings`, conf/kmp.h): ours and those of tools, the others of
  /// OpenMP and libgomp's, the KMP_* ones.
  enum class Part : uint8_t { kOwn, kOpenmp, kKmp };
  Environment(char* const* environment, Part part);
  const Setting& operator[](Variable variable) const {
    const Setting& plain = found[static_cast<int>(variable)];
    return plain ? plain : found_all[static_cast<int>(variable)];
  }

  /// Whether there is no variable of its part in the environment.
  bool empty() const { return none; }

private:
  void note(const char* entry);

  bool none = true;

  Setting found[static_cast<int>(Variable::kCount)];
  Setting found_all[static_cast<int>(Variable::kCount)];
};

/// The one warning of a malformed variable: "NAME="value" EXPLANATION; using the default".
[[gnu::cold]] void reject(const Setting& setting, const char* explanation);

/// A warning of one that counts all the same: "NAME="value" EXPLANATION".
[[gnu::cold]] void warn_of(const Setting& setting, const char* explanation);

/// Whether the variable is there and well formed; warns when it is only there.
template <class Parse> bool read(const Setting& setting, const char* explanation, Parse parse) {
  if (!setting)
    return false;
  if (parse(setting.value))
    return true;
  reject(setting, explanation);
  return false;
}

} // namespace xomp
