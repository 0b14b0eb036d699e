// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// KMP_AFFINITY, by which users of LLVM's and Intel's runtimes say where threads go: read, and
// turned into a place list through which thread after thread is bound.
#pragma once
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
  bool offset_in_cores = false;
  bool verbose = false;
  bool duplicates = true;           ///< a place for each processor, though several are the same
  const char* processors = nullptr; ///< the inside of proclist=[...], ended by the bracket
};
bool parse_kmp_affinity(const char* text, KmpAffinity& affinity);

/// The places through which thread after thread goes, of processors in `usable`; false: the list is
/// malformed. For a type other than none. `as_cores`: the machine does not have the granularity.
bool list_kmp_places(const KmpAffinity& affinity, ProcessorsView usable, PlaceTable& places,
                     bool& as_cores);

} // namespace xomp
