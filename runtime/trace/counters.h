// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of paper 1, section V. Each set is written by one worker only, with plain increments;
// XOMP_STATS prints their sums when the process ends.
#pragma once
#include <cstdint>

namespace xomp {

struct Counters {
  uint64_t deferred = 0;  ///< NTASKS_STATIC_PUSH: put into a queue
  uint64_t immediate = 0; ///< NTASKS_IMM_EXEC: run at once; complete only under XOMP_STATS
  uint64_t self = 0;      ///< deferred, then run by the worker that created them
  uint64_t taken = 0;     ///< deferred, then run by another worker
  uint64_t sleeps = 0;    ///< times the worker went to sleep
  // As thief: NREQ_SENT. As victim: NREQ_HANDLED, and what came of them: NREQ_HAS_STEAL,
  // NREQ_SRC_EMPTY, NREQ_TARGET_FULL; NTASKS_STOLEN by the thief's locality domain.
  uint64_t requests_sent = 0, requests_handled = 0;
  uint64_t requests_with_steal = 0, requests_source_empty = 0, requests_target_full = 0;
  uint64_t stolen_local = 0, stolen_remote = 0;
  uint64_t redirected = 0; ///< of `deferred`: put into a thief's queue

  void count_stolen(bool local, uint64_t tasks) { (local ? stolen_local : stolen_remote) += tasks; }
  uint64_t remote_steals = 0; ///< from another locality domain, by operation (paper 5, Table 4)
  uint64_t failed_steals = 0; ///< likewise, the lock taken after a look that promised a task: none

  // Kept by counters.cc.
  Counters* next = nullptr;
  Counters** link = nullptr;
};

/// Enters a set into the list of those that are summed up, and removes it; its numbers are kept.
void enlist(Counters& counters);
void delist(Counters& counters);

/// Writes the sums of all workers, and their number, to stderr.
void print_counters();

/// In the child after fork: the numbers of the parent's other threads do not count.
void reset_counters_after_fork();

} // namespace xomp
