// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a log file consists of, version 2: a header, then chunks of records or of text. Little
// endian. The meaning of each kind and field is in docs/perflog-format.md.
#pragma once
#include <atomic>
#include <cstdint>

namespace xomp::trace {

inline constexpr char kLogMagic[] = "XOMPLOG1";
inline constexpr uint32_t kLogVersion = 2;
inline constexpr uint32_t kHeaderBytes = 4096;
inline constexpr uint32_t kChunkBytes = 65536;
inline constexpr uint32_t kChunkMagic = 0x4b484358; // "XCHK"

struct LogHeader {
  char magic[8];
  uint32_t version, header_bytes, chunk_bytes, record_bytes;
  uint64_t process;
};

enum ChunkKind : uint16_t { kRecordChunk = 1, kTextChunk = 2, kSlotChunk = 3 };

/// A chunk whose magic is 0 was prepared and never used.
struct ChunkHeader {
  std::atomic<uint32_t> magic;
  uint16_t kind;
  uint16_t zero;
  uint32_t track;
  uint32_t sequence; ///< of this track's chunks; the first, 0, has its sums
  int32_t domain;    ///< of the thread; -1: not known
  uint32_t thread;   ///< its number in the kernel
  int64_t begin;     ///< of slots: from which on packed records count ticks
  uint64_t place;    ///< an address, as the difference to the chunk's
  char rest[24];
};
static_assert(sizeof(ChunkHeader) == 64);

enum class Kind : uint8_t {
  kNone, ///< no record: the chunk ends here
#define XOMP_KIND(kind, number, shape, place, state, words) k##kind = (number),
#include "trace/kinds.def"
};

inline constexpr uint8_t kNoDomain = 255;

/// What the kind of a packed record has besides.
inline constexpr uint8_t kPacked = 128;

/// The last word of a record, or of a slot. It is written last: a record whose kind is not 0 is
/// complete.
struct Label {
  Kind kind;
  uint8_t flags = 0;
  uint8_t creator_domain = kNoDomain;
  uint8_t data_domain = kNoDomain;
  uint32_t worker = 0;

  constexpr uint64_t word() const {
    return uint64_t{static_cast<uint8_t>(kind)} | uint64_t{flags} << 8 |
           uint64_t{creator_domain} << 16 | uint64_t{data_domain} << 24 | uint64_t{worker} << 32;
  }
  /// Of a packed record, whose worker is its track.
  constexpr uint64_t packed(uint32_t place) const {
    return uint64_t{static_cast<uint8_t>(kind)} | kPacked | uint64_t{flags} << 8 |
           uint64_t{creator_domain} << 16 | uint64_t{data_domain} << 24 | uint64_t{place} << 32;
  }
  static constexpr Label of(uint64_t word) {
    return {static_cast<Kind>(word & 0xff), static_cast<uint8_t>(word >> 8),
            static_cast<uint8_t>(word >> 16), static_cast<uint8_t>(word >> 24),
            static_cast<uint32_t>(word >> 32)};
  }
};

struct Record {
  int64_t begin, end;
  uint64_t task, other, place;
  std::atomic<uint64_t> label;
};
static_assert(sizeof(Record) == 48);

/// A record that takes little room, or half of one that does not: then the first has begin, end and
/// label, the second task, other and place.
struct Slot {
  uint64_t first, second;
  std::atomic<uint64_t> label;
};
static_assert(sizeof(Slot) == 24);

inline constexpr uint32_t kSlotsPerChunk = (kChunkBytes - sizeof(ChunkHeader)) / sizeof(Slot);
inline constexpr uint32_t kRecordsPerChunk = (kChunkBytes - sizeof(ChunkHeader)) / sizeof(Record);

/// Flags of the kinds: k<group>Flag<flag>.
enum Flag : uint8_t {
#define XOMP_FLAG(group, flag, value, words) k##group##Flag##flag = (value),
#include "trace/flags.def"
};
/// Of a task that is run at once, in place of the last two flags: the number of the reason in
/// trace/at_once.def, from 0 on.
inline constexpr int kAtOnceShift = 6;
/// Of a loop's flags: which of the schedules.
inline constexpr uint8_t kScheduleBits = 3;

} // namespace xomp::trace
