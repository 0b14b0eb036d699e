// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is not recorded one by one: number and time, exactly, by kind, source place and decade of
// length. The sums are the records of a chunk of the log itself, which each writer has from its
// beginning and changes in place: nothing has to be written later, so a process that is killed
// leaves them complete as well.
#pragma once
#include <cstddef>

#include "trace/log_format.h"

namespace xomp::trace {

class Summary {
public:
  /// `chunk` is an empty chunk of records, which stays mapped until `reset`; null: sums are given
  /// up.
  void begin(char* chunk);
  void reset() { records = nullptr; }

  void add(int64_t begin, int64_t end, uint64_t place, Label label);

private:
  static constexpr uint32_t kSlots = 2048; ///< a power of two, well above the records
  /// Records kept for the places that come too late to get one of their own: one for each kind and
  /// decade.
  static constexpr uint32_t kForOthers = 400;
  static constexpr uint32_t kForPlaces = kRecordsPerChunk - kForOthers;

  Record* find(uint64_t place, Label label);
  Record* enter(uint16_t& slot, uint64_t place, Label label);

  Record* records = nullptr;
  uint32_t used = 0;
  uint16_t slots[kSlots]; ///< index of a record, plus one; 0: free
};

/// floor(log10(ticks)), 0 for less than one.
uint8_t decade_of(int64_t ticks);

} // namespace xomp::trace
