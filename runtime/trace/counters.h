// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counters of paper 1, section V, of paper 5, Table 4, and lambda of paper 4. Each set is
// written by one worker only, with plain increments; XOMP_STATS and XOMP_DISPLAY
// print them when the process ends.
#pragma once
#include <cstdint>

namespace xomp {

/// Why a task is run on top of its creator (docs/schedulers/auto.md).
enum class AtOnce : uint8_t {
  kNot,
  kSaid,    ///< by the program: its `if` clause, or as part of a final task
  kOutside, ///< it is created outside of all regions, where both peers do so
  kFull,    ///< as many wait as may
  kBytes,   ///< the large argument blocks of those that wait have reached their bound
};

struct Counters {
  // Complete under XOMP_STATS and XOMP_DISPLAY only: otherwise a task that is run at once is not
  // counted.
  uint64_t created = 0;   ///< tasks
  uint64_t immediate = 0; ///< run at once: NTASKS_IMM_EXEC; of these, as in AtOnce:
  uint64_t at_once_said = 0, at_once_outside = 0, at_once_full = 0, at_once_bytes = 0;
  // Deferred tasks that this worker ran, by who created them.
  uint64_t self = 0;       ///< this worker
  uint64_t local = 0;      ///< another of its locality domain: NTASKS_LOCAL
  uint64_t remote = 0;     ///< one of another domain: NTASKS_REMOTE
  uint64_t deferred = 0;   ///< put into a queue
  uint64_t redirected = 0; ///< of these, into a thief's: the others are NTASKS_STATIC_PUSH
  uint64_t sleeps = 0;     ///< times the worker went to sleep
  // As thief: NREQ_SENT. As victim: NREQ_HANDLED, and what came of them: NREQ_HAS_STEAL,
  // NREQ_SRC_EMPTY, NREQ_TARGET_FULL; NTASKS_STOLEN by the thief's locality domain.
  uint64_t requests_sent = 0, requests_handled = 0;
  uint64_t requests_with_steal = 0, requests_source_empty = 0, requests_target_full = 0;
  uint64_t stolen_local = 0, stolen_remote = 0;
  uint64_t remote_steals = 0;  ///< from another locality domain, by operation (paper 5, Table 4)
  uint64_t failed_steals = 0;  ///< likewise, the lock taken after a look that promised a task: none
  uint64_t refused_steals = 0; ///< likewise: some, but none that the worker may start at present
  uint64_t threads = 0;        ///< 1 if the worker's thread appears here first
  uint64_t regions_begun = 0, regions_ended = 0; ///< with this worker as master

  // For XOMP_DISPLAY (trace/explanation.h). All of them off the path of a task that is run at once.
  // Tasks whose time was taken, by who ran them.
  uint64_t measured = 0, measured_ticks = 0, measured_large = 0;
  uint64_t in_turn = 0; ///< large tasks taken because they had waited longest
  // `auto`: from another worker's ring, and how many of these came several at a time.
  uint64_t taken = 0, taken_together = 0;
  uint64_t regions_crowded = 0; ///< with this worker as master: more threads than processors

  void count_at_once(AtOnce why) {
    ++immediate;
    ++(why == AtOnce::kSaid      ? at_once_said
       : why == AtOnce::kOutside ? at_once_outside
       : why == AtOnce::kBytes   ? at_once_bytes
                                 : at_once_full);
  }
  void count_measured(int64_t ticks, bool large) {
    ++measured;
    measured_ticks += static_cast<uint64_t>(ticks);
    measured_large += large;
  }
  void count_theft(uint64_t tasks) {
    taken += tasks;
    taken_together += tasks > 1 ? tasks : 0;
  }
  /// From another locality domain. `kept`: the judge left some where they were.
  void count_remote_steal(bool found, bool kept) {
    ++(found ? remote_steals : kept ? refused_steals : failed_steals);
  }
  void count_run(bool own, bool same_domain) { ++(own ? self : same_domain ? local : remote); }
  void count_stolen(bool same_domain, uint64_t tasks) {
    (same_domain ? stolen_local : stolen_remote) += tasks;
  }
  uint64_t ran() const { return immediate + self + local + remote; }

  // Kept by counters.cc.
  const void* team = nullptr;
  int worker = 0; ///< its id in the team
  Counters* next = nullptr;
  Counters** link = nullptr;
};

/// Enters the set of a worker into the list of those that are summed up, and removes it; its
/// numbers are kept.
void enlist(Counters& counters, const void* team, int worker);
void delist(Counters& counters);

/// Writes the numbers of every worker, and their sums, to stderr; and whether the tasks that were
/// created were also run.
void print_counters();

/// The sums over all workers so far. False: there were none, the process never used OpenMP.
bool sum_counters(Counters& sum);

/// In the child after fork: nothing is counted yet, and nobody enlisted.
void reset_counters_after_fork();

} // namespace xomp
