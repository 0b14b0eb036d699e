// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/papers/victims.h"

#include "sys/memory.h"

namespace xomp {

void Victims::open(const Port& own) {
  if (capacity < own.count) {
    sys::release(ids);
    ids = static_cast<int*>(sys::allocate(sizeof(int) * static_cast<std::size_t>(own.count)));
    capacity = own.count;
  }
  locals = kUnknown;
  random = Random(static_cast<uint64_t>(own.id));
}

void Victims::close() { sys::release(ids); }

void Victims::sort(const Port& own) {
  int first = 0, last = own.count - 1;
  for (int i = 0; i < own.count; ++i) {
    if (i == own.id)
      continue;
    if (own.peers[i]->domain == own.domain)
      ids[first++] = i;
    else
      ids[--last] = i;
  }
  locals = first;
}

} // namespace xomp
