// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Only calls that are allowed in signal handlers.
#include "sys/inspection.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "sys/clock.h"
#include "sys/uncancellable.h"

namespace xomp::sys {
namespace {

void (*report_wanted)() = nullptr;

void interrupted(int) {
  int error = errno;
  report_wanted();
  errno = error;
}

} // namespace

void report_on_signal(void (*report)()) {
  report_wanted = report;
  struct sigaction action = {};
  bool taken = sigaction(SIGUSR1, nullptr, &action) == 0 && action.sa_handler != SIG_DFL &&
               action.sa_handler != SIG_IGN;
  if (taken) // by the program
    return;
  action = {};
  action.sa_handler = interrupted;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  sigaction(SIGUSR1, &action, nullptr);
}

void InspectionLock::lock_outside(sigset_t& mask_before) {
  sigset_t report;
  sigemptyset(&report);
  sigaddset(&report, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &report, &mask_before);
  held.lock();
}

void InspectionLock::unlock_outside(const sigset_t& mask_before) {
  held.unlock();
  pthread_sigmask(SIG_SETMASK, &mask_before, nullptr);
}

bool copy_if_there(const void* what, void* copy, std::size_t bytes) {
  iovec from = {const_cast<void*>(what), bytes}, to = {copy, bytes};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == static_cast<ssize_t>(bytes);
}

RawText& RawText::operator<<(std::string_view text) {
  if (text.size() > sizeof buffer - used)
    text.remove_suffix(text.size() - (sizeof buffer - used)); // substr needs the C++ library
  std::memcpy(buffer + used, text.data(), text.size());
  used += text.size();
  return *this;
}

RawText& RawText::put_number(int64_t number) {
  char digits[24];
  auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
}

void RawText::put_address(const void* address) {
  char digits[24];
  auto end =
      std::to_chars(digits, digits + sizeof digits, reinterpret_cast<uintptr_t>(address), 16).ptr;
  *this << "0x" << std::string_view(digits, static_cast<std::size_t>(end - digits));
}

void RawText::end_line() {
  *this << "\n";
  if (used > sizeof buffer / 2)
    flush();
}

void RawText::flush() {
  Uncancellable whole;
  for (std::size_t done = 0; done < used;) {
    ssize_t bytes = write(STDERR_FILENO, buffer + done, used - done);
    if (bytes <= 0)
      break;
    done += static_cast<std::size_t>(bytes);
  }
  used = 0;
}

int kernel_thread_id() { return static_cast<int>(syscall(SYS_gettid)); }

int open_processor_times() { return open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC); }

bool read_processor_times(int file, ProcessorTimes& times) {
  char text[80]; // three numbers, the last is how often it got a processor
  ssize_t bytes = pread(file, text, sizeof text, 0);
  int64_t numbers[3] = {};
  const char *at = text, *end = text + std::max<ssize_t>(bytes, 0);
  for (int64_t& number : numbers) {
    at = std::from_chars(at, end, number).ptr;
    at += at < end;
  }
  // A kernel that does not count has zeros behind the first number.
  if (numbers[2] == 0)
    return false;
  // The first number may be a timer's tick late.
  times = {nanoseconds_of(CLOCK_THREAD_CPUTIME_ID), numbers[1]};
  return true;
}

char kernel_state(int thread) {
  char path[48] = "/proc/self/task/";
  char* end = std::to_chars(path + std::strlen(path), path + 40, thread).ptr;
  std::memcpy(end, "/stat", sizeof "/stat");
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return '-';
  char text[256];
  ssize_t bytes = read(file, text, sizeof text - 1);
  close(file);
  if (bytes <= 0)
    return '-';
  text[bytes] = '\0';
  // "NUMBER (NAME) STATE ...": the name may hold anything, parentheses too.
  const char* name_ends = std::strrchr(text, ')');
  return name_ends && name_ends + 2 < text + bytes ? name_ends[2] : '-';
}

bool is_last_thread() {
  if (kernel_state(getpid()) != 'Z')
    return false;
  constexpr nlink_t kOfFolder = 2, kThreads = 2; // the first counts until all have ended
  struct stat threads; // the kernel's as well; before glibc 2.33 `stat` was no function
  return syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &threads, 0) == 0 &&
         threads.st_nlink == kOfFolder + kThreads;
}

} // namespace xomp::sys
