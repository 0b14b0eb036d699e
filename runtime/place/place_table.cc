// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "place/place_table.h"

#include <bit>
#include <cstring>

#include "sys/memory.h"

namespace xomp {

int count_processors(ProcessorsView set) {
  int count = 0;
  for (uint64_t word : set)
    count += std::popcount(word);
  return count;
}

int next_processor(ProcessorsView set, int from) {
  for (std::size_t i = from / 64; i < set.size(); ++i) {
    uint64_t word = set[i];
    if (i == static_cast<std::size_t>(from / 64))
      word &= ~uint64_t{0} << (from % 64);
    if (word)
      return static_cast<int>(i * 64) + std::countr_zero(word);
  }
  return -1;
}

bool same_processors(ProcessorsView one, ProcessorsView other) {
  return std::memcmp(one.data(), other.data(), one.size_bytes()) == 0;
}

void remove_processors(Processors set, ProcessorsView removed) {
  for (std::size_t i = 0; i < set.size(); ++i)
    set[i] &= ~removed[i];
}

bool intersect_processors(Processors set, ProcessorsView other) {
  uint64_t left = 0;
  for (std::size_t i = 0; i < set.size(); ++i)
    left |= set[i] &= other[i];
  return left != 0;
}

PlaceTable::~PlaceTable() { sys::release(bits); }

int PlaceTable::row_of(int processor) const {
  for (int i = 0; i < count; ++i)
    if (has_processor((*this)[i], processor))
      return i;
  return -1;
}

Processors PlaceTable::append() {
  std::size_t row_bytes = words * sizeof(uint64_t);
  if (count == room) {
    room = room ? 2 * room : 1;
    auto* grown = static_cast<uint64_t*>(sys::allocate(room * row_bytes));
    if (count)
      std::memcpy(grown, bits, count * row_bytes);
    sys::release(bits);
    bits = grown;
  }
  Processors row = (*this)[count++];
  std::memset(row.data(), 0, row_bytes);
  return row;
}

void PlaceTable::remove(int row) {
  Processors gone = (*this)[row];
  std::memmove(gone.data(), gone.data() + words, (count - row - 1) * gone.size_bytes());
  --count;
}

int PlaceTable::keep_usable(ProcessorsView usable) {
  int kept = 0;
  for (int row = 0; row < count; ++row) {
    Processors set = (*this)[row];
    if (!intersect_processors(set, usable))
      continue;
    if (kept != row)
      std::memcpy((*this)[kept].data(), set.data(), set.size_bytes());
    ++kept;
  }
  int dropped = count - kept;
  count = kept;
  return dropped;
}

} // namespace xomp
