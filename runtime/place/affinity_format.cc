// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "place/affinity_format.h"

#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "place/places.h"
#include "sys/memory.h"
#include "sys/names.h"
#include "sys/text_sink.h"

namespace xomp {
namespace {

using sys::TextSink;

// Table 21.2: the long names and the letters that stand for them.
constexpr sys::Named<char> kFieldNames[] = {
    {"team_num", 't'},
    {"num_teams", 'T'},
    {"nesting_level", 'L'},
    {"thread_num", 'n'},
    {"num_threads", 'N'},
    {"ancestor_tnum", 'a'},
    {"host", 'H'},
    {"process_id", 'P'},
    {"native_thread_id", 'i'},
    {"thread_affinity", 'A'},
};

// A larger width is taken for a slip: it would be gigabytes of spaces for every thread.
constexpr std::size_t kMaxWidth = 65535;

// One "%[[[0].]size]type".
struct Field {
  char type = 0; // 0: no such type
  bool zeros = false;
  bool right = false;
  bool well_formed = true;
  std::size_t width = 0;
};

// Reads the field whose '%' is before `at`; returns what follows it.
const char* read_field(const char* at, Field& field) {
  field.zeros = *at == '0';
  if (field.zeros)
    ++at;
  field.right = *at == '.';
  if (field.right)
    ++at;
  const char* digits = at;
  for (; *at >= '0' && *at <= '9'; ++at)
    if (field.width <= kMaxWidth)
      field.width = 10 * field.width + static_cast<std::size_t>(*at - '0');
  bool sized = at != digits && *digits != '0' && field.width <= kMaxWidth;
  if (field.width > kMaxWidth)
    field.width = 0;
  field.well_formed = (!field.zeros || field.right) && (sized || (!field.right && at == digits));

  if (*at == '{') {
    const char* end = std::strchr(at, '}');
    if (!end) {
      field.well_formed = false;
      return at + std::strlen(at);
    }
    std::string_view name(at + 1, static_cast<std::size_t>(end - at - 1));
    sys::find_name(kFieldNames, name, field.type);
    return end + 1;
  }
  if (!*at) {
    field.well_formed = false;
    return at;
  }
  field.type = *at;
  return at + 1;
}

void put_text(TextSink& sink, const Field& field, std::string_view text) {
  std::size_t padding = text.size() < field.width ? field.width - text.size() : 0;
  if (field.right)
    sink.fill(' ', padding);
  sink.put(text);
  if (!field.right)
    sink.fill(' ', padding);
}

// Zeros go between the sign or "0x" and the digits.
void put_number(TextSink& sink, const Field& field, std::string_view text) {
  if (!field.zeros || text.size() >= field.width)
    return put_text(sink, field, text);
  std::size_t prefix = text[0] == '-' ? 1 : text.size() > 1 && text[1] == 'x' ? 2 : 0;
  sink.put({text.begin(), prefix});
  sink.fill('0', field.width - text.size());
  sink.put({text.begin() + prefix, text.end()});
}

void put_int(TextSink& sink, const Field& field, int value) {
  char text[16];
  int length = std::snprintf(text, sizeof text, "%d", value);
  put_number(sink, field, {text, static_cast<std::size_t>(length)});
}

void put_native_id(TextSink& sink, const Field& field, const AffinityFacts& facts) {
  if (facts.kernel_thread_id)
    return put_int(sink, field, facts.kernel_thread_id);
  char text[24];
  int length = std::snprintf(text, sizeof text, "0x%" PRIx64, facts.native_thread_id);
  put_number(sink, field, {text, static_cast<std::size_t>(length)});
}

void put_host(TextSink& sink, const Field& field) {
  char name[256];
  if (gethostname(name, sizeof name) != 0)
    std::strcpy(name, "undefined");
  name[sizeof name - 1] = '\0';
  put_text(sink, field, name);
}

void put_affinity(TextSink& sink, const Field& field, int place) {
  std::size_t length = format_place(nullptr, 0, place);
  auto* text = static_cast<char*>(sys::allocate(length));
  format_place(text, length, place);
  put_text(sink, field, {text, length});
  sys::release(text);
}

void put_field(TextSink& sink, const Field& field, const AffinityFacts& facts) {
  switch (field.well_formed ? field.type : 0) {
  case 't':
    return put_int(sink, field, facts.team_num);
  case 'T':
    return put_int(sink, field, facts.num_teams);
  case 'L':
    return put_int(sink, field, facts.nesting_level);
  case 'n':
    return put_int(sink, field, facts.thread_num);
  case 'N':
    return put_int(sink, field, facts.num_threads);
  case 'a':
    return put_int(sink, field, facts.ancestor_thread_num);
  case 'P':
    return put_int(sink, field, getpid());
  case 'H':
    return put_host(sink, field);
  case 'i':
    return put_native_id(sink, field, facts);
  case 'A':
    return put_affinity(sink, field, facts.place);
  default:
    return put_text(sink, field, "undefined");
  }
}

} // namespace

std::size_t format_affinity(char* buffer, std::size_t size, const char* format,
                            const AffinityFacts& facts) {
  TextSink sink(buffer, size);
  for (const char* at = format; *at;) {
    if (*at != '%') {
      sink.put(*at++);
    } else if (at[1] == '%') {
      sink.put('%');
      at += 2;
    } else {
      Field field;
      at = read_field(at + 1, field);
      put_field(sink, field, facts);
    }
  }
  sink.terminate();
  return sink.length();
}

bool valid_affinity_format(const char* format) {
  for (const char* at = format; *at;) {
    if (*at++ != '%')
      continue;
    Field field;
    if (*at == '%')
      ++at;
    else
      at = read_field(at, field);
    if (!field.well_formed)
      return false;
  }
  return true;
}

} // namespace xomp
