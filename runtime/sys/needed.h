// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which libraries the program and the libraries that are loaded so far ask for, by their names, and
// for which versions of names.
#pragma once
#include <link.h>

#include <string_view>

namespace xomp::sys {

/// A library that an object asks for.
class Asked {
public:
  std::string_view file; ///< its name, without a folder

  /// `first`: what the object says of versions, whose names are in `strings`; null: nothing.
  Asked(const char* path, const ElfW(Verneed) * first = nullptr, const char* strings = nullptr);
  /// Whether the object asks it for a name of a version that begins so.
  bool version(std::string_view beginning) const;

private:
  const ElfW(Verneed) * first;
  const char* strings;
};

/// Whether an object of this process needs a library that `means` accepts, or is called so itself.
bool is_needed_or_there(bool (*means)(const Asked& library));
/// Whether one needs it.
bool is_needed(bool (*means)(const Asked& library));

} // namespace xomp::sys
