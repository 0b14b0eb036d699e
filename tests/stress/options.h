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
  uint64_t cycle = 0; ///< that many different rounds, again and again; 0: each is another
  double beat = 0;    ///< seconds between lines that tell how many rounds are over; 0: none
  bool verbose = false;
};

/// Ends the process when an option is unknown. What is to be left out is left out afterwards
/// (kinds.h).
Options parse_options(int argc, char** argv);

} // namespace stress
