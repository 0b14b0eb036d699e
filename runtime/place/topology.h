// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine's levels as lists of places. hwloc answers when it is installed (it is loaded only
// for this question), /sys when it is not, and without both every processor counts as a core of its
// own in one socket.
#pragma once
#include "place/place_table.h"

namespace xomp {

/// The abstract places of OMP_PLACES: those of OpenMP, then others that libomp and libiomp5 know.
enum class PlaceLevel : uint8_t {
  kThreads,
  kCores,
  kLastLevelCaches,
  kSockets,
  kNumaDomains,
  kDice,
  kTiles,
  kModules,
  kL1Caches,
  kL2Caches,
  kL3Caches,
  kCoreTypes, ///< of a hybrid processor, in the order of their efficiency: Intel's Atom, then Core
  kProcessorGroups, ///< of Windows
};

/// Whether OpenMP names the level: then every machine has it, if only as a whole.
constexpr bool is_of_openmp(PlaceLevel level) { return level <= PlaceLevel::kNumaDomains; }

/// Appends the places of a level, of the processors in `usable`, neighbours next to each other.
/// Always finds at least one.
void find_places(PlaceLevel level, ProcessorsView usable, PlaceTable& places);
/// The same, if the machine has the level; false, with `places` empty, otherwise.
bool find_level(PlaceLevel level, ProcessorsView usable, PlaceTable& places);

/// The two sources; false, with `places` empty, when the source knows nothing of the level.
bool hwloc_places(PlaceLevel level, ProcessorsView usable, PlaceTable& places);
bool sysfs_places(const char* sys_root, PlaceLevel level, ProcessorsView usable,
                  PlaceTable& places);

/// The NUMA nodes that have usable processors, if there are several nodes: nothing is read about a
/// single one. False, with `nodes` empty, otherwise.
bool sysfs_nodes(const char* sys_root, ProcessorsView usable, PlaceTable& nodes);
/// The distances between those `count` nodes, row by row; false when the kernel does not tell all.
bool sysfs_distances(const char* sys_root, ProcessorsView usable, int count, int* distances);

} // namespace xomp
