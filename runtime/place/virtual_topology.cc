// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "place/virtual_topology.h"

#include <algorithm>
#include <utility>

#include "sys/names.h"
#include "sys/scanner.h"

namespace xomp {

constinit VirtualTopology virtual_topology;

bool VirtualTopology::find_type(std::string_view name, Level& level) {
  // hwloc's names and the short ones that it takes.
  constexpr sys::Named<Type> kTypes[] = {
      {"machine", Type::kOther},   {"group", Type::kOther},  {"die", Type::kDie},
      {"package", Type::kPackage}, {"pack", Type::kPackage}, {"socket", Type::kPackage},
      {"numanode", Type::kNuma},   {"numa", Type::kNuma},    {"node", Type::kNuma},
      {"core", Type::kCore},       {"pu", Type::kPu},
  };
  if (sys::find_name(kTypes, name, level.type))
    return true;
  if (name.size() < 2 || sys::lower(name[0]) != 'l' || name[1] < '1' || name[1] > '5')
    return false;
  std::string_view rest(name.data() + 2, name.size() - 2);
  bool instructions = sys::same_name(rest, "i") || sys::same_name(rest, "icache");
  if (!rest.empty() && !sys::same_name(rest, "cache") && !sys::same_name(rest, "d") &&
      !sys::same_name(rest, "dcache") && !instructions)
    return false;
  level.type = instructions ? Type::kOther : Type::kCache;
  level.cache = name[1] - '0';
  return true;
}

bool VirtualTopology::parse_levels(const char* text) {
  sys::Scanner scan(text);
  bool has_nodes = false;
  auto nodes_here = [&] {
    numa_depth = levels;
    return !std::exchange(has_nodes, true);
  };
  auto pass_attributes = [&] { return !scan.take('(') || scan.skip_past(')'); };
  if (!pass_attributes()) // of the whole machine
    return false;
  while (!scan.at_end()) {
    Level next;
    bool attached = scan.take('[');
    if (!find_type(scan.take_word(), next))
      return false;
    if (attached) {
      if (next.type != Type::kNuma || !pass_attributes() || !scan.take(']') || !nodes_here())
        return false;
      continue;
    }
    uint64_t count;
    if (!scan.take(':') || !scan.take_number(count) || count == 0 || count > kMaxProcessors ||
        !pass_attributes())
      return false;
    if (levels == kMaxLevels || (levels > 0 && level[levels - 1].type == Type::kPu))
      return false;
    next.count = static_cast<int>(count);
    level[levels++] = next;
    if (next.type == Type::kNuma && !nodes_here())
      return false;
    if (processors() > kMaxProcessors)
      return false;
  }
  return levels > 0 && level[levels - 1].type == Type::kPu;
}

bool VirtualTopology::parse(const char* text) {
  VirtualTopology read;
  if (!read.parse_levels(text))
    return false;
  *this = read;
  return true;
}

int VirtualTopology::objects_down_to(int depth) const {
  int64_t objects = 1;
  for (int i = 0; i < depth; ++i)
    objects = std::min<int64_t>(objects * level[i].count, int64_t{kMaxProcessors} + 1);
  return static_cast<int>(objects);
}

int VirtualTopology::distance(int from, int to) const {
  int distance = 10;
  for (int i = numa_depth; i > 0 && from != to; --i) {
    from /= level[i - 1].count;
    to /= level[i - 1].count;
    distance += level[i - 1].count > 1 ? 10 : 0;
  }
  return distance;
}

/// The number of levels down to it; -1 if it is not described.
int VirtualTopology::depth_of(PlaceLevel wanted) const {
  Type type = Type::kCache;
  int cache = 0; // 0: the last level that there is
  switch (wanted) {
  case PlaceLevel::kThreads:
    return levels;
  case PlaceLevel::kNumaDomains:
    return numa_depth;
  case PlaceLevel::kCores:
    type = Type::kCore;
    break;
  case PlaceLevel::kSockets:
    type = Type::kPackage;
    break;
  case PlaceLevel::kDice:
    type = Type::kDie;
    break;
  case PlaceLevel::kL1Caches:
  case PlaceLevel::kL2Caches:
  case PlaceLevel::kL3Caches:
    cache = 1 + static_cast<int>(wanted) - static_cast<int>(PlaceLevel::kL1Caches);
    break;
  case PlaceLevel::kLastLevelCaches:
    break;
  default:
    return -1;
  }
  int found = -1;
  for (int i = 0; i < levels; ++i)
    if (level[i].type == type && (cache == 0 || level[i].cache == cache) &&
        (found < 0 || level[i].cache > level[found].cache))
      found = i;
  return found < 0 ? -1 : found + 1;
}

bool VirtualTopology::has(PlaceLevel wanted) const {
  return wanted == PlaceLevel::kCores || wanted == PlaceLevel::kSockets || depth_of(wanted) >= 0;
}

int VirtualTopology::processors_below(PlaceLevel wanted) const {
  int depth = depth_of(wanted);
  if (depth >= 0)
    return processors() / objects_down_to(depth);
  return wanted == PlaceLevel::kCores ? 1 : processors();
}

void VirtualTopology::append_places(PlaceLevel wanted, PlaceTable& places) const {
  int each = processors_below(wanted);
  for (int first = 0; first < processors(); first += each) {
    Processors place = places.append();
    for (int p = first; p < first + each; ++p)
      add_processor(place, p);
  }
}

} // namespace xomp
