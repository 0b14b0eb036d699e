// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "place/topology.h"

#include <cstring>

#include "place/virtual_topology.h"

namespace xomp {
namespace {

// What is left to say of a machine that describes nothing.
void flat_places(PlaceLevel level, ProcessorsView usable, PlaceTable& places) {
  if (level != PlaceLevel::kThreads && level != PlaceLevel::kCores) {
    std::memcpy(places.append().data(), usable.data(), usable.size_bytes());
    return;
  }
  for (int p = next_processor(usable, 0); p >= 0; p = next_processor(usable, p + 1))
    add_processor(places.append(), p);
}

} // namespace

void find_places(PlaceLevel level, ProcessorsView usable, PlaceTable& places) {
  if (!find_level(level, usable, places))
    flat_places(level, usable, places);
}

bool find_level(PlaceLevel level, ProcessorsView usable, PlaceTable& places) {
  if (virtual_topology.in_force()) {
    if (!virtual_topology.has(level))
      return false;
    virtual_topology.append_places(level, places);
    places.keep_usable(usable);
    return true;
  }
  // Single processors need only an order: not worth the time to load a library at every start with
  // OMP_PROC_BIND=true.
  if (level != PlaceLevel::kThreads && hwloc_places(level, usable, places))
    return true;
  return sysfs_places("/sys", level, usable, places);
}

} // namespace xomp
