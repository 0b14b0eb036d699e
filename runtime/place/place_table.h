// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets of processor numbers as rows of bits, and a table of such rows: the place list while it is
// read and once it is in force. A row has the layout of the kernel's affinity mask.
#pragma once
#include <cstdint>
#include <span>

namespace xomp {

using Processors = std::span<uint64_t>;
using ProcessorsView = std::span<const uint64_t>;

inline int processor_capacity(ProcessorsView set) { return static_cast<int>(set.size() * 64); }
inline bool has_processor(ProcessorsView set, int processor) {
  return (set[processor / 64] >> (processor % 64)) & 1;
}
inline void add_processor(Processors set, int processor) {
  set[processor / 64] |= uint64_t{1} << (processor % 64);
}
inline void remove_processor(Processors set, int processor) {
  set[processor / 64] &= ~(uint64_t{1} << (processor % 64));
}
int count_processors(ProcessorsView set);
/// The first processor of the set that is not below `from`; -1 when there is none.
int next_processor(ProcessorsView set, int from);
bool same_processors(ProcessorsView one, ProcessorsView other);
void remove_processors(Processors set, ProcessorsView removed);
/// Keeps what both have and says whether anything is left.
bool intersect_processors(Processors set, ProcessorsView other);

class PlaceTable {
public:
  /// Rows of `words` words each.
  explicit PlaceTable(int words) : words(words) {}
  ~PlaceTable();
  PlaceTable(const PlaceTable&) = delete;
  PlaceTable& operator=(const PlaceTable&) = delete;

  int size() const { return count; }
  int words_per_row() const { return words; }
  Processors operator[](int row) {
    return {bits + static_cast<std::size_t>(row) * words, static_cast<std::size_t>(words)};
  }
  ProcessorsView operator[](int row) const {
    return {bits + static_cast<std::size_t>(row) * words, static_cast<std::size_t>(words)};
  }
  /// The first row that has the processor; -1: none.
  int row_of(int processor) const;
  /// Adds an empty row; views of other rows become invalid.
  Processors append();
  void remove(int row);
  void clear() { count = 0; }
  /// Leaves only processors of `usable` in the rows and drops rows that become empty; returns how
  /// many were dropped.
  int keep_usable(ProcessorsView usable);

private:
  uint64_t* bits = nullptr;
  int words;
  int count = 0;
  int room = 0;
};

} // namespace xomp
