// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "records.h"

namespace ompt_check {
namespace {

constexpr const char* kNames[] = {
    "data",       "arguments",   "threads",    "regions", "implicit",     "schedule",
    "constraint", "dependences", "waits",      "nesting", "mutexes",      "states",
    "frames",     "addresses",   "no-address", "info",    "entry-points", "ends"};
static_assert(sizeof kNames / sizeof *kNames == static_cast<size_t>(Rule::kCount));

constexpr uint64_t kToldOfEach = 20;
constexpr size_t kLongestLine = 512;

std::atomic<uint64_t> found[static_cast<size_t>(Rule::kCount)];
thread_local const char* callback_name = "";

void write_line(char* line, size_t length) {
  line[length++] = '\n';
  for (size_t written = 0; written < length;) {
    ssize_t now = write(options.file, line + written, length - written);
    if (now < 0 && errno != EINTR)
      return;
    written += now > 0 ? static_cast<size_t>(now) : 0;
  }
}

size_t append(char* line, size_t length, const char* format, va_list arguments) {
  int more = vsnprintf(line + length, kLongestLine - length - 1, format, arguments);
  length += more > 0 ? static_cast<size_t>(more) : 0;
  return length < kLongestLine - 2 ? length : kLongestLine - 2;
}

bool word_is(const char* word, size_t length, const char* name) {
  return strlen(name) == length && memcmp(word, name, length) == 0;
}

bool ignore(const char* word, size_t length) {
  for (size_t rule = 0; rule < static_cast<size_t>(Rule::kCount); ++rule)
    if (word_is(word, length, kNames[rule])) {
      options.ignored |= uint32_t{1} << rule;
      return true;
    }
  return false;
}

bool ignore_all(const char* list, size_t length) {
  for (const char* end = list + length; list < end;) {
    size_t word = strcspn(list, "+,");
    if (!ignore(list, word))
      return false;
    list += word + 1;
  }
  return true;
}

bool write_to(const char* path, size_t length) {
  char name[kLongestLine];
  if (length == 0 || length >= sizeof name)
    return false;
  memcpy(name, path, length);
  name[length] = '\0';
  int file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0)
    return false;
  options.file = file;
  options.own_file = true;
  return true;
}

bool obey(const char* word, size_t length) {
  constexpr char kIgnore[] = "ignore=", kOutput[] = "output=";
  if (length >= sizeof kIgnore && strncmp(word, kIgnore, sizeof kIgnore - 1) == 0)
    return ignore_all(word + sizeof kIgnore - 1, length - (sizeof kIgnore - 1));
  if (length >= sizeof kOutput && strncmp(word, kOutput, sizeof kOutput - 1) == 0)
    return write_to(word + sizeof kOutput - 1, length - (sizeof kOutput - 1));
  if (word_is(word, length, "print"))
    options.print = true;
  else if (word_is(word, length, "summary"))
    options.summary = true;
  else if (word_is(word, length, "fail"))
    options.fail = true;
  else
    return false;
  return true;
}

} // namespace

void keep_standard_error() {
  constexpr int kOutOfTheWay = 100; // programs count on the lowest numbers
  int file = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, kOutOfTheWay);
  if (file >= 0)
    options.file = file;
}

void read_options() {
  const char* text = getenv("OMPT_CHECK");
  while (text && *text) {
    size_t length = strcspn(text, ",");
    if (length > 0 && !obey(text, length))
      say("ompt_check: OMPT_CHECK: '%.*s' is not understood", static_cast<int>(length), text);
    text += length + (text[length] == ',');
  }
}

void say(const char* format, ...) {
  char line[kLongestLine];
  va_list arguments;
  va_start(arguments, format);
  size_t length = append(line, 0, format, arguments);
  va_end(arguments);
  write_line(line, length);
}

void broken(Rule rule, const char* format, ...) {
  if (options.ignored >> static_cast<unsigned>(rule) & 1)
    return;
  // Relaxed: read at the end, after the threads were joined or by whoever counts one more.
  uint64_t before = found[static_cast<size_t>(rule)].fetch_add(1, std::memory_order_relaxed);
  if (before >= kToldOfEach)
    return;
  char line[kLongestLine];
  int begun = snprintf(line, sizeof line, "ompt_check: rule '%s' broken: thread %u, %s: ",
                       kNames[static_cast<size_t>(rule)], calling_thread_number(), callback_name);
  va_list arguments;
  va_start(arguments, format);
  size_t length = append(line, static_cast<size_t>(begun), format, arguments);
  va_end(arguments);
  write_line(line, length);
}

uint64_t broken_rules() {
  uint64_t sum = 0;
  for (const std::atomic<uint64_t>& count : found)
    sum += count.load(std::memory_order_relaxed);
  return sum;
}

void set_callback_name(const char* name) { callback_name = name; }

} // namespace ompt_check
