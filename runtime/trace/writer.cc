// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/writer.h"

#include <algorithm>
#include <cstring>

#include "sys/assert.h"
#include "sys/ticks.h"
#include "trace/recorder.h"

namespace xomp::trace {
namespace {

/// Of tasks below a length, one in so many is recorded.
struct Sampling {
  int64_t shorter_than;
  uint32_t one_in;
};

/// By quarters of the limit that are used, the longer tasks first.
constexpr int64_t kMicrosecond = sys::kTicksOfMicrosecond;
constexpr Sampling kSampling[3][3] = {
    {{kMicrosecond, 4}, {0, 1}, {0, 1}},
    {{kMicrosecond, 16}, {10 * kMicrosecond, 4}, {0, 1}},
    {{kMicrosecond, 64}, {10 * kMicrosecond, 16}, {100 * kMicrosecond, 4}},
};

/// How far a packed record is from the middle of what it can tell, at most.
constexpr int64_t kNear = int64_t{1} << 31;

/// What everything else lies in.
bool is_outermost(Kind kind) {
  return kind == Kind::kThread || kind == Kind::kRegion || kind == Kind::kImplicit;
}

} // namespace

bool Writer::skips(int64_t ticks) {
  for (const Sampling& each : kSampling[std::min(fullness, 3u) - 1])
    if (ticks < each.shorter_than)
      return ++turn % each.one_in != 0;
  return false;
}

void Writer::take(int thread_domain, uint32_t kernel_thread) {
  domain = thread_domain;
  thread = kernel_thread;
}

void Writer::reset() {
  next = last = nullptr;
  buffer = reserve = nullptr;
  file_offset = room = 0;
  chunks = reserved = 0;
  sequence = 0;
  open = failed = false;
  summary.reset();
}

char* Writer::begin_chunk(char* memory, ChunkKind kind) {
  auto* header = reinterpret_cast<ChunkHeader*>(memory);
  XOMP_ASSERT(header->magic.load(std::memory_order_relaxed) == 0); // no chunk meanwhile
  header->kind = kind;
  header->track = track;
  header->sequence = sequence++;
  header->domain = domain;
  header->thread = thread;
  header->begin = first_tick;
  header->place = first_place;
  // Release: a chunk with its magic has the rest of its header.
  header->magic.store(kChunkMagic, std::memory_order_release);
  return memory;
}

/// No chunk is there while its records change from old ones to none: see trace/README.md.
void Writer::begin_buffer() {
  XOMP_ASSERT(open && buffer);
  auto* header = reinterpret_cast<ChunkHeader*>(buffer);
  header->magic.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  std::memset(buffer + sizeof(ChunkHeader), 0, kChunkBytes - sizeof(ChunkHeader));
  first_tick = sys::ticks() - kNear; // spans that began before are packed, too
  first_place = next_place;
  begin_chunk(buffer, kSlotChunk);
  next = reinterpret_cast<Slot*>(buffer + sizeof(ChunkHeader));
  last = next + kSlotsPerChunk;
  fullness = recorder.fullness();
}

/// Has the full buffer where it can stay. False: there is no room, and it stays what it is.
bool Writer::keep_buffer() {
  XOMP_ASSERT(buffer && room % kChunkBytes == 0);
  if (room == 0 && !recorder.give_room(*this))
    return false;
  if (!recorder.put_chunk(buffer, file_offset)) {
    room = 0;
    return false;
  }
  file_offset += kChunkBytes;
  room -= kChunkBytes;
  return true;
}

bool Writer::next_buffer() {
  if (open) {
    if (!buffer || !keep_buffer())
      return false;
  } else if (failed || !recorder.admit(*this) || !buffer) {
    return false;
  }
  begin_buffer();
  return true;
}

/// Where the outermost spans go when the log takes no more. Null: nowhere.
Record* Writer::in_reserve() {
  if (!reserve && open && !failed) {
    reserve = recorder.reserve();
    failed = !reserve;
    if (reserve)
      begin_chunk(reserve, kRecordChunk);
  }
  if (!reserve || reserved == kRecordsPerChunk)
    return nullptr;
  return reinterpret_cast<Record*>(reserve + sizeof(ChunkHeader)) + reserved++;
}

void Writer::write_whole(int64_t begin, int64_t end, uint64_t task, uint64_t other, uint64_t place,
                         Label label) {
  constexpr int kSlots = 2;
  if (next == last) {
    if (!next_buffer())
      return write_elsewhere(begin, end, task, other, place, label);
    return write(begin, end, task, other, place, label);
  }
  if (label.kind == Kind::kTask)
    next_place = place - kNear;
  if (last - next < kSlots && !next_buffer())
    return write_elsewhere(begin, end, task, other, place, label);
  Slot* slot = next;
  XOMP_ASSERT(last - next >= kSlots);
  next += kSlots;
  put(slot[1], task, other, place);
  put(slot[0], static_cast<uint64_t>(begin), static_cast<uint64_t>(end), label.word());
}

/// There is no room.
void Writer::write_elsewhere(int64_t begin, int64_t end, uint64_t task, uint64_t other,
                             uint64_t place, Label label) {
  Record* kept = is_outermost(label.kind) ? in_reserve() : nullptr;
  if (!kept)
    return summary.add(begin, end, place, label);
  kept->begin = begin;
  kept->end = end;
  kept->task = task;
  kept->other = other;
  kept->place = place;
  // Release: the label says that the rest is there.
  kept->label.store(label.word(), std::memory_order_release);
}

} // namespace xomp::trace
