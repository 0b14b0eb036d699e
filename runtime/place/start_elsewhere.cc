// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "place/start_elsewhere.h"

#include <sched.h>

#include <algorithm>
#include <atomic>

#include "place/place_table.h"
#include "sys/same_object.h"

namespace xomp {
namespace {

cpu_set_t* kernel_mask(uint64_t* words) { return reinterpret_cast<cpu_set_t*>(words); }
bool read_own(uint64_t (&words)[Detour::kWords]) {
  return pthread_getaffinity_np(pthread_self(), sizeof words, kernel_mask(words)) == 0;
}

enum class Creator : uint8_t { kUnknown, kLibrary, kTool };
std::atomic<Creator> creator{Creator::kUnknown};

/// Whether the C library's own `pthread_create` is called: that has its neighbours beside it.
bool library_creates_threads() {
  // Relaxed: threads that look at the same time find the same.
  Creator known = creator.load(std::memory_order_relaxed);
  if (known == Creator::kUnknown) {
    bool own = sys::in_same_object(reinterpret_cast<void*>(pthread_create),
                                   reinterpret_cast<void*>(pthread_attr_setaffinity_np));
    known = own ? Creator::kLibrary : Creator::kTool;
    creator.store(known, std::memory_order_relaxed);
  }
  return known == Creator::kLibrary;
}

/// Whether there can be a detour around, or from, processor `here`; `detour` knows what there is.
bool may_detour(Detour& detour, int here) {
  return here >= 0 && here < processor_capacity(detour.all) && read_own(detour.all) &&
         count_processors(detour.all) > 1 && library_creates_threads();
}

/// What the thread is started with.
void narrow(const Detour& detour, uint64_t (&words)[Detour::kWords]) {
  if (detour.only >= 0) {
    add_processor(words, detour.only);
    return;
  }
  std::copy_n(detour.all, Detour::kWords, words);
  remove_processor(words, detour.without);
}

bool apply(const Detour& detour, pthread_attr_t* attributes) {
  uint64_t words[Detour::kWords] = {};
  narrow(detour, words);
  return pthread_attr_setaffinity_np(attributes, sizeof words, kernel_mask(words)) == 0;
}

} // namespace

Detour start_elsewhere(pthread_attr_t* attributes) {
  Detour detour;
  int here = sched_getcpu();
  if (!may_detour(detour, here))
    return detour;
  detour.without = here;
  return apply(detour, attributes) ? detour : Detour();
}

Detour start_in_turn(pthread_attr_t* attributes, int& last) {
  Detour detour;
  int policy = sched_getscheduler(0);
  if (policy == SCHED_FIFO || policy == SCHED_RR)
    return detour;
  if (last < 0)
    last = sched_getcpu();
  if (!may_detour(detour, last))
    return detour;
  int next = next_processor(detour.all, last + 1);
  detour.only = last = next >= 0 ? next : next_processor(detour.all, 0);
  return apply(detour, attributes) ? detour : Detour();
}

void start_anywhere(pthread_attr_t* attributes) {
  cpu_set_t none{}; // not looked at: a size of 0 takes the mask away
  pthread_attr_setaffinity_np(attributes, 0, &none);
}

void end_detour(const Detour& detour) {
  if (!detour.any())
    return;
  uint64_t started[Detour::kWords] = {}, now[Detour::kWords] = {};
  narrow(detour, started);
  if (read_own(now) && same_processors(now, started))
    pthread_setaffinity_np(pthread_self(), sizeof detour.all,
                           reinterpret_cast<const cpu_set_t*>(detour.all));
}

} // namespace xomp
