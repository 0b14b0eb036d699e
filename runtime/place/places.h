// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The place list (OMP_PLACES, GOMP_CPU_AFFINITY) and the binding of threads to places, OpenMP 5.2
// section 10.1. Without a place list every function is a cheap no-op.
#pragma once
#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "place/bind_policy.h"
#include "place/place_table.h"
#include "sys/text_sink.h"

namespace xomp {

struct KmpAffinity;
struct HardwareSubset;
struct SubsetResult;

/// Where a thread is bound and which places the teams that it creates may use
/// (place-partition-var).
struct PlacePartition {
  int first = 0;
  int last = -1;  ///< last < first: no place list, or the thread is not bound yet
  int place = -1; ///< the thread's own place, inside [first, last]; -1 when it is not bound

  int count() const { return last - first + 1; }
};

extern constinit int place_total;
extern constinit bool places_take_blocks; ///< under kBindKmp

/// The length of the place list; 0 without one.
inline int place_count() { return place_total; }

/// What an initial thread starts with: the whole list, bound to the first place. It still has to be
/// bound.
inline PlacePartition initial_partition() {
  return place_total ? PlacePartition{0, place_total - 1, 0} : PlacePartition{};
}

/// Binds the calling thread to a place; true when the kernel agreed. False, without an effect, for
/// a place that does not exist.
bool bind_thread(int place);
/// Whether the calling thread may use what the process could when it started: nobody has bound it.
bool is_free_as_at_start();
/// The calling thread is about to be the first one that is bound: notes what it may use now.
void note_free_processors();
/// Takes the calling thread's binding to `place` back, unless somebody has bound it elsewhere
/// since: it may use what was noted. True when that was done.
bool free_thread(int place);
/// Makes threads created with `attributes` start on a place.
bool bind_attributes(pthread_attr_t* attributes, int place);

/// The processors of a place: how many, and their numbers in ascending order (Id is int or
/// int64_t).
int place_processor_count(int place);
/// The lowest of them; -1 for a place that does not exist.
int first_processor(int place);
void place_processor_ids(int place, int* ids);
void place_processor_ids(int place, int64_t* ids);

/// Place and partition of a thread of a new team, section 10.1.3. `parent` belongs to the thread
/// that creates the team, `bind` is a BindPolicy other than false. Thread 0's can differ from the
/// parent's only in its partition (spread), never in `place`.
PlacePartition assign_place(const PlacePartition& parent, int bind, int team_size, int thread);

/// Writes a place's processors as ranges ("0-3,8"), at most `size` bytes and no terminator; returns
/// the whole length. Place -1 stands for all processors that the process could use at its start.
std::size_t format_place(char* buffer, std::size_t size, int place);

/// Notes which processors the process may use, before any thread is bound; returns how many.
int load_processors();
/// Those processors.
ProcessorsView start_processors();
/// Those of which places are made: not all of them after `use_hardware_subset`.
ProcessorsView placed_processors();
/// Takes the processors of a description (place/virtual_topology.h) for the machine's from here on,
/// before there is a place list; false when it is malformed. No thread is bound to them.
bool load_virtual_topology(const char* description);

enum class PlacesStatus { kLoaded, kMalformed, kNoneUsable };

/// How a place list was taken in.
struct PlacesResult {
  PlacesStatus status;
  int dropped;           ///< places without a usable processor, left out
  bool as_cores = false; ///< the machine does not have the level that was named: they are cores
};

/// Makes OMP_PLACES or GOMP_CPU_AFFINITY the place list in place of the one before. Without `keep`
/// the text is only checked.
PlacesResult load_places(const char* omp_places, bool keep);
PlacesResult load_cpu_affinity(const char* gomp_cpu_affinity, bool keep);
/// Makes the places of KMP_AFFINITY the place list (place/kmp_affinity.h).
PlacesResult load_kmp_places(const KmpAffinity& affinity);
/// Place lists that are loaded from here on are made of these processors alone
/// (place/hardware_subset.h); where all is not good nothing has changed.
SubsetResult use_hardware_subset(const HardwareSubset& subset);
/// One place for each usable processor: OMP_PROC_BIND without a list.
void load_default_places();
void clear_places();

/// The place list in the notation of OMP_PLACES: "{0:2},{2:2}".
void put_place_list(sys::TextSink& sink);

} // namespace xomp
