// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A chained hash table under one mutex: few programs use it, and they call it next to an
// allocation.
#include "memory/allocated_set.h"

#include <cstdint>
#include <new>

#include "locks/locks.h"
#include "sys/memory.h"

namespace xomp {
namespace {

struct Entry {
  const void* memory;
  Entry* next;
};

constexpr int kBucketBits = 10;

constinit Mutex mutex;
constinit Entry** buckets = nullptr; // made with the first entry

Entry** bucket_of(const void* memory) {
  // Fibonacci hashing (Knuth, TAOCP 3, section 6.4).
  uint64_t mixed = reinterpret_cast<uintptr_t>(memory) * 0x9E3779B97F4A7C15u;
  return &buckets[mixed >> (64 - kBucketBits)];
}

/// The link to the entry; null if there is none.
Entry** find(const void* memory) {
  if (!buckets)
    return nullptr;
  Entry** link = bucket_of(memory);
  while (*link && (*link)->memory != memory)
    link = &(*link)->next;
  return *link ? link : nullptr;
}

} // namespace

void add_allocated(void* memory) {
  if (!memory)
    return;
  MutexGuard guard(mutex);
  if (!buckets)
    buckets = static_cast<Entry**>(sys::allocate_zeroed(sizeof(Entry*) << kBucketBits));
  Entry** bucket = bucket_of(memory);
  *bucket = sys::create<Entry>(memory, *bucket);
}

bool is_allocated(const void* memory) {
  MutexGuard guard(mutex);
  return find(memory);
}

bool remove_allocated(void* memory) {
  MutexGuard guard(mutex);
  Entry** link = find(memory);
  if (!link)
    return false;
  Entry* entry = *link;
  *link = entry->next;
  sys::destroy(entry);
  return true;
}

void repair_allocated_set_after_fork() { new (&mutex) Mutex; }

} // namespace xomp
