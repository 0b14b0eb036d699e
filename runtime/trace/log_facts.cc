// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/log_facts.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include <unistd.h>

#include "conf/settings.h"
#include "sys/clock.h"
#include "sys/files.h"
#include "sys/inspection.h"
#include "sys/memory.h"
#include "sys/text_sink.h"
#include "sys/ticks.h"
#include "trace/hardware.h"

namespace xomp::trace {
namespace {

void put_text(LogFile& log, const char* key, const char* text) {
  log.put_line(key, text, std::strlen(text));
}

void put_escaped(sys::TextSink& sink, char c) {
  auto byte = static_cast<unsigned char>(c);
  if (c == '"' || c == '\\') {
    sink.put('\\');
    sink.put(c);
  } else if (byte < ' ' || byte == 127) {
    sink.print("\\%03o", byte);
  } else {
    sink.put(c);
  }
}

/// The arguments, each in quotes.
void put_command(LogFile& log) {
  constexpr std::size_t kMost = 16384;
  std::size_t length;
  char* arguments = sys::read_whole("/proc/self/cmdline", length);
  if (!arguments)
    return;
  auto* line = static_cast<char*>(sys::allocate(kMost));
  sys::TextSink sink(line, kMost);
  for (std::size_t at = 0; at < length; ++at) {
    sink.put(at ? " \"" : "\"");
    for (; at < length && arguments[at]; ++at)
      put_escaped(sink, arguments[at]);
    sink.put('"');
  }
  log.put_line("command", line, std::min(sink.length(), kMost));
  sys::release(line);
  sys::release(arguments);
}

void put_program(LogFile& log) {
  auto* path = static_cast<char*>(sys::allocate(PATH_MAX));
  ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
  if (length > 0)
    log.put_line("program", path, static_cast<std::size_t>(length));
  sys::release(path);
}

/// From lines like "  NAME = 'VALUE'".
void put_setting_lines(LogFile& log) {
  sys::TextSink measure(nullptr, 0);
  put_settings(measure, true);
  auto* text = static_cast<char*>(sys::allocate(measure.length() + 1));
  sys::TextSink sink(text, measure.length() + 1);
  put_settings(sink, true);
  sink.terminate();
  for (char* line = text; char* end = std::strchr(line, '\n'); line = end + 1) {
    char* name = line + std::strspn(line, " ");
    char* equals = std::strstr(name, " = '");
    if (!equals || equals > end)
      continue;
    constexpr std::size_t kBetween = 3; // of " = '" a blank is kept
    std::memmove(name + kBetween, name, static_cast<std::size_t>(equals - name));
    name += kBetween;
    equals[kBetween] = ' ';
    log.put_line("setting", name, static_cast<std::size_t>(end - 1 - name));
  }
  sys::release(text);
}

void put_hardware(LogFile& log) {
  int error = find_hardware();
  if (error)
    return put_text(log, "hardware-absent", std::strerror(error));
  for (int event = 0; event < kHardwareEvents; ++event) {
    if (has_hardware(event))
      log.print_line("hardware", "%d %s", event, kHardwareNames[event]);
  }
}

void put_processor(LogFile& log) {
  int file = sys::open_processor_times();
  sys::ProcessorTimes times;
  if (!sys::read_processor_times(file, times))
    put_text(log, "processor-absent",
             file < 0 ? std::strerror(errno)
                      : "the kernel does not count for how long threads wait for one");
  if (file >= 0)
    close(file);
}

/// A line of numbers and a text.
[[gnu::format(printf, 5, 6)]] void put_with_numbers(LogFile& log, const char* key, const char* text,
                                                    std::size_t bytes, const char* format, ...) {
  char numbers[64];
  va_list args;
  va_start(args, format);
  auto used = static_cast<std::size_t>(std::vsnprintf(numbers, sizeof numbers, format, args));
  va_end(args);
  auto* line = static_cast<char*>(sys::allocate(used + bytes));
  std::memcpy(line, numbers, used);
  std::memcpy(line + used, text, bytes);
  log.put_line(key, line, used + bytes);
  sys::release(line);
}

uint64_t checksum(uint64_t sum, const char* text, std::size_t length) {
  for (std::size_t i = 0; i < length; ++i)
    sum = (sum ^ static_cast<unsigned char>(text[i])) * 1099511628211u; // FNV-1a
  return sum;
}

/// Calls `each(start, end, offset, path, length)` for the mappings of files that may be executed.
template <class Each> void for_each_module(char* maps, Each each) {
  for (char* line = maps; char* end = std::strchr(line, '\n'); line = end + 1) {
    *end = '\0';
    uint64_t start, past, offset;
    char rights[5];
    if (std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64, &start, &past, rights, &offset) !=
        4)
      continue;
    const char* path = std::strchr(line, '/');
    if (rights[2] == 'x' && path)
      each(start, past, offset, path, static_cast<std::size_t>(end - path));
  }
}

} // namespace

void put_process(LogFile& log) {
  put_text(log, "version", XOMP_VERSION);
  log.print_line("pid", "%ld", static_cast<long>(getpid()));
  put_command(log);
  put_program(log);
  log.print_line("start", "%" PRId64, sys::nanoseconds_of(CLOCK_REALTIME));
  log.print_line("processors", "%d", settings.processors);
  log.print_line("threads", "%d", settings.icv.num_threads);
  put_setting_lines(log);
  put_hardware(log);
  put_processor(log);
}

Reading read_clock() {
  // Of several attempts the one in which the least can have happened between the two.
  Reading best;
  int64_t least = INT64_MAX;
  for (int i = 0; i < 3; ++i) {
    int64_t before = sys::ticks();
    int64_t now = sys::nanoseconds();
    int64_t took = sys::ticks() - before;
    if (took >= least)
      continue;
    least = took;
    best = {before + took / 2, now};
  }
  return best;
}

void put_clock(LogFile& log, Reading reading) {
  log.print_line("clock", "%" PRId64 " %" PRId64, reading.ticks, reading.time);
}

uint64_t put_modules(LogFile& log, uint64_t known) {
  std::size_t length;
  char* maps = sys::read_whole("/proc/self/maps", length);
  if (!maps)
    return known;
  auto* copy = static_cast<char*>(sys::allocate(length + 1));
  std::memcpy(copy, maps, length + 1);
  uint64_t sum = 14695981039346656037u;
  for_each_module(copy,
                  [&](uint64_t start, uint64_t, uint64_t, const char* path, std::size_t bytes) {
                    sum = checksum(sum, reinterpret_cast<const char*>(&start), sizeof start);
                    sum = checksum(sum, path, bytes);
                  });
  if (sum != known) {
    for_each_module(maps, [&](uint64_t start, uint64_t end, uint64_t offset, const char* path,
                              std::size_t bytes) {
      put_with_numbers(log, "module", path, bytes, "%" PRIx64 " %" PRIx64 " %" PRIx64 " ", start,
                       end, offset);
    });
  }
  sys::release(copy);
  sys::release(maps);
  return sum;
}

void put_call(LogFile& log, uint64_t codeptr, uint64_t body, const char* said) {
  put_with_numbers(log, "call", said, std::strlen(said), "%" PRIx64 " %" PRIx64 " ", codeptr, body);
}

} // namespace xomp::trace
