// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OMP_ALLOCATOR, OpenMP 5.2 sections 21.5.1 and 6.2: an allocator by name, or a memory space with
// traits "key=value", from which the allocator room makes one.
#include <bit>

#include "conf/parse.h"
#include "sys/scanner.h"

namespace xomp {
namespace {

using sys::name_of;
using sys::Named;
using sys::Scanner;

constexpr Named<uintptr_t> kAllocators[] = {
    {"omp_default_mem_alloc", 1}, {"omp_large_cap_mem_alloc", 2}, {"omp_const_mem_alloc", 3},
    {"omp_high_bw_mem_alloc", 4}, {"omp_low_lat_mem_alloc", 5},   {"omp_cgroup_mem_alloc", 6},
    {"omp_pteam_mem_alloc", 7},   {"omp_thread_mem_alloc", 8},
};

constexpr Named<int> kSpaces[] = {
    {"omp_default_mem_space", 0}, {"omp_large_cap_mem_space", 1}, {"omp_const_mem_space", 2},
    {"omp_high_bw_mem_space", 3}, {"omp_low_lat_mem_space", 4},
};

// omp_alloctrait_key_t and the values of omp_alloctrait_value_t that a key takes.
enum Key : uintptr_t {
  kSyncHint = 1,
  kAlignment,
  kAccess,
  kPoolSize,
  kFallback,
  kFallbackData,
  kPinned,
  kPartition
};

constexpr Named<Key> kKeys[] = {
    {"sync_hint", kSyncHint}, {"alignment", kAlignment}, {"access", kAccess},
    {"pool_size", kPoolSize}, {"fallback", kFallback},   {"fb_data", kFallbackData},
    {"pinned", kPinned},      {"partition", kPartition},
};

constexpr Named<uintptr_t> kSyncHints[] = {
    {"contended", 3}, {"uncontended", 4}, {"serialized", 5}, {"sequential", 5}, {"private", 6}};
constexpr Named<uintptr_t> kAccesses[] = {{"all", 7}, {"thread", 8}, {"pteam", 9}, {"cgroup", 10}};
constexpr Named<uintptr_t> kFallbacks[] = {
    {"default_mem_fb", 11}, {"null_fb", 12}, {"abort_fb", 13}, {"allocator_fb", 14}};
constexpr Named<uintptr_t> kPinnings[] = {{"false", 0}, {"true", 1}};
constexpr Named<uintptr_t> kPartitions[] = {
    {"environment", 15}, {"nearest", 16}, {"blocked", 17}, {"interleaved", 18}};

bool take_positive(Scanner& scan, uintptr_t& value) {
  uint64_t number;
  if (!scan.take_number(number) || number == 0)
    return false;
  value = number;
  return true;
}

bool take_value(Scanner& scan, Key key, uintptr_t& value) {
  switch (key) {
  case kAlignment:
    return take_positive(scan, value) && std::has_single_bit(value);
  case kPoolSize:
    return take_positive(scan, value);
  case kSyncHint:
    return sys::find_name(kSyncHints, scan.take_word(), value);
  case kAccess:
    return sys::find_name(kAccesses, scan.take_word(), value);
  case kFallback:
    return sys::find_name(kFallbacks, scan.take_word(), value);
  case kFallbackData:
    return sys::find_name(kAllocators, scan.take_word(), value);
  case kPinned:
    return sys::find_name(kPinnings, scan.take_word(), value);
  case kPartition:
    return sys::find_name(kPartitions, scan.take_word(), value);
  }
  return false;
}

const char* value_name(Key key, uintptr_t value) {
  switch (key) {
  case kSyncHint:
    return name_of(kSyncHints, value);
  case kAccess:
    return name_of(kAccesses, value);
  case kFallback:
    return name_of(kFallbacks, value);
  case kFallbackData:
    return name_of(kAllocators, value);
  case kPinned:
    return name_of(kPinnings, value);
  default:
    return name_of(kPartitions, value);
  }
}

// "key=value,key=value", each key at most once.
bool take_traits(Scanner& scan, AllocatorTrait* traits, int room, int& count) {
  uint32_t seen = 0;
  do {
    Key key;
    if (count == room || !sys::find_name(kKeys, scan.take_word(), key))
      return false;
    if (seen >> key & 1 || !scan.take('='))
      return false;
    seen |= 1u << key;
    traits[count].key = key;
    if (!take_value(scan, key, traits[count++].value))
      return false;
  } while (scan.take(','));
  return true;
}

} // namespace

bool parse_allocator(const char* text, Settings& into) {
  Scanner scan(text);
  std::string_view word = scan.take_word();
  uintptr_t allocator;
  if (sys::find_name(kAllocators, word, allocator) && scan.at_end()) {
    into.icv.default_allocator = allocator;
    return true;
  }
  int space;
  if (!sys::find_name(kSpaces, word, space))
    return false;
  constexpr int kRoom = sizeof into.allocator_traits / sizeof into.allocator_traits[0];
  AllocatorTrait traits[kRoom];
  int count = 0;
  if (scan.take(':') && !take_traits(scan, traits, kRoom, count))
    return false;
  if (!scan.at_end())
    return false;
  into.allocator_space = space;
  into.icv.default_allocator = 0; // omp_null_allocator: the allocator room makes it
  for (int i = 0; i < count; ++i)
    into.allocator_traits[i] = traits[i];
  into.allocator_trait_count = count;
  return true;
}

void put_allocator(sys::TextSink& sink, const Settings& from) {
  if (from.allocator_space < 0)
    return sink.put(name_of(kAllocators, from.icv.default_allocator));
  sink.put(name_of(kSpaces, from.allocator_space));
  for (int i = 0; i < from.allocator_trait_count; ++i) {
    const AllocatorTrait& trait = from.allocator_traits[i];
    Key key = static_cast<Key>(trait.key);
    sink.print("%c%s=", i ? ',' : ':', name_of(kKeys, key));
    if (key == kAlignment || key == kPoolSize)
      sink.print("%ju", static_cast<uintmax_t>(trait.value));
    else
      sink.put(value_name(key, trait.value));
  }
}

} // namespace xomp
