// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formats into a buffer and writes once, so that lines of several threads do not mix.
#include "sys/report.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "sys/uncancellable.h"

namespace xomp::sys {
namespace {

/// Written while the library is loaded, by one thread; later only read.
char held[4096];
std::size_t held_length = 0;
bool holding = false;
/// Relaxed: a thread that exchanges it prints what was written before there was a second thread.
std::atomic<bool> something_held{false};

/// False: there is no room.
bool hold(const char* line, std::size_t length) {
  if (!holding || held_length + length > sizeof held)
    return false;
  std::memcpy(held + held_length, line, length);
  held_length += length;
  something_held.store(true, std::memory_order_relaxed);
  return true;
}

void put(const char* format, va_list args) {
  char line[768];
  int used = std::snprintf(line, sizeof line, "xomp: ");
  int more = std::vsnprintf(line + used, sizeof line - used - 1, format, args);
  if (more > 0)
    used += more;
  if (used > static_cast<int>(sizeof line) - 2)
    used = sizeof line - 2;
  line[used++] = '\n';
  if (!hold(line, used))
    print({line, static_cast<std::size_t>(used)});
}

} // namespace

void print(std::string_view text) {
  Uncancellable whole;
  for (std::size_t done = 0; done < text.size();) {
    ssize_t bytes = write(STDERR_FILENO, text.data() + done, text.size() - done);
    if (bytes <= 0)
      return;
    done += static_cast<std::size_t>(bytes);
  }
}

void print_to_stdout(std::string_view text) {
  Uncancellable whole;
  std::fwrite(text.data(), 1, text.size(), stdout);
}

HeldWarnings::HeldWarnings() { holding = true; }
HeldWarnings::~HeldWarnings() { holding = false; }

void print_held() {
  holding = false;
  if (something_held.exchange(false, std::memory_order_relaxed))
    print({held, held_length});
}

void warn(const char* format, ...) {
  va_list args;
  va_start(args, format);
  put(format, args);
  va_end(args);
}

void fatal(const char* format, ...) {
  static std::atomic<pthread_t> ending{};
  pthread_t none{};
  // Relaxed: it orders nothing. All threads of a region may come to the same error.
  if (!ending.compare_exchange_strong(none, pthread_self(), std::memory_order_relaxed))
    while (!pthread_equal(none, pthread_self()))
      pause();
  va_list args;
  va_start(args, format);
  put(format, args);
  va_end(args);
  std::exit(EXIT_FAILURE);
}

} // namespace xomp::sys
