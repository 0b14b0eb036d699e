// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a thread writes its records: into a chunk of the log that is mapped for it, its buffer, one
// after the other. A full buffer is copied to the end of the log and used again, so that it stays
// in the processor's cache. Where there is no more room (the log's limit, a full disk), all is
// summed up but the outermost spans. Protocol: trace/README.md.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "trace/log_file.h"
#include "trace/log_format.h"
#include "trace/summary.h"

namespace xomp::trace {

class Writer {
public:
  explicit Writer(uint32_t track) : own_tasks(uint64_t{track} << 40), track(track) {}

  /// One record. By the writer's thread.
  void write(int64_t begin, int64_t end, uint64_t task, uint64_t other, uint64_t place,
             Label label) {
    // Most tasks are made and run on this track, by code that is near to that of others. All of
    // this is one comparison.
    auto since = static_cast<uint64_t>(begin - first_tick);
    auto ticks = static_cast<uint64_t>(end - begin);
    uint64_t own_task = task ^ own_tasks, own_other = other ^ own_tasks, near = place - first_place;
    uint64_t foreign = label.worker ^ track;
    if (next == last || (since | ticks | own_task | own_other | near | foreign << 32) >> 32 != 0)
        [[unlikely]]
      return write_whole(begin, end, task, other, place, label);
    put(*next++, since | ticks << 32, own_task | own_other << 32,
        label.packed(static_cast<uint32_t>(near)));
  }

  /// A task, which may be one of very many: `notable` ones are always recorded, of the others fewer
  /// the fuller the log.
  void write_task(int64_t begin, int64_t end, uint64_t task, uint64_t other, uint64_t place,
                  Label label, bool notable) {
    if (fullness && !notable && skips(end - begin)) [[unlikely]]
      return summary.add(begin, end, place, label);
    write(begin, end, task, other, place, label);
  }

  /// The thread that has it now.
  void take(int domain, uint32_t kernel_thread);
  /// In the child after fork: what was mapped is not there any more.
  void reset();

  /// It writes into the log of this process.
  bool is_open() const { return open; }

private:
  friend class Recorder;

  static void put(Slot& slot, uint64_t first, uint64_t second, uint64_t label) {
    slot.first = first;
    slot.second = second;
    // Release: the label says that the rest is there.
    slot.label.store(label, std::memory_order_release);
  }
  [[gnu::noinline]] void write_whole(int64_t begin, int64_t end, uint64_t task, uint64_t other,
                                     uint64_t place, Label label);
  void write_elsewhere(int64_t begin, int64_t end, uint64_t task, uint64_t other, uint64_t place,
                       Label label);
  [[gnu::noinline]] bool skips(int64_t ticks);
  bool next_buffer();
  bool keep_buffer();
  char* begin_chunk(char* memory, ChunkKind kind);
  void begin_buffer();
  Record* in_reserve();

  Slot* next = nullptr;     ///< where the next record goes
  Slot* last = nullptr;     ///< behind the last slot of the buffer
  int64_t first_tick = 0;   ///< of the buffer, for packed records
  uint64_t first_place = 0; ///< of the buffer, for packed records
  uint64_t next_place =
      0; ///< `first_place` of the next buffer, near to a task that was far from this one's
  uint64_t own_tasks;          ///< numbers of tasks that were made on this track begin here
  uint32_t fullness = 0;       ///< quarters of the log's limit that were used when the chunk began
  uint32_t turn = 0;           ///< tasks that could be skipped
  char* buffer = nullptr;      ///< its records' chunk; null: there was no room for one
  std::size_t file_offset = 0; ///< where the buffer goes when it is full
  std::size_t room = 0;        ///< bytes from there on that are this writer's
  uint32_t chunks = 0;         ///< of the room that it got last
  char* reserve = nullptr;     ///< a chunk for the outermost spans when there is no other
  uint32_t reserved = 0;       ///< records in it
  uint32_t track;
  uint32_t sequence = 0;
  uint32_t thread = 0;
  int32_t domain = -1;
  bool open = false;   ///< it has what it needs of the log
  bool failed = false; ///< there is no log for it
  Summary summary;
};

} // namespace xomp::trace
