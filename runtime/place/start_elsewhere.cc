// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "place/start_elsewhere.h"

#include <sched.h>

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

} // namespace

Detour start_elsewhere(pthread_attr_t* attributes) {
  Detour detour;
  int here = sched_getcpu();
  if (here < 0 || here >= processor_capacity(detour.all) || !read_own(detour.all) ||
      !library_creates_threads())
    return detour;
  Detour narrowed = detour;
  remove_processor(narrowed.all, here);
  if (count_processors(narrowed.all) > 0 &&
      pthread_attr_setaffinity_np(attributes, sizeof narrowed.all, kernel_mask(narrowed.all)) == 0)
    detour.without = here;
  return detour;
}

void start_anywhere(pthread_attr_t* attributes) {
  cpu_set_t none{}; // not looked at: a size of 0 takes the mask away
  pthread_attr_setaffinity_np(attributes, 0, &none);
}

void end_detour(const Detour& detour) {
  Detour now;
  if (detour.without < 0 || !read_own(now.all) || has_processor(now.all, detour.without))
    return;
  add_processor(now.all, detour.without);
  if (same_processors(now.all, detour.all))
    pthread_setaffinity_np(pthread_self(), sizeof now.all, kernel_mask(now.all));
}

} // namespace xomp
