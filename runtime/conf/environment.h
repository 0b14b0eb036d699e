// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variables that the runtime knows and one pass over the environment that finds them. OMP_X_ALL
// stands in for OMP_X where OpenMP 5.2 section 21 allows the suffix; the _DEV ones concern devices
// only and are not read.
#pragma once
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

/// The settings in force. Warns of XOMP_* variables that do not exist.
class Environment {
public:
  explicit Environment(char* const* environment);
  const Setting& operator[](Variable variable) const {
    const Setting& plain = found[static_cast<int>(variable)];
    return plain ? plain : found_all[static_cast<int>(variable)];
  }

private:
  void note(const char* entry);

  Setting found[static_cast<int>(Variable::kCount)];
  Setting found_all[static_cast<int>(Variable::kCount)];
};

/// The one warning of a malformed variable: "NAME="value" EXPLANATION; using the default".
[[gnu::cold]] void reject(const Setting& setting, const char* explanation);

} // namespace xomp
