// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "place/allowed.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cstring>

#include "place/number_list.h"
#include "sys/files.h"
#include "sys/memory.h"

namespace xomp {
namespace {

constexpr int kMostProcessors = 1 << 20;

/// The list in a file, behind `label` at the beginning of a line. Null: there is none.
PlaceTable* read_list(const char* path, const char* label) {
  std::size_t length;
  char* text = sys::read_whole(path, length);
  if (!text)
    return nullptr;
  PlaceTable* table = nullptr;
  if (const char* list = std::strstr(text, label)) {
    list += std::strlen(label);
    int highest = -1;
    for_each_number(list, kMostProcessors, [&](int p) { highest = std::max(highest, p); });
    if (highest >= 0) {
      table = sys::create<PlaceTable>(std::max(kMinWords, highest / 64 + 1));
      Processors mask = table->append();
      for_each_number(list, kMostProcessors, [&](int p) { add_processor(mask, p); });
    }
  }
  sys::release(text);
  return table;
}

} // namespace

bool read_mask(Processors mask) {
  return pthread_getaffinity_np(pthread_self(), mask.size_bytes(),
                                reinterpret_cast<cpu_set_t*>(mask.data())) == 0;
}

PlaceTable* read_allowed() {
  // Grows until the kernel finds it large enough.
  for (int words = kMinWords; words <= kMostProcessors / 64; words *= 2) {
    PlaceTable* table = sys::create<PlaceTable>(words);
    Processors mask = table->append();
    if (read_mask(mask) && count_processors(mask) > 0)
      return table;
    sys::destroy(table);
  }
  PlaceTable* table = read_list("/proc/thread-self/status", "\nCpus_allowed_list:");
  if (!table)
    table = read_list("/sys/devices/system/cpu/online", "");
  if (table)
    return table;
  table = sys::create<PlaceTable>(kMinWords);
  add_processor(table->append(), 0);
  return table;
}

int usable_processors() {
  PlaceTable* table = read_allowed();
  int count = count_processors((*table)[0]);
  sys::destroy(table);
  return count;
}

} // namespace xomp
