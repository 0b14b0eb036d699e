// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looking at a running process from a signal handler: the signal, a lock that such a handler may
// take, text without the C library's buffers, and what the kernel knows of a thread.
#pragma once
#include <signal.h>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sys/brief_lock.h"

namespace xomp::sys {

/// Calls `report` on whichever thread SIGUSR1 interrupts, with every signal blocked; unless the
/// program handles the signal.
void report_on_signal(void (*report)());

/// What a report looks at is not changed while it looks, and the other way round. Whoever holds the
/// lock outside of a report is not interrupted by one: it would wait for its own thread.
class InspectionLock {
public:
  void lock_outside(sigset_t& mask_before);
  void unlock_outside(const sigset_t& mask_before);
  void lock_in_report() { held.lock(); }
  void unlock_in_report() { held.unlock(); }
  /// In the child after fork: the holder may be a thread that the child does not have.
  void free_after_fork() { held.free_after_fork(); }

private:
  BriefLock held;
};

/// A look at what its thread may write at this moment: old or new, or a mixture.
template <class T> [[gnu::no_sanitize("thread")]] inline T peek(const T& what) {
  return *const_cast<const volatile T*>(&what);
}
template <class T> inline T peek(const std::atomic<T>& what) {
  return what.load(std::memory_order_relaxed);
}
/// A copy of what may be given back to the system meanwhile. False: it was, or the system does
/// not let the process read its own memory this way.
bool copy_if_there(const void* what, void* copy, std::size_t bytes);
template <class T, class Copy> inline bool peek_if_there(const T& what, Copy& copy) {
  static_assert(sizeof what == sizeof copy);
  return copy_if_there(&what, &copy, sizeof copy);
}

/// Text for stderr, handed over in pieces that hold whole lines.
class RawText {
public:
  ~RawText() { flush(); }
  RawText& operator<<(std::string_view text);
  /// Below 2^63.
  template <std::integral T> RawText& operator<<(T number) {
    return put_number(static_cast<int64_t>(number));
  }
  void put_address(const void* address);
  void end_line();

private:
  RawText& put_number(int64_t number);
  void flush();

  std::size_t used = 0;
  char buffer[2048];
};

/// The kernel's number of the calling thread.
int kernel_thread_id();
/// What the kernel has counted of the calling thread, in nanoseconds: on a processor, and ready but
/// without one, because others had all.
struct ProcessorTimes {
  int64_t ran = 0, kept_off = 0;
};
/// A file that tells it of the calling thread; -1: there is none.
int open_processor_times();
/// By the same thread. False: it does not count that, and `times` stays as it is.
bool read_processor_times(int file, ProcessorTimes& times);
/// The state of a thread of this process as /proc shows it ('R' runs, 'S' sleeps, ...); '-' when
/// there is no such thread.
char kernel_state(int thread);
/// Whether all threads of this process but the calling one, which is not the first, have ended.
bool is_last_thread();

} // namespace xomp::sys
