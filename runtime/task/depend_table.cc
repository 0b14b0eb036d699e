// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/depend_table.h"

#include <algorithm>

#include "sys/assert.h"
#include "sys/memory.h"

namespace xomp {
namespace {
constexpr uint32_t kSmallest = 8;    ///< entries
constexpr uint32_t kAlwaysKept = 64; ///< a table of that size is not given back
} // namespace

void Generation::append(DeferredTask& task) {
  uint32_t room = capacity ? capacity : 1;
  if (count == room) {
    drop_done();
    // Half of the room is free afterwards, so that looking for it is paid for by as many tasks.
    if (count * 2 > room) {
      auto** fresh = static_cast<DeferredTask**>(sys::allocate(sizeof(DeferredTask*) * room * 2));
      std::copy_n(begin(), count, fresh);
      release_memory();
      many = fresh;
      capacity = room * 2;
    }
  }
  XOMP_ASSERT(count < (capacity ? capacity : 1));
  begin()[count++] = &task;
  ++task.table_refs;
}

void Generation::remove_last() {
  XOMP_ASSERT(count > 0 && last()->table_refs > 0);
  --begin()[--count]->table_refs;
}

void Generation::clear() {
  for (uint32_t i = 0; i < count; ++i) {
    XOMP_ASSERT(begin()[i]->table_refs > 0);
    --begin()[i]->table_refs;
  }
  count = 0;
}

void Generation::drop_done() {
  uint32_t kept = 0;
  DeferredTask** tasks = begin();
  for (uint32_t i = 0; i < count; ++i) {
    if (tasks[i]->phase(std::memory_order_acquire) == kDone)
      --tasks[i]->table_refs;
    else
      tasks[kept++] = tasks[i];
  }
  count = kept;
}

void Generation::release_memory() {
  if (capacity)
    sys::release(many);
  capacity = 0;
}

uint32_t DependTable::first_slot(const void* address) const {
  auto bits = reinterpret_cast<uintptr_t>(address);
  // Fibonacci hashing (Knuth, TAOCP 3, section 6.4).
  return static_cast<uint32_t>((bits >> 3) * 0x9E3779B97F4A7C15ull >> 20) & (2 * capacity - 1);
}

const DependTable::Entry* DependTable::search(const void* address) const {
  if (!count)
    return nullptr;
  for (uint32_t i = first_slot(address); slots[i]; i = (i + 1) & (2 * capacity - 1)) {
    const Entry& entry = entries[slots[i] - 1];
    if (entry.address == address)
      return recent = &entry;
  }
  return nullptr;
}

DependTable::Entry& DependTable::find_or_insert(void* address) {
  if (const Entry* entry = find(address))
    return const_cast<Entry&>(*entry);
  if (count == capacity)
    make_room();
  Entry& entry = insert(address);
  if (all_memory) {
    entry.current.access = Access::kOut;
    entry.current.append(*all_memory);
  }
  return entry;
}

DependTable::Entry& DependTable::insert(void* address) {
  uint32_t i = first_slot(address);
  while (slots[i])
    i = (i + 1) & (2 * capacity - 1);
  XOMP_ASSERT(count < capacity);
  Entry& entry = entries[count];
  entry = Entry{};
  entry.address = address;
  entry.slot = i;
  slots[i] = ++count;
  recent = &entry;
  return entry;
}

void DependTable::reserve(uint32_t wanted) {
  capacity = wanted;
  auto bytes = wanted * (sizeof(Entry) + 2 * sizeof(uint32_t));
  entries = static_cast<Entry*>(sys::allocate_zeroed(bytes));
  slots = reinterpret_cast<uint32_t*>(entries + wanted);
  count = 0;
  recent = nullptr;
}

/// Entries whose tasks are all done are dropped, so that a loop over fresh addresses stays bounded.
void DependTable::make_room() {
  Entry* old = entries;
  uint32_t old_count = count, alive = 0;
  for (uint32_t i = 0; i < old_count; ++i) {
    old[i].current.drop_done();
    old[i].before.drop_done();
    alive += !old[i].current.empty() || !old[i].before.empty();
  }
  uint32_t wanted = kSmallest;
  while (wanted < alive * 2)
    wanted *= 2;
  reserve(wanted);
  for (uint32_t i = 0; i < old_count; ++i) {
    if (old[i].current.empty() && old[i].before.empty()) {
      old[i].current.release_memory();
      old[i].before.release_memory();
      continue;
    }
    Entry& entry = insert(old[i].address);
    entry.current = old[i].current;
    entry.before = old[i].before;
  }
  sys::release(old);
}

void DependTable::set_all_memory(DeferredTask* task) {
  XOMP_ASSERT(!all_memory || all_memory->table_refs > 0);
  if (all_memory)
    --all_memory->table_refs;
  all_memory = task;
  if (task)
    ++task->table_refs;
}

void DependTable::clear() {
  recent = nullptr;
  for (uint32_t i = 0; i < count; ++i) {
    Entry& entry = entries[i];
    slots[entry.slot] = 0;
    entry.current.clear();
    entry.before.clear();
    entry.current.release_memory();
    entry.before.release_memory();
  }
  if (capacity > kAlwaysKept && count < capacity / 8) {
    sys::release(entries);
    entries = nullptr;
    slots = nullptr;
    capacity = 0;
  }
  count = 0;
  set_all_memory(nullptr);
}

} // namespace xomp
