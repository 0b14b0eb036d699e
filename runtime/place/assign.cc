// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places of the threads of a new team, OpenMP 5.2 section 10.1.3. Where the section leaves a
// choice, the answer is libgomp's: programs have been tuned with it.
#include "place/bind_policy.h"
#include "place/places.h"

namespace xomp {
namespace {

// More threads than places: blocks of floor(T/P) threads in consecutive places, and the remaining
// threads one by one into the same places again. Fewer: one thread for each place.
int steps_from_parent(int thread, int team_size, int places) {
  if (team_size <= places)
    return thread;
  int block = team_size / places;
  return thread < block * places ? thread / block : thread - block * places;
}

// KMP_AFFINITY's: in turn; with `balanced` in blocks, the first `team_size % places` of them one
// thread larger than the others, as on libomp.
int kmp_steps(int thread, int team_size, int places) {
  if (!places_take_blocks)
    return thread;
  int block = team_size / places, larger = team_size % places;
  int in_larger = larger * (block + 1);
  return thread < in_larger ? thread / (block + 1) : larger + (thread - in_larger) / block;
}

int place_after(const PlacePartition& parent, int place, int steps) {
  return parent.first + (place - parent.first + steps) % parent.count();
}

// Team not larger than the partition: subpartition number `index` of `team_size`, the first
// `places % team_size` of them one place longer than the others.
PlacePartition subpartition(const PlacePartition& parent, int team_size, int index) {
  int length = parent.count() / team_size;
  int longer = parent.count() % team_size;
  int first = parent.first + index * length + (index < longer ? index : longer);
  int last = first + length - (index < longer ? 0 : 1);
  return {first, last, first};
}

// The number of the subpartition that holds a place.
int subpartition_index(const PlacePartition& parent, int team_size, int place) {
  int length = parent.count() / team_size;
  int longer = parent.count() % team_size;
  int offset = place - parent.first;
  if (offset < longer * (length + 1))
    return offset / (length + 1);
  return longer + (offset - longer * (length + 1)) / length;
}

PlacePartition spread(const PlacePartition& parent, int team_size, int thread) {
  if (team_size > parent.count()) { // one place for each subpartition
    int steps = steps_from_parent(thread, team_size, parent.count());
    int place = place_after(parent, parent.place, steps);
    return {place, place, place};
  }
  int own = subpartition_index(parent, team_size, parent.place);
  PlacePartition result = subpartition(parent, team_size, (own + thread) % team_size);
  if (thread == 0)
    result.place = parent.place; // the primary thread does not move
  return result;
}

} // namespace

PlacePartition assign_place(const PlacePartition& parent, int bind, int team_size, int thread) {
  PlacePartition from = parent.count() > 0 ? parent : initial_partition();
  if (from.count() <= 0)
    return from;
  if (from.place < 0)
    from.place = from.first;
  if (bind == kBindSpread)
    return spread(from, team_size, thread);
  if (bind == kBindKmp)
    from.place = place_after(from, from.place, kmp_steps(thread, team_size, from.count()));
  else if (bind == kBindTrue || bind == kBindClose)
    from.place = place_after(from, from.place, steps_from_parent(thread, team_size, from.count()));
  return from;
}

} // namespace xomp
