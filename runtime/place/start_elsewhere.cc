// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "place/start_elsewhere.h"

#include <sched.h>

#include "place/place_table.h"

namespace xomp {
namespace {

/// A mask of fixed size: with more processors than this a kernel says that it is too small, and
/// threads start where the kernel wants.
struct Mask {
  static constexpr int kWords = 1024 / 64;
  uint64_t words[kWords] = {};

  Processors set() { return words; }
  cpu_set_t* kernel() { return reinterpret_cast<cpu_set_t*>(words); }
  bool read(pthread_t thread) {
    return pthread_getaffinity_np(thread, sizeof(words), kernel()) == 0;
  }
};

} // namespace

int start_elsewhere(pthread_attr_t* attributes) {
  Mask mask;
  int here = sched_getcpu();
  if (here < 0 || here >= processor_capacity(mask.set()) || !mask.read(pthread_self()))
    return -1;
  remove_processor(mask.set(), here);
  if (count_processors(mask.set()) == 0)
    return -1;
  return pthread_attr_setaffinity_np(attributes, sizeof(mask.words), mask.kernel()) == 0 ? here
                                                                                         : -1;
}

void start_anywhere(pthread_attr_t* attributes) {
  cpu_set_t none{}; // not looked at: a size of 0 takes the mask away
  pthread_attr_setaffinity_np(attributes, 0, &none);
}

void use_processors_of(pthread_t creator) {
  Mask mask;
  if (mask.read(creator))
    pthread_setaffinity_np(pthread_self(), sizeof(mask.words), mask.kernel());
}

} // namespace xomp
