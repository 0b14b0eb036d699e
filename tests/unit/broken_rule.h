// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an assertion of the runtime (sys/assert.h) prints when its rule is broken.
#pragma once
#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace xomp {

/// A regular expression of it: the rule stands so in `file`, a path below runtime/, in one line or
/// in several.
inline std::string broken(const std::string& file, const std::string& rule) {
  std::string lines, line;
  std::ifstream source(XOMP_SOURCE_DIR "/runtime/" + file);
  for (int number = 1; std::getline(source, line); ++number) {
    if (line.find("XOMP_ASSERT(" + rule + ")") != std::string::npos)
      lines += (lines.empty() ? "" : "|") + std::to_string(number);
  }
  EXPECT_FALSE(lines.empty()) << file << " has no such rule: " << rule;
  std::string literal;
  for (char each : rule) {
    if (std::string("()[]{}*+?.|^$").find(each) != std::string::npos)
      literal += '\\';
    literal += each;
  }
  return file + ":(" + lines + "): assertion failed: " + literal + " [(]in ";
}

} // namespace xomp
