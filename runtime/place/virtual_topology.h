// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A machine that is only described: XOMP_TOPOLOGY, in hwloc's synthetic notation ("pack:2 numa:4
// core:24 pu:1"). Its processors are numbers 0 .. n-1; threads are placed on them on paper and
// bound to nothing.
#pragma once
#include <string_view>

#include "place/topology.h"

namespace xomp {

class VirtualTopology {
public:
  static constexpr int kMaxProcessors = 1 << 16;

  /// From a description; false, and without effect, when it is malformed. Levels are named with
  /// their number of objects in each of the level above, the last is `pu`; `[numa]` hangs a node on
  /// every object of the level before it. What stands in parentheses is passed over.
  bool parse(const char* text);
  bool in_force() const { return levels > 0; }

  int processors() const { return objects_down_to(levels); }
  /// NUMA nodes; 1 if the description has none.
  int domains() const { return objects_down_to(numa_depth); }
  int processors_per_domain() const { return processors() / domains(); }
  /// 10 for the same domain, and 10 more for each level up to where the two meet.
  int distance(int from, int to) const;
  /// Whether the description names the level. Threads are always there; without a name the whole is
  /// a socket and a NUMA domain, and each processor a core.
  bool has(PlaceLevel level) const;
  /// Appends the places of a level; the whole machine is one where it is not there.
  void append_places(PlaceLevel level, PlaceTable& places) const;

private:
  enum class Type : uint8_t { kOther, kPackage, kDie, kNuma, kCache, kCore, kPu };
  struct Level {
    Type type = Type::kOther;
    int cache = 0; ///< its number, for a cache
    int count = 0; ///< objects in each of the level above
  };
  static constexpr int kMaxLevels = 16;

  static bool find_type(std::string_view name, Level& level);
  bool parse_levels(const char* text);
  int objects_down_to(int depth) const;
  int depth_of(PlaceLevel level) const;
  int processors_below(PlaceLevel level) const;

  Level level[kMaxLevels];
  int levels = 0;
  int numa_depth = 0; ///< levels above and with the one that has the nodes
};

/// What XOMP_TOPOLOGY describes; not in force without it.
extern constinit VirtualTopology virtual_topology;

} // namespace xomp
