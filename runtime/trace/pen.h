// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a thread writes its records: into a chunk of the log that is mapped for it, one after the
// other. A helper prepares the next extent while this one is written; where it does not come in
// time the pen helps itself, and where nobody may (the log's limit, a full disk), all is summed up
// but the outermost spans. Protocol: trace/README.md.
#pragma once
#include <atomic>
#include <cstdint>

#include "sys/cpu.h"
#include "trace/log_file.h"
#include "trace/log_format.h"
#include "trace/summary.h"

namespace xomp::trace {

class Pen {
public:
  explicit Pen(uint32_t track) : track(track) {}

  /// One record. By the pen's thread.
  void write(int64_t begin, int64_t end, uint64_t task, uint64_t other, uint64_t place,
             Label label) {
    if (next == last) [[unlikely]]
      return write_elsewhere(begin, end, task, other, place, label);
    put(*next++, begin, end, task, other, place, label);
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
  void forget();

  /// It writes into the log of this process.
  bool is_open() const { return open; }

  // The recorder's part; the helper's thread, or the pen's own, under the recorder's lock.
  bool wants() const { return open && !ready.load(std::memory_order_relaxed); }
  void give(Extent* extent) { ready.store(extent, std::memory_order_release); }
  uint32_t next_size();

  Pen* next_pen = nullptr; ///< in the recorder's list

private:
  friend class Recorder;

  static void put(Record& record, int64_t begin, int64_t end, uint64_t task, uint64_t other,
                  uint64_t place, Label label) {
    record.begin = begin;
    record.end = end;
    record.task = task;
    record.other = other;
    record.place = place;
    // Release: the label says that the rest is there.
    record.label.store(label.word(), std::memory_order_release);
  }
  [[gnu::noinline]] void write_elsewhere(int64_t begin, int64_t end, uint64_t task, uint64_t other,
                                         uint64_t place, Label label);
  [[gnu::noinline]] bool skips(int64_t ticks);
  bool turn_page();
  void take_ready();
  char* begin_chunk(char* memory);
  void begin_next_chunk();
  Record* in_reserve();

  Record* next = nullptr; ///< where the next record goes
  Record* last = nullptr; ///< behind the last one of the chunk
  uint32_t fullness = 0;  ///< quarters of the log's limit that were used when the chunk began
  uint32_t turn = 0;      ///< tasks that could be skipped
  Extent* extent = nullptr;
  std::size_t used = 0;      ///< of the extent, in bytes
  Extent* sums = nullptr;    ///< the chunk of `summary`
  Extent* reserve = nullptr; ///< a chunk for the outermost spans when there is no other
  uint32_t reserved = 0;     ///< records in it
  uint32_t track;
  uint32_t sequence = 0;
  uint32_t thread = 0;
  int32_t domain = -1;
  bool open = false;   ///< in the recorder's list; written under its lock
  bool failed = false; ///< there is no log for it
  uint32_t size = 1;   ///< chunks of the extent that was prepared last; helper only
  alignas(sys::kNoSharing) std::atomic<Extent*> ready{nullptr}; ///< null: the helper is to come
  alignas(sys::kNoSharing) Summary summary;
};

} // namespace xomp::trace
