// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first failure of the process.
#include "failure.h"

#include <atomic>
#include <cstdio>

namespace stress {

namespace {

std::atomic<bool> failed{false};

} // namespace

void fail(const char* what) {
  if (!failed.exchange(true))
    fprintf(stderr, "stress: %s\n", what);
}

bool has_failed() { return failed.load(); }

} // namespace stress
