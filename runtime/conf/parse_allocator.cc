// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OMP_ALLOCATOR, OpenMP 5.2 sections 21.5.1 and 6.2: an allocator by name, or a memory space with
// traits "key=value", from which the memory layer makes one.
#include <bit>

#include "conf/allocator_numbers.h"
#include "conf/parse.h"

namespace xomp {
namespace {

using sys::name_of;
using sys::Named;
using sys::Scanner;

constexpr Named<AllocatorHandle> kAllocators[] = {
    {"omp_default_mem_alloc", kDefaultMemAlloc}, {"omp_large_cap_mem_alloc", kLargeCapMemAlloc},
    {"omp_const_mem_alloc", kConstMemAlloc},     {"omp_high_bw_mem_alloc", kHighBwMemAlloc},
    {"omp_low_lat_mem_alloc", kLowLatMemAlloc},  {"omp_cgroup_mem_alloc", kCgroupMemAlloc},
    {"omp_pteam_mem_alloc", kPteamMemAlloc},     {"omp_thread_mem_alloc", kThreadMemAlloc},
};

constexpr Named<int> kSpaces[] = {
    {"omp_default_mem_space", kDefaultMemSpace}, {"omp_large_cap_mem_space", kLargeCapMemSpace},
    {"omp_const_mem_space", kConstMemSpace},     {"omp_high_bw_mem_space", kHighBwMemSpace},
    {"omp_low_lat_mem_space", kLowLatMemSpace},
};

constexpr Named<TraitKey> kKeys[] = {
    {"sync_hint", kTraitSyncHint}, {"alignment", kTraitAlignment}, {"access", kTraitAccess},
    {"pool_size", kTraitPoolSize}, {"fallback", kTraitFallback},   {"fb_data", kTraitFallbackData},
    {"pinned", kTraitPinned},      {"partition", kTraitPartition},
};

constexpr Named<uintptr_t> kSyncHints[] = {
    {"contended", kTraitContended},   {"uncontended", kTraitUncontended},
    {"serialized", kTraitSerialized}, {"sequential", kTraitSerialized},
    {"private", kTraitPrivate},
};
constexpr Named<uintptr_t> kAccesses[] = {
    {"all", kTraitAll}, {"thread", kTraitThread}, {"pteam", kTraitPteam}, {"cgroup", kTraitCgroup}};
constexpr Named<uintptr_t> kFallbacks[] = {{"default_mem_fb", kTraitDefaultMemFallback},
                                           {"null_fb", kTraitNullFallback},
                                           {"abort_fb", kTraitAbortFallback},
                                           {"allocator_fb", kTraitAllocatorFallback}};
constexpr Named<uintptr_t> kPinnings[] = {{"false", kTraitFalse}, {"true", kTraitTrue}};
constexpr Named<uintptr_t> kPartitions[] = {{"environment", kTraitEnvironment},
                                            {"nearest", kTraitNearest},
                                            {"blocked", kTraitBlocked},
                                            {"interleaved", kTraitInterleaved}};

bool take_positive(Scanner& scan, uintptr_t& value) {
  uint64_t number;
  if (!scan.take_number(number) || number == 0)
    return false;
  value = number;
  return true;
}

bool take_value(Scanner& scan, TraitKey key, uintptr_t& value) {
  switch (key) {
  case kTraitAlignment:
    return take_positive(scan, value) && std::has_single_bit(value);
  case kTraitPoolSize:
    return take_positive(scan, value);
  case kTraitSyncHint:
    return sys::find_name(kSyncHints, scan.take_word(), value);
  case kTraitAccess:
    return sys::find_name(kAccesses, scan.take_word(), value);
  case kTraitFallback:
    return sys::find_name(kFallbacks, scan.take_word(), value);
  case kTraitFallbackData:
    return sys::find_name(kAllocators, scan.take_word(), value);
  case kTraitPinned:
    return sys::find_name(kPinnings, scan.take_word(), value);
  case kTraitPartition:
    return sys::find_name(kPartitions, scan.take_word(), value);
  }
  return false;
}

const char* value_name(TraitKey key, uintptr_t value) {
  switch (key) {
  case kTraitSyncHint:
    return name_of(kSyncHints, value);
  case kTraitAccess:
    return name_of(kAccesses, value);
  case kTraitFallback:
    return name_of(kFallbacks, value);
  case kTraitFallbackData:
    return name_of(kAllocators, value);
  case kTraitPinned:
    return name_of(kPinnings, value);
  default:
    return name_of(kPartitions, value);
  }
}

// "key=value,key=value", each key at most once.
bool take_traits(Scanner& scan, AllocatorTrait* traits, int room, int& count) {
  uint32_t seen = 0;
  do {
    TraitKey key;
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
  into.icv.default_allocator = kNullAllocator; // the memory layer makes it
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
    TraitKey key = static_cast<TraitKey>(trait.key);
    sink.print("%c%s=", i ? ',' : ':', name_of(kKeys, key));
    if (key == kTraitAlignment || key == kTraitPoolSize)
      sink.print("%ju", static_cast<uintmax_t>(trait.value));
    else
      sink.put(value_name(key, trait.value));
  }
}

} // namespace xomp
