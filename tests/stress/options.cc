// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading the command line.
#include "options.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kinds.h"

namespace stress {

namespace {

bool set(Options& options, const char* name, const char* value) {
  auto is = [&](const char* known) { return strcmp(name, known) == 0; };
  if (is("--seconds"))
    options.seconds = atof(value);
  else if (is("--rounds"))
    options.rounds = atol(value);
  else if (is("--seed"))
    options.seed = strtoull(value, nullptr, 10);
  else if (is("--cycle"))
    options.cycle = strtoull(value, nullptr, 10);
  else if (is("--threads"))
    options.threads = atoi(value);
  else if (is("--size"))
    options.size = atoi(value);
  else if (is("--pthreads"))
    options.pthreads = atoi(value);
  else if (is("--beat"))
    options.beat = atof(value);
  else if (is("--verbose"))
    options.verbose = atoi(value) != 0;
  else if (is("--without"))
    return leave_out(value);
  else if (is("--only"))
    return leave_only(value);
  else
    return false;
  return true;
}

} // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  if (argc == 2 && !strcmp(argv[1], "--list")) {
    print_names();
    exit(0);
  }
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc || !set(options, argv[i], argv[i + 1])) {
      fprintf(stderr, "stress: what is %s %s?\n", argv[i], i + 1 < argc ? argv[i + 1] : "");
      exit(2);
    }
  }
  return options;
}

} // namespace stress
