// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// KMP_HW_SUBSET, by which users of LLVM's and Intel's runtimes say which part of the machine they
// want: read, and turned into processors.
#pragma once
#include <algorithm>
#include <climits>

#include "place/place_table.h"
#include "place/topology.h"

namespace xomp {

/// Which objects of some layers of the machine are used. Their numbers are those within the next
/// layer around them, of those that count: sockets, cores, threads, and what is named.
struct HardwareSubset {
  static constexpr int kAnyType = -1;
  struct Part {
    PlaceLevel layer = PlaceLevel::kSockets;
    int count = INT_MAX, first = 0;
    int type = kAnyType; ///< of cores: the row of PlaceLevel::kCoreTypes; others do not count then
    bool has(int number) const { return number >= first && number - first < count; }
  };
  static constexpr int kMost = 16;
  Part parts[kMost];
  int size = 0;
  /// What is not named does not count: threads are those of the socket where cores are not.
  bool alone = false;

  const Part* begin() const { return parts; }
  const Part* end() const { return parts + size; }
  bool names_types() const {
    return std::any_of(begin(), end(), [](const Part& part) { return part.type != kAnyType; });
  }
};
/// "2s,4c@1,1t": each part is optional, and may begin further behind; "*c" and "c" are all. With a
/// colon in front the parts stand alone.
bool parse_hardware_subset(const char* text, HardwareSubset& subset);

enum class SubsetStatus : uint8_t {
  kGood,
  kNoSuchLayer,
  kSameLayers, ///< two of its layers are one on this machine
  kNothing,    ///< is left of the machine
  kNoTypes,    ///< cores of several types, of which the machine has only one
};
struct SubsetResult {
  SubsetStatus status = SubsetStatus::kGood;
  int processors = 0;        ///< that are in it
  bool passed_types = false; ///< the type of cores is ignored: there is only one
};
/// Adds the processors of the process that are in it to `set`, if all is good.
SubsetResult add_processors_of(const HardwareSubset& subset, Processors set);
/// The same on a machine whose cores are of these types, if there are any.
SubsetResult add_processors_of(const HardwareSubset& subset, const PlaceTable& core_types,
                               Processors set);

} // namespace xomp
