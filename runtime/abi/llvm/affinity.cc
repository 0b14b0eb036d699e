// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Affinity masks, by which programs of Intel's compilers bind their threads. A mask is the
// program's: a variable with a pointer to the bits, in the kernel's layout. Fortran's names take
// the number of a processor by reference.
#include <sched.h>
#include <unistd.h>

#include <cstddef>

#include "abi/export.h"
#include "place/places.h"
#include "sys/memory.h"
#include "team/team.h"

using namespace xomp;

namespace {

enum Answer : int { kDone = 0, kNoProcessor = -1, kNotUsable = -2 };

std::size_t words() { return start_processors().size(); }
std::size_t bytes() { return words() * sizeof(uint64_t); }
Processors in(void** mask) { return {static_cast<uint64_t*>(*mask), words()}; }
cpu_set_t* kernel_mask(void** mask) { return static_cast<cpu_set_t*>(*mask); }

int highest() { return static_cast<int>(sysconf(_SC_NPROCESSORS_CONF)); }

/// Calls `act` for a processor of the process.
template <class Act> int with(int processor, void** mask, Act act) {
  if (processor < 0 || processor >= highest() || processor >= processor_capacity(in(mask)))
    return kNoProcessor;
  if (!has_processor(start_processors(), processor))
    return kNotUsable;
  return act(in(mask));
}

int add(int processor, void** mask) {
  return with(processor, mask, [=](Processors set) {
    add_processor(set, processor);
    return int{kDone};
  });
}
int take_out(int processor, void** mask) {
  return with(processor, mask, [=](Processors set) {
    remove_processor(set, processor);
    return int{kDone};
  });
}
int has(int processor, void** mask) {
  int found =
      with(processor, mask, [=](Processors set) { return has_processor(set, processor) ? 1 : 0; });
  return found == kNotUsable ? 0 : found;
}

} // namespace

#define XOMP_BY_VALUE(name, other) __attribute__((alias(#name))) other

XOMP_EXPORT void kmp_create_affinity_mask(void** mask) { *mask = sys::allocate_zeroed(bytes()); }
XOMP_EXPORT void kmp_create_affinity_mask_(void** mask) { kmp_create_affinity_mask(mask); }
XOMP_EXPORT void kmp_destroy_affinity_mask(void** mask) {
  sys::release(*mask);
  *mask = nullptr;
}
XOMP_EXPORT void kmp_destroy_affinity_mask_(void** mask) { kmp_destroy_affinity_mask(mask); }

/// Of the calling thread. The runtime has bound it before, if at all, and does not again in this
/// place.
XOMP_EXPORT int kmp_set_affinity(void** mask) {
  me();
  return sched_setaffinity(0, bytes(), kernel_mask(mask));
}
XOMP_EXPORT int kmp_set_affinity_(void** mask) { return kmp_set_affinity(mask); }
XOMP_EXPORT int kmp_get_affinity(void** mask) {
  me();
  return sched_getaffinity(0, bytes(), kernel_mask(mask));
}
XOMP_EXPORT int kmp_get_affinity_(void** mask) { return kmp_get_affinity(mask); }
XOMP_EXPORT int kmp_get_affinity_max_proc() { return highest(); }
XOMP_EXPORT int kmp_get_affinity_max_proc_() { return highest(); }

XOMP_EXPORT int kmp_set_affinity_mask_proc(int processor, void** mask) {
  return add(processor, mask);
}
XOMP_EXPORT int kmp_set_affinity_mask_proc_(const int* processor, void** mask) {
  return add(*processor, mask);
}
XOMP_EXPORT XOMP_BY_VALUE(kmp_set_affinity_mask_proc, int kmpc_set_affinity_mask_proc)(int, void**);
XOMP_EXPORT int kmp_unset_affinity_mask_proc(int processor, void** mask) {
  return take_out(processor, mask);
}
XOMP_EXPORT int kmp_unset_affinity_mask_proc_(const int* processor, void** mask) {
  return take_out(*processor, mask);
}
XOMP_EXPORT XOMP_BY_VALUE(kmp_unset_affinity_mask_proc, int kmpc_unset_affinity_mask_proc)(int,
                                                                                           void**);
XOMP_EXPORT int kmp_get_affinity_mask_proc(int processor, void** mask) {
  return has(processor, mask);
}
XOMP_EXPORT int kmp_get_affinity_mask_proc_(const int* processor, void** mask) {
  return has(*processor, mask);
}
XOMP_EXPORT XOMP_BY_VALUE(kmp_get_affinity_mask_proc, int kmpc_get_affinity_mask_proc)(int, void**);
