// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/pen.h"

#include <algorithm>
#include <utility>

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

/// What everything else lies in.
bool is_outermost(Kind kind) {
  return kind == Kind::kThread || kind == Kind::kRegion || kind == Kind::kImplicit;
}

} // namespace

bool Pen::skips(int64_t ticks) {
  for (const Sampling& each : kSampling[std::min(fullness, 3u) - 1])
    if (ticks < each.shorter_than)
      return ++turn % each.one_in != 0;
  return false;
}

void Pen::take(int thread_domain, uint32_t kernel_thread) {
  domain = thread_domain;
  thread = kernel_thread;
}

void Pen::forget() {
  next = last = nullptr;
  extent = sums = reserve = nullptr;
  used = reserved = 0;
  sequence = 0;
  size = 1;
  open = failed = false;
  ready.store(nullptr, std::memory_order_relaxed);
  summary.forget();
}

uint32_t Pen::next_size() {
  constexpr uint32_t kMost = 16; // 1 MiB: a system call for some 20,000 records
  return std::exchange(size, std::min(2 * size, kMost));
}

char* Pen::begin_chunk(char* memory) {
  auto* header = reinterpret_cast<ChunkHeader*>(memory);
  header->kind = kRecordChunk;
  header->track = track;
  header->sequence = sequence++;
  header->domain = domain;
  header->thread = thread;
  // Release: a chunk with its magic has the rest of its header.
  header->magic.store(kChunkMagic, std::memory_order_release);
  return memory;
}

void Pen::begin_next_chunk() {
  char* memory = begin_chunk(extent->memory + used);
  used += kChunkBytes;
  next = reinterpret_cast<Record*>(memory + sizeof(ChunkHeader));
  last = next + kRecordsPerChunk;
  fullness = recorder.fullness();
}

void Pen::take_ready() {
  // Acquire: the mapping that the helper made.
  Extent* fresh = ready.exchange(nullptr, std::memory_order_acquire);
  recorder.exchange(extent, *this);
  extent = fresh;
  used = 0;
}

bool Pen::turn_page() {
  if (!open && (failed || !recorder.admit(*this)))
    return false;
  if (!extent || used == extent->bytes) {
    // Relaxed: most looks, in a pen that sums up, find nothing.
    if (!ready.load(std::memory_order_relaxed) && !recorder.serve(*this))
      return false;
    take_ready();
  }
  begin_next_chunk();
  return true;
}

/// Where the outermost spans go when the log takes no more. Null: nowhere.
Record* Pen::in_reserve() {
  if (!reserve && open && !failed) {
    reserve = recorder.reserve();
    failed = !reserve;
    if (reserve)
      begin_chunk(reserve->memory);
  }
  if (!reserve || reserved == kRecordsPerChunk)
    return nullptr;
  return reinterpret_cast<Record*>(reserve->memory + sizeof(ChunkHeader)) + reserved++;
}

void Pen::write_elsewhere(int64_t begin, int64_t end, uint64_t task, uint64_t other, uint64_t place,
                          Label label) {
  if (turn_page())
    return put(*next++, begin, end, task, other, place, label);
  Record* kept = is_outermost(label.kind) ? in_reserve() : nullptr;
  if (kept)
    put(*kept, begin, end, task, other, place, label);
  else
    summary.add(begin, end, place, label);
}

} // namespace xomp::trace
