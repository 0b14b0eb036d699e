// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/known_calls.h"

#include "sys/memory.h"

namespace xomp::trace {

void KnownCalls::Table::put(uint64_t call) {
  uint32_t at = first(call);
  // Relaxed: only this thread stores here.
  while (calls()[at & mask].load(std::memory_order_relaxed) != 0)
    ++at;
  calls()[at & mask].store(call, std::memory_order_relaxed); // see `has`
  ++count;
}

KnownCalls::Table* KnownCalls::larger(Table* than) {
  constexpr uint32_t kFirstSize = 256;
  uint32_t size = than ? 2 * (than->mask + 1) : kFirstSize;
  auto* made = static_cast<Table*>(sys::allocate_zeroed(sizeof(Table) + size * sizeof(uint64_t)));
  made->smaller = than;
  made->mask = size - 1;
  if (!than)
    return made;
  for (uint32_t at = 0; at <= than->mask; ++at) {
    if (uint64_t call = than->calls()[at].load(std::memory_order_relaxed)) // as in `put`
      made->put(call);
  }
  return made;
}

void KnownCalls::add(uint64_t call) {
  Table* now = table.load(std::memory_order_relaxed); // only this thread stores to it
  if (!now || 2 * now->count > now->mask) {
    now = larger(now);
    table.store(now, std::memory_order_release); // what is in it comes first
  }
  now->put(call);
}

void KnownCalls::forget() {
  // Relaxed: there are no others. What the tables need is kept for them.
  Table* now = table.load(std::memory_order_relaxed);
  for (uint32_t at = 0; now && at <= now->mask; ++at)
    now->calls()[at].store(0, std::memory_order_relaxed);
  if (now)
    now->count = 0;
}

} // namespace xomp::trace
