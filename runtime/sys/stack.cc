// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sys/stack.h"

#include <algorithm>
#include <cerrno>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace xomp::sys {
namespace {

/// The C library would read /proc/self/maps for the process's first stack: as long as a whole hello
/// program takes.
uintptr_t middle_of_first_stack() {
  rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0)
    return 0;
  constexpr rlim_t kMost = rlim_t{64} << 20; // "unlimited" ends at the next mapping
  return stack_pointer() - std::min(limit.rlim_cur, kMost) / 2;
}

} // namespace

uintptr_t middle_of_stack() {
  int saved = errno;
  uintptr_t middle = 0;
  pthread_attr_t attributes;
  if (syscall(SYS_gettid) == getpid()) {
    middle = middle_of_first_stack();
  } else if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* lowest;
    std::size_t size;
    if (pthread_attr_getstack(&attributes, &lowest, &size) == 0)
      middle = reinterpret_cast<uintptr_t>(lowest) + size / 2;
    pthread_attr_destroy(&attributes);
  }
  errno = saved;
  return middle;
}

bool stacks_are_unlimited() {
  rlimit limit;
  return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

} // namespace xomp::sys
