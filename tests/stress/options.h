// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line.
#pragma once
#include <cstdint>

namespace stress {

struct Options {
  double seconds = 5;
  long rounds = -1;
  uint64_t seed = 1;
  int threads = 4;
  int size = 1500;
  int pthreads = 1;
  bool verbose = false;
};

/// Ends the process when an option is unknown.
Options parse_options(int argc, char** argv);

} // namespace stress
