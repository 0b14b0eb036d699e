// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program may cancel its threads (pthread_cancel). The runtime's own calls of the system are no
// points at which that happens: locks would stay locked, and members of a team would wait for ever
// for a thread that has unwound its stack under them.
#pragma once
#include <pthread.h>

namespace xomp::sys {

/// Around whatever opens, reads, writes, closes or joins on a thread of the program's.
class Uncancellable {
public:
  Uncancellable() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before); }
  ~Uncancellable() { pthread_setcancelstate(before, nullptr); }
  Uncancellable(const Uncancellable&) = delete;

private:
  int before;
};

} // namespace xomp::sys
