// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Topology from hwloc, loaded for one question and unloaded again. A default load costs 13 ms; one
// that keeps a single level and leaves out the x86 backend half a millisecond.
#include "place/topology.h"

// The second may be another architecture's only, in a folder of its own.
#if __has_include(<hwloc.h>) && __has_include(<hwloc/autogen/config.h>)
#include <dlfcn.h>
#include <hwloc.h>

#include "sys/room_to_call.h"

namespace xomp {
namespace {

// The interface of hwloc 2, which its soname 15 stands for.
constexpr char kLibrary[] = "libhwloc.so.15";

// What hwloc has no type for is a group, whose kind only its own headers name.
constexpr unsigned kKindOfModules = 102;
constexpr unsigned kKindOfTiles = 103;
bool is_group(PlaceLevel level) {
  return level == PlaceLevel::kTiles || level == PlaceLevel::kModules;
}

class Hwloc {
public:
  Hwloc() : library(dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL)) {
    if (!library)
      return;
    complete = find("hwloc_topology_init", init) && find("hwloc_topology_destroy", destroy) &&
               find("hwloc_topology_set_all_types_filter", filter_all) &&
               find("hwloc_topology_set_type_filter", filter_type) &&
               find("hwloc_topology_set_cache_types_filter", filter_caches) &&
               find("hwloc_topology_load", load) && find("hwloc_get_type_depth", type_depth) &&
               find("hwloc_get_nbobjs_by_depth", object_count) &&
               find("hwloc_get_obj_by_depth", object) && find("hwloc_bitmap_next", next);
    find("hwloc_topology_set_components", set_components); // since hwloc 2.1
  }
  ~Hwloc() {
    if (topology)
      destroy(topology);
    if (library)
      dlclose(library);
  }
  Hwloc(const Hwloc&) = delete;
  Hwloc& operator=(const Hwloc&) = delete;

  bool load_level(PlaceLevel level) {
    if (!complete || level == PlaceLevel::kCoreTypes || level == PlaceLevel::kProcessorGroups ||
        init(&topology) != 0)
      return false;
    if (set_components && !is_group(level)) // those come from it alone
      set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    filter_all(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    if (level == PlaceLevel::kLastLevelCaches)
      filter_caches(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
    else if (level == PlaceLevel::kNumaDomains)
      keep_parents_of_nodes();
    else if (is_group(level)) // which cannot be kept otherwise
      filter_type(topology, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    else
      filter_type(topology, type_of(level), HWLOC_TYPE_FILTER_KEEP_ALL);
    if (level == PlaceLevel::kDice) // of which one that is all of its socket is none
      filter_type(topology, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL);
    return load(topology) == 0;
  }

  void append_places(PlaceLevel level, ProcessorsView usable, PlaceTable& places) {
    int depth = depth_of(level);
    if (depth == HWLOC_TYPE_DEPTH_UNKNOWN || depth == HWLOC_TYPE_DEPTH_MULTIPLE)
      return;
    unsigned count = object_count(topology, depth);
    for (unsigned i = 0; i < count; ++i) {
      hwloc_obj_t found = object(topology, depth, i);
      if (!found || !found->cpuset || (is_group(level) && !is_of(level, found->attr->group.kind)))
        continue;
      Processors place = places.append();
      int end = processor_capacity(place);
      for (int p = next(found->cpuset, -1); p >= 0 && p < end; p = next(found->cpuset, p))
        add_processor(place, p);
    }
    places.keep_usable(usable);
  }

private:
  template <class Function> bool find(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    return function != nullptr;
  }

  // Nodes are always kept, but take over the processors of the object that they hang on: without
  // one of the right size, those of the whole machine.
  void keep_parents_of_nodes() {
    filter_type(topology, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL);
    filter_type(topology, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
  }

  static bool is_of(PlaceLevel level, unsigned kind) {
    return kind == (level == PlaceLevel::kTiles ? kKindOfTiles : kKindOfModules);
  }

  static hwloc_obj_type_t type_of(PlaceLevel level) {
    switch (level) {
    case PlaceLevel::kCores:
      return HWLOC_OBJ_CORE;
    case PlaceLevel::kSockets:
      return HWLOC_OBJ_PACKAGE;
    case PlaceLevel::kNumaDomains:
      return HWLOC_OBJ_NUMANODE;
    case PlaceLevel::kDice:
      return HWLOC_OBJ_DIE;
    case PlaceLevel::kTiles:
    case PlaceLevel::kModules:
      return HWLOC_OBJ_GROUP;
    case PlaceLevel::kL1Caches:
      return HWLOC_OBJ_L1CACHE;
    case PlaceLevel::kL2Caches:
      return HWLOC_OBJ_L2CACHE;
    case PlaceLevel::kL3Caches:
      return HWLOC_OBJ_L3CACHE;
    default:
      return HWLOC_OBJ_PU;
    }
  }

  int depth_of(PlaceLevel level) {
    if (level != PlaceLevel::kLastLevelCaches)
      return type_depth(topology, type_of(level));
    for (hwloc_obj_type_t cache :
         {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE})
      if (int depth = type_depth(topology, cache); depth >= 0)
        return depth;
    return type_depth(topology, HWLOC_OBJ_L1CACHE);
  }

  void* library;
  hwloc_topology_t topology = nullptr;
  bool complete = false;
  decltype(hwloc_topology_init)* init = nullptr;
  decltype(hwloc_topology_destroy)* destroy = nullptr;
  decltype(hwloc_topology_set_components)* set_components = nullptr;
  decltype(hwloc_topology_set_all_types_filter)* filter_all = nullptr;
  decltype(hwloc_topology_set_type_filter)* filter_type = nullptr;
  decltype(hwloc_topology_set_cache_types_filter)* filter_caches = nullptr;
  decltype(hwloc_topology_load)* load = nullptr;
  decltype(hwloc_get_type_depth)* type_depth = nullptr;
  decltype(hwloc_get_nbobjs_by_depth)* object_count = nullptr;
  decltype(hwloc_get_obj_by_depth)* object = nullptr;
  decltype(hwloc_bitmap_next)* next = nullptr;
};

struct Question {
  PlaceLevel level;
  ProcessorsView usable;
  PlaceTable& places;
};

void* ask(void* argument) {
  auto& question = *static_cast<Question*>(argument);
  Hwloc hwloc;
  if (hwloc.load_level(question.level))
    hwloc.append_places(question.level, question.usable, question.places);
  return nullptr;
}

} // namespace

bool hwloc_places(PlaceLevel level, ProcessorsView usable, PlaceTable& places) {
  // To be loaded and to ask the kernel takes it some 16 kB of stack.
  Question question{level, usable, places};
  return sys::call_with_room(ask, &question) && places.size() > 0;
}

} // namespace xomp

#else // built without hwloc's headers: /sys answers

namespace xomp {
bool hwloc_places(PlaceLevel, ProcessorsView, PlaceTable&) { return false; }
} // namespace xomp

#endif
