// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/summary.h"

#include <algorithm>
#include <cstring>

namespace xomp::trace {
namespace {

/// Whether the place of such a record says where in the program it belongs.
bool has_code(Kind kind) {
  // What the words of the table's column mean here.
  // NOLINTBEGIN(bugprone-branch-clone, readability-identifier-naming)
  constexpr bool body = true, call = true, around = false, none = false;
  switch (kind) {
#define XOMP_KIND(kind, number, shape, place, state, words)                                        \
  case Kind::k##kind:                                                                              \
    return place;
#include "trace/kinds.def"
  case Kind::kNone:
    break;
  }
  return none;
  // NOLINTEND(bugprone-branch-clone, readability-identifier-naming)
}

/// The label of the sums of such records: their kind stands where others have a worker.
Label label_of_sums(Label label, int64_t ticks) {
  return {Kind::kSummary, decade_of(ticks), kNoDomain, kNoDomain,
          static_cast<uint32_t>(static_cast<uint8_t>(label.kind))};
}

uint32_t hash(uint64_t place, Label label) {
  uint64_t mixed = (place ^ label.word()) * 0x9e3779b97f4a7c15u;
  return static_cast<uint32_t>(mixed >> 40);
}

} // namespace

uint8_t decade_of(int64_t ticks) {
  uint8_t decade = 0;
  for (; ticks >= 10 && decade < 18; ticks /= 10)
    ++decade;
  return decade;
}

void Summary::begin(char* chunk) {
  records = reinterpret_cast<Record*>(chunk + sizeof(ChunkHeader));
  used = 0;
  std::memset(slots, 0, sizeof slots);
}

Record* Summary::enter(uint16_t& slot, uint64_t place, Label label) {
  Record& record = records[used];
  slot = static_cast<uint16_t>(++used);
  record.place = place;
  record.begin = INT64_MAX;
  // Release: as for every record.
  record.label.store(label.word(), std::memory_order_release);
  return &record;
}

Record* Summary::find(uint64_t place, Label label) {
  for (uint32_t at = hash(place, label);; ++at) {
    uint16_t& slot = slots[at % kSlots];
    if (slot == 0) {
      if (used >= kForPlaces && place != 0)
        return find(0, label);
      return used < kRecordsPerChunk ? enter(slot, place, label) : nullptr;
    }
    Record& record = records[slot - 1];
    // Relaxed: the writer's own.
    if (record.place == place && record.label.load(std::memory_order_relaxed) == label.word())
      return &record;
  }
}

void Summary::add(int64_t begin, int64_t end, uint64_t place, Label label) {
  if (!records)
    return;
  int64_t ticks = std::max<int64_t>(end - begin, 0);
  Record* sums = find(has_code(label.kind) ? place : 0, label_of_sums(label, ticks));
  if (!sums)
    return;
  sums->begin = std::min(sums->begin, begin);
  sums->end = std::max(sums->end, end);
  sums->task += 1;
  sums->other += static_cast<uint64_t>(ticks);
}

} // namespace xomp::trace
