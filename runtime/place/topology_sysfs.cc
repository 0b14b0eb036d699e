// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Topology from /sys/devices/system: for each processor the list of those that share its core,
// package or cache, and for each NUMA node the list of its processors.
#include <fcntl.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "place/number_list.h"
#include "place/topology.h"
#include "sys/memory.h"
#include "sys/scanner.h"

namespace xomp {
namespace {

constexpr int kMaxCacheIndex = 16;
constexpr uint64_t kHighest = UINT64_MAX; // instead of a cache's level

// The small files below ROOT/devices/system; one is held at a time.
class Sysfs {
public:
  explicit Sysfs(const char* root) : root(root) {}
  ~Sysfs() { sys::release(text); }
  Sysfs(const Sysfs&) = delete;

  [[gnu::format(printf, 2, 3)]] bool open_file(const char* format, ...) {
    int length = std::snprintf(text, kTextBytes, "%s/devices/system/", root);
    va_list args;
    va_start(args, format);
    if (length < kTextBytes)
      std::vsnprintf(text + length, kTextBytes - length, format, args);
    va_end(args);
    int file = open(text, O_RDONLY | O_CLOEXEC);
    if (file < 0)
      return false;
    ssize_t bytes = read(file, text, kTextBytes - 1);
    close(file);
    text[bytes > 0 ? bytes : 0] = '\0';
    return bytes > 0;
  }

  bool number(uint64_t& value) const { return sys::Scanner(text).take_number(value); }

  /// Calls `visit(number)` for the numbers of a list like "0-3,8".
  template <class Visit> void numbers(uint64_t limit, Visit visit) const {
    for_each_number(text, limit, visit);
  }

  /// Calls `visit(number)` for the numbers of a line like "10 21 21".
  template <class Visit> void words(Visit visit) const {
    sys::Scanner scan(text);
    for (uint64_t number; scan.take_number(number);)
      visit(static_cast<int>(number));
  }

  /// The listed processors that are also in `allowed`.
  void processors(ProcessorsView allowed, Processors set) const {
    numbers(processor_capacity(allowed), [&](int p) {
      if (has_processor(allowed, p))
        add_processor(set, p);
    });
  }

private:
  static constexpr int kTextBytes = 8192;

