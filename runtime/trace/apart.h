// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is recorded is read and written in the middle of the program's own code.
#pragma once
#include <cerrno>

#include "sys/uncancellable.h"

namespace xomp::trace {

/// Events happen in the middle of a program that looks at errno, and in threads that it may cancel:
/// not while one holds the lock.
class Apart {
public:
  Apart() : saved(errno) {}
  ~Apart() { errno = saved; }
  Apart(const Apart&) = delete;

private:
  int saved;
  sys::Uncancellable whole;
};

} // namespace xomp::trace
