// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading the command line.
#include "options.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace stress {

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const char* name = argv[i];
    const char* value = argv[i + 1];
    if (!strcmp(name, "--seconds"))
      options.seconds = atof(value);
    else if (!strcmp(name, "--rounds"))
      options.rounds = atol(value);
    else if (!strcmp(name, "--seed"))
      options.seed = strtoull(value, nullptr, 10);
    else if (!strcmp(name, "--threads"))
      options.threads = atoi(value);
    else if (!strcmp(name, "--size"))
      options.size = atoi(value);
    else if (!strcmp(name, "--pthreads"))
      options.pthreads = atoi(value);
    else if (!strcmp(name, "--verbose"))
      options.verbose = atoi(value) != 0;
    else {
      fprintf(stderr, "stress: unknown option %s\n", name);
      exit(2);
    }
  }
  return options;
}

} // namespace stress
