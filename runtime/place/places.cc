// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps the place list in force and the processors that the process started with.
#include "place/places.h"

#include <sched.h>

#include <cstring>
#include <utility>

#include "place/allowed.h"
#include "place/hardware_subset.h"
#include "place/kmp_affinity.h"
#include "place/parse_places.h"
#include "place/place_table.h"
#include "place/topology.h"
#include "place/virtual_topology.h"
#include "sys/memory.h"

namespace xomp {

constinit int place_total = 0;
constinit bool places_take_blocks = false;

namespace {

constinit PlaceTable* list = nullptr;
constinit PlaceTable* start_mask = nullptr; // one row: the process's processors
constinit PlaceTable* part_mask = nullptr;  // one row: those of them that places have, if not all
constinit PlaceTable* free_mask = nullptr;  // one row: those that the first bound thread had

cpu_set_t* kernel_mask(Processors set) { return reinterpret_cast<cpu_set_t*>(set.data()); }

PlaceTable* new_table() {
  return sys::create<PlaceTable>(static_cast<int>(start_processors().size()));
}

void set_list(PlaceTable* table) {
  sys::destroy(list);
  list = table;
  place_total = table ? table->size() : 0;
}

// Ends the reading of a list: `table` becomes the list, unless nothing is left of it.
PlacesResult finish(PlaceTable* table, bool parsed, bool keep) {
  PlacesResult result{PlacesStatus::kMalformed, 0};
  if (parsed) {
    result.dropped = table->keep_usable(placed_processors());
    result.status = table->size() ? PlacesStatus::kLoaded : PlacesStatus::kNoneUsable;
  }
  if (keep && result.status == PlacesStatus::kLoaded)
    set_list(table);
  else
    sys::destroy(table);
  return result;
}

bool exists(int place) { return place >= 0 && place < place_total; }

template <class Id> void copy_ids(int place, Id* ids) {
  if (!exists(place))
    return;
  ProcessorsView set = (*list)[place];
  for (int p = next_processor(set, 0); p >= 0; p = next_processor(set, p + 1))
    *ids++ = p;
}

// Calls `visit(first, last)` for each run of consecutive processors.
template <class Visit> void runs(ProcessorsView set, Visit visit) {
  for (int first = next_processor(set, 0); first >= 0;) {
    int last = first;
    int next = next_processor(set, last + 1);
    while (next == last + 1) {
      last = next;
      next = next_processor(set, last + 1);
    }
    visit(first, last);
    first = next;
  }
}

/// `set_affinity`: of the thread, or of the attributes of one. Processors that are only described
/// need nothing.
template <class Thread>
bool bind(int place, Thread thread, int (*set_affinity)(Thread, std::size_t, const cpu_set_t*)) {
  if (!exists(place))
    return false;
  if (virtual_topology.in_force())
    return true;
  Processors set = (*list)[place];
  return set_affinity(thread, set.size_bytes(), kernel_mask(set)) == 0;
}

} // namespace

bool bind_thread(int place) { return bind(place, pthread_self(), pthread_setaffinity_np); }

bool is_free_as_at_start() {
  ProcessorsView start = start_processors();
  PlaceTable now(static_cast<int>(start.size()));
  Processors mask = now.append();
  return virtual_topology.in_force() || !read_mask(mask) || same_processors(mask, start);
}

void note_free_processors() {
  sys::destroy(std::exchange(free_mask, nullptr));
  PlaceTable* table = new_table();
  if (!virtual_topology.in_force() && read_mask(table->append()))
    free_mask = table;
  else
    sys::destroy(table);
}

bool free_thread(int place) {
  if (!exists(place) || !free_mask)
    return false;
  PlaceTable now(list->words_per_row());
  Processors mask = now.append(), free = (*free_mask)[0];
  return read_mask(mask) && same_processors(mask, (*list)[place]) &&
         pthread_setaffinity_np(pthread_self(), free.size_bytes(), kernel_mask(free)) == 0;
}

bool bind_attributes(pthread_attr_t* attributes, int place) {
  return bind(place, attributes, pthread_attr_setaffinity_np);
}

int place_processor_count(int place) {
  return exists(place) ? count_processors((*list)[place]) : 0;
}
int first_processor(int place) { return exists(place) ? next_processor((*list)[place], 0) : -1; }
void place_processor_ids(int place, int* ids) { copy_ids(place, ids); }
void place_processor_ids(int place, int64_t* ids) { copy_ids(place, ids); }

std::size_t format_place(char* buffer, std::size_t size, int place) {
  sys::TextSink sink(buffer, size);
  const char* separator = "";
  runs(exists(place) ? ProcessorsView((*list)[place]) : start_processors(),
       [&](int first, int last) {
         sink.print(first == last ? "%s%d" : "%s%d-%d", separator, first, last);
         separator = ",";
       });
  return sink.length();
}

void put_place_list(sys::TextSink& sink) {
  for (int i = 0; i < place_total; ++i) {
    sink.put(i ? ",{" : "{");
    const char* separator = "";
    runs((*list)[i], [&](int first, int last) {
      sink.print("%s%d", separator, first);
      if (last > first)
        sink.print(":%d", last - first + 1);
      separator = ",";
    });
    sink.put('}');
  }
}

int load_processors() {
  virtual_topology = VirtualTopology();
  sys::destroy(std::exchange(part_mask, nullptr));
  sys::destroy(start_mask);
  start_mask = read_allowed();
  return count_processors((*start_mask)[0]);
}

ProcessorsView start_processors() {
  if (!start_mask)
    start_mask = read_allowed();
  return (*start_mask)[0];
}

ProcessorsView placed_processors() { return part_mask ? (*part_mask)[0] : start_processors(); }

bool load_virtual_topology(const char* description) {
  if (!virtual_topology.parse(description))
    return false;
  int words = (virtual_topology.processors() + 63) / 64;
  sys::destroy(start_mask);
  start_mask = sys::create<PlaceTable>(words < kMinWords ? kMinWords : words);
  Processors all = start_mask->append();
  for (int p = 0; p < virtual_topology.processors(); ++p)
    add_processor(all, p);
  return true;
}

PlacesResult load_places(const char* omp_places, bool keep) {
  PlaceLevel level;
  int limit;
  PlaceTable* table = new_table();
  if (!parse_abstract_places(omp_places, level, limit)) {
    bool parsed = parse_place_list(omp_places, *table);
    return finish(table, parsed, keep);
  }
  bool as_cores = keep && !is_of_openmp(level) && !find_level(level, placed_processors(), *table);
  if (keep && table->size() == 0)
    find_places(as_cores ? PlaceLevel::kCores : level, placed_processors(), *table);
  while (table->size() > limit)
    table->remove(table->size() - 1);
  if (!keep)
    add_processor(table->append(), next_processor(start_processors(), 0));
  PlacesResult result = finish(table, true, keep);
  result.as_cores = as_cores;
  return result;
}

PlacesResult load_cpu_affinity(const char* gomp_cpu_affinity, bool keep) {
  PlaceTable* table = new_table();
  bool parsed = parse_cpu_affinity(gomp_cpu_affinity, *table);
  return finish(table, parsed, keep);
}

PlacesResult load_kmp_places(const KmpAffinity& affinity) {
  PlaceTable* table = new_table();
  bool as_cores;
  bool parsed = list_kmp_places(affinity, placed_processors(), *table, as_cores);
  PlacesResult result = finish(table, parsed, true);
  result.as_cores = as_cores;
  places_take_blocks = affinity.type == KmpAffinity::Type::kBalanced;
  return result;
}

SubsetResult use_hardware_subset(const HardwareSubset& subset) {
  PlaceTable* table = new_table();
  SubsetResult result = add_processors_of(subset, table->append());
  if (result.status == SubsetStatus::kGood)
    std::swap(table, part_mask);
  sys::destroy(table);
  return result;
}

void load_default_places() {
  PlaceTable* table = new_table();
  find_places(PlaceLevel::kThreads, placed_processors(), *table);
  set_list(table);
}

void clear_places() { set_list(nullptr); }

} // namespace xomp