  const char* root;
  // A path, then what is in the file. On the heap: the thread that first uses OpenMP may have a
  // small stack.
  char* text = static_cast<char*>(sys::allocate(kTextBytes));
};

constexpr char kPackage[] = "topology/core_siblings_list";
constexpr char kCore[] = "topology/thread_siblings_list";
constexpr char kDie[] = "topology/die_cpus_list";

enum class Missing { kOneGroup, kFails };

// Splits `all` into groups that share something, and calls `emit(group)` for each in the order of
// their lowest processors. `file` of a processor lists the members of its group.
template <class Emit>
bool split(Sysfs& sysfs, const char* file, ProcessorsView all, Missing missing, Emit emit) {
  PlaceTable rows(static_cast<int>(all.size()));
  rows.append();
  rows.append();
  Processors left = rows[0], group = rows[1];
  std::memcpy(left.data(), all.data(), all.size_bytes());
  for (int p = next_processor(left, 0); p >= 0; p = next_processor(left, p)) {
    std::memset(group.data(), 0, group.size_bytes());
    if (sysfs.open_file("cpu/cpu%d/%s", p, file))
      sysfs.processors(left, group);
    else if (missing == Missing::kFails)
      return false;
    else
      std::memcpy(group.data(), left.data(), left.size_bytes());
    add_processor(group, p);
    remove_processors(left, group);
    if (!emit(ProcessorsView(group)))
      return false;
  }
  return true;
}

// The cache of a level, or of the highest one; data and unified caches come after the instruction
// cache.
int index_of_cache(Sysfs& sysfs, int processor, uint64_t wanted) {
  int best = -1;
  uint64_t best_level = 0, level;
  for (int i = 0; i < kMaxCacheIndex; ++i) {
    if (!sysfs.open_file("cpu/cpu%d/cache/index%d/level", processor, i))
      break;
    if (!sysfs.number(level) || level < best_level || level > wanted)
      continue;
    best = i;
    best_level = level;
  }
  return wanted == kHighest || best_level == wanted ? best : -1;
}

bool cache_places(Sysfs& sysfs, ProcessorsView usable, uint64_t level, auto emit) {
  int index = index_of_cache(sysfs, next_processor(usable, 0), level);
  if (index < 0)
    return false;
  char file[64];
  std::snprintf(file, sizeof file, "cache/index%d/shared_cpu_list", index);
  return split(sysfs, file, usable, Missing::kFails, emit);
}

constexpr uint64_t kMaxNodes = 4096;

bool online_nodes(Sysfs& sysfs, Processors online) {
  if (!sysfs.open_file("node/online"))
    return false;
  sysfs.numbers(kMaxNodes, [&](int node) { add_processor(online, node); });
  return true;
}

bool numa_places(Sysfs& sysfs, ProcessorsView usable, PlaceTable& places) {
  PlaceTable rows(kMaxNodes / 64);
  Processors online = rows.append();
  if (!online_nodes(sysfs, online))
    return false;
  for (int node = next_processor(online, 0); node >= 0; node = next_processor(online, node + 1))
    if (sysfs.open_file("node/node%d/cpulist", node))
      sysfs.processors(usable, places.append());
  places.keep_usable(usable);
  return places.size() > 0;
}

// Of Intel's hybrid processors; both, even if one of them has no usable processor.
bool core_types(Sysfs& sysfs, ProcessorsView usable, PlaceTable& places) {
  for (const char* type : {"atom", "core"}) {
    if (!sysfs.open_file("../cpu_%s/cpus", type))
      return false;
    sysfs.processors(usable, places.append());
  }
  return true;
}

bool append_places(Sysfs& sysfs, PlaceLevel level, ProcessorsView usable, PlaceTable& places) {
  auto add = [&](ProcessorsView set) {
    std::memcpy(places.append().data(), set.data(), set.size_bytes());
    return true;
  };
  auto add_each = [&](ProcessorsView set) {
    for (int p = next_processor(set, 0); p >= 0; p = next_processor(set, p + 1))
      add_processor(places.append(), p);
    return true;
  };
  int sockets = 0;
  auto count = [&](ProcessorsView) { return ++sockets > 0; };
  // Package by package and core by core: neighbours in the list are neighbours in the machine.
  auto add_cores = [&](ProcessorsView package) {
    return split(sysfs, kCore, package, Missing::kFails, add);
  };
  auto add_threads = [&](ProcessorsView package) {
    return split(sysfs, kCore, package, Missing::kOneGroup, add_each);
  };
  switch (level) {
  case PlaceLevel::kThreads:
    return split(sysfs, kPackage, usable, Missing::kOneGroup, add_threads);
  case PlaceLevel::kCores:
    return split(sysfs, kPackage, usable, Missing::kOneGroup, add_cores);
  case PlaceLevel::kSockets:
    return split(sysfs, kPackage, usable, Missing::kFails, add);
  case PlaceLevel::kLastLevelCaches:
    return cache_places(sysfs, usable, kHighest, add);
  case PlaceLevel::kL1Caches:
    return cache_places(sysfs, usable, 1, add);
  case PlaceLevel::kL2Caches:
    return cache_places(sysfs, usable, 2, add);
  case PlaceLevel::kL3Caches:
    return cache_places(sysfs, usable, 3, add);
  case PlaceLevel::kDice: // one that is all of its socket is none, as for hwloc
    return split(sysfs, kDie, usable, Missing::kFails, add) &&
           split(sysfs, kPackage, usable, Missing::kFails, count) && places.size() > sockets;
  case PlaceLevel::kNumaDomains:
    return numa_places(sysfs, usable, places);
  case PlaceLevel::kCoreTypes:
    return core_types(sysfs, usable, places);
  case PlaceLevel::kTiles:
  case PlaceLevel::kModules:
  case PlaceLevel::kProcessorGroups:
    return false;
  }
  return false;
}

} // namespace

bool sysfs_places(const char* sys_root, PlaceLevel level, ProcessorsView usable,
                  PlaceTable& places) {
  Sysfs sysfs(sys_root);
  if (append_places(sysfs, level, usable, places))
    return true;
  places.clear();
  return false;
}

bool sysfs_nodes(const char* sys_root, ProcessorsView usable, PlaceTable& nodes) {
  Sysfs sysfs(sys_root);
  PlaceTable rows(kMaxNodes / 64);
  Processors online = rows.append();
  if (!online_nodes(sysfs, online) || count_processors(online) < 2)
    return false;
  return sysfs_places(sys_root, PlaceLevel::kNumaDomains, usable, nodes);
}

bool sysfs_distances(const char* sys_root, ProcessorsView usable, int count, int* distances) {
  Sysfs sysfs(sys_root);
  PlaceTable rows(kMaxNodes / 64);
  Processors online = rows.append();
  if (!online_nodes(sysfs, online))
    return false;
  // Of the nodes in a row of the kernel's table only those with usable processors count.
  Processors counting = rows.append();
  PlaceTable node_processors(static_cast<int>(usable.size()));
  online = rows[0];
  for (int node = next_processor(online, 0); node >= 0; node = next_processor(online, node + 1)) {
    node_processors.clear();
    Processors set = node_processors.append();
    if (sysfs.open_file("node/node%d/cpulist", node))
      sysfs.processors(usable, set);
    if (count_processors(set) > 0)
      add_processor(counting, node);
  }
  if (count_processors(counting) != count)
    return false;
  for (int from = next_processor(counting, 0); from >= 0;
       from = next_processor(counting, from + 1)) {
    if (!sysfs.open_file("node/node%d/distance", from))
      return false;
    int node = next_processor(online, 0), found = 0;
    sysfs.words([&](int distance) {
      if (node >= 0 && has_processor(counting, node) && found++ < count)
        *distances++ = distance;
      node = node < 0 ? node : next_processor(online, node + 1);
    });
    if (found != count)
      return false;
  }
  return true;
}

} // namespace xomp
