// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// KMP_AFFINITY and KMP_HW_SUBSET, by which users of LLVM's and Intel's runtimes say where threads
// go: read, and turned into a place list through which thread after thread is bound.
#pragma once
#include <climits>

#include "place/places.h"
#include "place/topology.h"

namespace xomp {

/// How the processors are put in order. They are numbered by socket, core in the socket and thread
/// in the core.
struct KmpAffinity {
  enum class Type : uint8_t {
    kNone,     ///< threads are not bound
    kCompact,  ///< neighbours close to each other: the innermost number grows first
    kScatter,  ///< far from each other: the outermost number grows first
    kBalanced, ///< blocks of neighbours, as large as they have to be, on each core
    kExplicit, ///< as the list says
  };
  Type type = Type::kNone;
  PlaceLevel granularity = PlaceLevel::kCores; ///< what a thread may use around its processor
  int permute = 0; ///< so many of the innermost numbers are the last to grow (compact), or fewer
  int offset = 0;  ///< where in the order the first thread is
  bool verbose = false;
  const char* processors = nullptr; ///< the inside of proclist=[...], ended by the bracket
};
bool parse_kmp_affinity(const char* text, KmpAffinity& affinity);

/// Which sockets, cores of each and threads of each are used.
struct HardwareSubset {
  struct Part {
    int count = INT_MAX, first = 0;
    bool has(int number) const { return number >= first && number - first < count; }
  };
  Part parts[3];
  bool given[3] = {};
  /// What is not given does not count: threads are those of the socket where cores are not named.
  bool alone = false;
};
/// "2s,4c@1,1t": each part is optional, and may begin further behind; "*c" and "c" are all. With a
/// colon in front the parts stand alone.
bool parse_hardware_subset(const char* text, HardwareSubset& subset);

/// Adds the processors of the process that are in it; returns how many.
int add_processors_of(const HardwareSubset& subset, Processors set);
/// The places through which thread after thread goes, of processors in `usable`; false: the list is
/// malformed. For a type other than none.
bool list_kmp_places(const KmpAffinity& affinity, ProcessorsView usable, PlaceTable& places);

} // namespace xomp
