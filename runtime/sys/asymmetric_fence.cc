// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sys/asymmetric_fence.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace xomp::sys {
namespace {

// <linux/membarrier.h> is not everywhere; these numbers do not change.
constexpr int kPrivateExpedited = 1 << 3, kRegisterPrivateExpedited = 1 << 4;

enum class Known : int { kNothing, kWorks, kRefused };
std::atomic<Known> known{Known::kNothing};

bool call(int command) {
  int saved = errno;
  bool done = syscall(SYS_membarrier, command, 0, 0) == 0;
  errno = saved;
  return done;
}

} // namespace

bool has_asymmetric_fence() {
  // Relaxed: two threads that ask at once find the same, and registering twice is no mistake.
  Known now = known.load(std::memory_order_relaxed);
  if (now == Known::kNothing) {
    now = call(kRegisterPrivateExpedited) && call(kPrivateExpedited) ? Known::kWorks
                                                                     : Known::kRefused;
    known.store(now, std::memory_order_relaxed);
  }
  return now == Known::kWorks;
}

void heavy_fence() {
  std::atomic_thread_fence(std::memory_order_seq_cst); // of the calling thread itself
  // A child of fork may have to register anew.
  if (!call(kPrivateExpedited) && call(kRegisterPrivateExpedited))
    call(kPrivateExpedited);
}

} // namespace xomp::sys
