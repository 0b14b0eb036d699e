// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recursive descent over the grammar: list, place with its interval, resources of a place.
#include "place/parse_places.h"

#include <climits>
#include <cstring>

#include "sys/names.h"
#include "sys/scanner.h"

namespace xomp {
namespace {

using sys::Scanner;

// Keeps a typing error from turning into gigabytes; libgomp has the same limit.
constexpr int kMaxPlaces = 65536;

constexpr sys::Named<PlaceLevel> kLevelNames[] = {
    {"threads", PlaceLevel::kThreads},
    {"cores", PlaceLevel::kCores},
    {"ll_caches", PlaceLevel::kLastLevelCaches},
    {"sockets", PlaceLevel::kSockets},
    {"numa_domains", PlaceLevel::kNumaDomains},
    {"dice", PlaceLevel::kDice},
    {"tiles", PlaceLevel::kTiles},
    {"modules", PlaceLevel::kModules},
    {"l1_caches", PlaceLevel::kL1Caches},
    {"l2_caches", PlaceLevel::kL2Caches},
    {"l3_caches", PlaceLevel::kL3Caches},
    {"core_types", PlaceLevel::kCoreTypes},
    {"core_effs", PlaceLevel::kCoreTypes},
    {"core_efficiencies", PlaceLevel::kCoreTypes},
};

// "[:length[:stride]]", as it follows a resource or a place.
struct Interval {
  uint64_t length = 1;
  int64_t stride = 1;
};

// `base` moved by `steps` strides, or -1 when that leaves [0, capacity).
int moved(int base, uint64_t steps, int64_t stride, int capacity) {
  int64_t distance, target;
  if (__builtin_mul_overflow(static_cast<int64_t>(steps), stride, &distance))
    return -1;
  if (__builtin_add_overflow(distance, int64_t{base}, &target))
    return -1;
  return target >= 0 && target < capacity ? static_cast<int>(target) : -1;
}

bool add_interval(Processors set, uint64_t first, const Interval& interval) {
  int capacity = processor_capacity(set);
  if (first >= static_cast<uint64_t>(capacity))
    return false;
  for (uint64_t i = 0; i < interval.length; ++i) {
    int processor = moved(static_cast<int>(first), i, interval.stride, capacity);
    if (processor < 0)
      return false;
    add_processor(set, processor);
  }
  return true;
}

class ListParser {
public:
  ListParser(const char* text, PlaceTable& places)
      : scan(text), places(places), rows(places.words_per_row()) {
    rows.append();
    rows.append();
    place = rows[0];
    excluded = rows[1];
  }

  bool list() {
    do {
      if (!item())
        return false;
    } while (scan.take(','));
    return scan.at_end() && places.size() > 0;
  }

private:
  bool item() {
    std::memset(place.data(), 0, place.size_bytes());
    bool exclude = scan.take('!');
    if (!read_place())
      return false;
    if (exclude)
      return !scan.next_is(':') && exclude_place();
    Interval interval;
    if (!read_interval(interval) || places.size() >= kMaxPlaces)
      return false;
    std::memcpy(places.append().data(), place.data(), place.size_bytes());
    return repeat_last(interval);
  }

  bool read_place() {
    if (scan.take('{'))
      return read_resources();
    uint64_t processor;
    return scan.take_number(processor) && add_interval(place, processor, {});
  }

  // The inside of braces. Exclusions count wherever they stand, and must exclude something.
  bool read_resources() {
    std::memset(excluded.data(), 0, excluded.size_bytes());
    do {
      bool exclude = scan.take('!');
      uint64_t processor;
      Interval interval;
      if (!scan.take_number(processor))
        return false;
      if (exclude ? scan.next_is(':') : !read_interval(interval))
        return false;
      if (!add_interval(exclude ? excluded : place, processor, interval))
        return false;
    } while (scan.take(','));
    for (int p = next_processor(excluded, 0); p >= 0; p = next_processor(excluded, p + 1))
      if (!has_processor(place, p))
        return false;
    remove_processors(place, excluded);
    return scan.take('}');
  }

  bool read_interval(Interval& interval) {
    if (!scan.take(':'))
      return true;
    if (!scan.take_number(interval.length))
      return false;
    if (interval.length == 0 || interval.length > kMaxPlaces)
      return false;
    return !scan.take(':') || scan.take_signed(interval.stride);
  }

  // Appends copies of the last place, each one stride further.
  bool repeat_last(const Interval& interval) {
    if (interval.length > static_cast<uint64_t>(kMaxPlaces - places.size()) + 1)
      return false;
    int capacity = processor_capacity(place);
    for (uint64_t i = 1; i < interval.length; ++i) {
      Processors copy = places.append();
      for (int p = next_processor(place, 0); p >= 0; p = next_processor(place, p + 1)) {
        int target = moved(p, i, interval.stride, capacity);
        if (target < 0)
          return false;
        add_processor(copy, target);
      }
    }
    return true;
  }

  // "!place": takes the first equal place out of the list so far.
  bool exclude_place() {
    for (int i = 0; i < places.size(); ++i)
      if (same_processors(places[i], place)) {
        places.remove(i);
        return true;
      }
    return false;
  }

  Scanner scan;
  PlaceTable& places;
  PlaceTable rows; // of `place`, the one being read, and of what its braces exclude
  Processors place;
  Processors excluded;
};

} // namespace

bool parse_abstract_places(const char* text, PlaceLevel& level, int& limit) {
  Scanner scan(text);
  PlaceLevel named;
  uint64_t count = INT_MAX;
  if (!sys::find_name(kLevelNames, scan.take_word(), named))
    return false;
  if (scan.take('(') && !(scan.take_number(count) && count > 0 && scan.take(')')))
    return false;
  if (!scan.at_end())
    return false;
  level = named;
  limit = count < INT_MAX ? static_cast<int>(count) : INT_MAX;
  return true;
}

bool parse_place_list(const char* text, PlaceTable& places) {
  if (ListParser(text, places).list())
    return true;
  places.clear();
  return false;
}

bool parse_cpu_affinity(const char* text, PlaceTable& places) {
  Scanner scan(text);
  uint64_t capacity = 64 * static_cast<uint64_t>(places.words_per_row());
  do {
    uint64_t first, last, stride = 1;
    if (!scan.take_number(first, true) || first >= kMaxPlaces)
      return false;
    last = first;
    if (scan.take('-')) {
      if (!scan.take_number(last, true) || last >= kMaxPlaces || last < first)
        return false;
      if (scan.take(':') && (!scan.take_number(stride, true) || !stride || stride >= kMaxPlaces))
        return false;
    }
    for (; first <= last && first < capacity && places.size() < kMaxPlaces; first += stride)
      add_processor(places.append(), static_cast<int>(first));
    scan.take(',');
  } while (!scan.at_end());
  return true;
}

} // namespace xomp
