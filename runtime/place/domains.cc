// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "place/domains.h"

#include <pthread.h>

#include "place/places.h"
#include "place/topology.h"
#include "place/virtual_topology.h"
#include "sys/memory.h"
#include "sys/uncancellable.h"

namespace xomp {
namespace {

constexpr int kNear = 10, kFar = 20;

/// The machine's; kept until the process ends.
struct Domains {
  int count = 1;
  PlaceTable* processors = nullptr; ///< of each domain; null when there is one
  int* distances = nullptr;         ///< count x count; null when unknown
};

constinit Domains machine;
pthread_once_t asked = PTHREAD_ONCE_INIT;

void ask_machine() {
  sys::Uncancellable whole;
  ProcessorsView usable = start_processors();
  PlaceTable* nodes = sys::create<PlaceTable>(static_cast<int>(usable.size()));
  if (!sysfs_nodes("/sys", usable, *nodes) || nodes->size() < 2)
    return sys::destroy(nodes);
  machine.count = nodes->size();
  machine.processors = nodes;
  auto cells = static_cast<std::size_t>(machine.count) * machine.count;
  machine.distances = static_cast<int*>(sys::allocate(sizeof(int) * cells));
  if (sysfs_distances("/sys", usable, machine.count, machine.distances))
    return;
  sys::release(machine.distances);
  machine.distances = nullptr;
}

const Domains& domains() {
  pthread_once(&asked, ask_machine);
  return machine;
}

int domain_of_processor(int processor) {
  if (virtual_topology.in_force())
    return processor / virtual_topology.processors_per_domain();
  const Domains& all = domains();
  for (int i = 0; i < all.count && all.processors; ++i) {
    if (has_processor((*all.processors)[i], processor))
      return i;
  }
  return 0;
}

} // namespace

int domain_count() {
  return virtual_topology.in_force() ? virtual_topology.domains() : domains().count;
}

int domain_of_place(int place) {
  if (domain_count() == 1)
    return 0;
  int processor = first_processor(place);
  return processor < 0 ? 0 : domain_of_processor(processor);
}

int domain_of_worker(int worker, int workers) {
  return static_cast<int>(static_cast<long>(worker) * domain_count() / workers);
}

int domain_distance(int from, int to) {
  if (virtual_topology.in_force())
    return virtual_topology.distance(from, to);
  const Domains& all = domains();
  if (!all.distances)
    return from == to ? kNear : kFar;
  return all.distances[from * all.count + to];
}

} // namespace xomp
