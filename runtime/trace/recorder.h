// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The recorder: one log for the process, a writer for each thread, and a helper thread that notes
// the clock and what is mapped. Protocol of writers, and fork: trace/README.md.
#pragma once
#include <atomic>
#include <bit>
#include <cstdint>

#include <pthread.h>

#include "sys/bell.h"
#include "sys/inspection.h"
#include "trace/known_calls.h"
#include "trace/log_facts.h"
#include "trace/log_file.h"
#include "trace/writer.h"

namespace xomp::trace {

class Recorder {
public:
  /// Begins to record into a log in `folder`; null: XOMP_PERFLOG's, or the working directory. 0, or
  /// an errno value.
  int start(const char* folder);
  int stop();
  /// Returns when the disk has what was recorded so far. 0, or an errno value.
  int dump();
  /// From now on, as the library is loaded: what the calling thread does before it has to do with
  /// OpenMP belongs to the run.
  void start_with_process();
  /// Since when that thread is recorded if it is this one, and what the kernel had counted of it
  /// then; 0: since now. Asked once of each.
  int64_t since(uint32_t kernel_thread, sys::ProcessorTimes& times);
  /// The process ends in good order.
  void end();
  /// In the child after fork: a log of its own, as soon as there is something to record.
  void after_fork_in_child();

  /// What the program's compiler says of the place of a call, which returns to `codeptr`, and
  /// hands over the function `body` of the program, or none: 0. `said`: as docs/perflog-format.md
  /// has it. The log gets it once.
  void describe(uint64_t codeptr, uint64_t body, const char* said) {
    // One address may be that of several: where a compiler has made one call of two, and of all
    // that end with a jump into the runtime.
    auto words = reinterpret_cast<uintptr_t>(said);
    uint64_t call = codeptr ^ std::rotl(body, 16) ^ std::rotl(uint64_t{words}, 32);
    if (!calls.has(call)) [[unlikely]]
      describe_anew(call, codeptr, body, said);
  }

  // For writers.
  /// Quarters of the limit that are used, 0 to 4. Relaxed: advice.
  uint32_t fullness() const { return quarters.load(std::memory_order_relaxed); }
  /// A writer's first record: opens the log if need be, and gives the writer its chunks. False:
  /// none.
  bool admit(Writer& writer);
  /// Room at the log's end for chunks that a writer has filled. False: the log is as large as it
  /// may be.
  bool give_room(Writer& writer);
  /// False: the system refuses.
  bool put_chunk(const char* chunk, std::size_t offset);
  /// A chunk beyond the limit; null: there is none.
  char* reserve();

private:
  static void* help(void*);
  bool at_limit() const { return full.load(std::memory_order_relaxed); }
  bool has_log();
  int open_log();
  void describe_anew(uint64_t call, uint64_t codeptr, uint64_t body, const char* said);
  void start_helper();
  bool take_notes();
  uint32_t chunks_left(uint32_t wanted);
  void count(uint32_t chunks);
  void cannot_grow(int error);

  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  LogFile log;
  char* folder = nullptr;        ///< of the log, and of those of children
  uint64_t recorded = 0;         ///< bytes given to writers for records
  std::atomic<bool> full{false}; ///< no more of these; relaxed, as it never becomes false again
  Reading loaded;                ///< when the library was; 0: nothing was recorded then
  sys::ProcessorTimes loaded_times;
  /// The thread that loaded it, until it is met; relaxed: only that changes it.
  std::atomic<uint32_t> first{0};
  bool closed = false;  ///< the process ends
  uint64_t modules = 0; ///< checksum of those that the log names
  KnownCalls calls;     ///< of which the log says what it is told of them
  std::atomic<uint32_t> quarters{0};
  sys::Bell bell; ///< the helper's
};

extern constinit Recorder recorder;

} // namespace xomp::trace
