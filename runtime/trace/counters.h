// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counters of paper 1, section V, and of paper 5, Table 4. Each set is
// written by one worker only; XOMP_STATS and XOMP_DISPLAY print them when the process ends, when
// other workers may still be on their way to sleep.
#pragma once
#include <cstdint>

#include "sys/relaxed.h"

namespace xomp {

/// Why a task is run on top of its creator.
enum class AtOnce : uint8_t {
  kNot,
#define XOMP_AT_ONCE(reason, counter, words) reason,
#include "trace/at_once.def"
};

/// A number that one thread changes and others may read meanwhile.
class Count {
public:
  Count& operator+=(uint64_t more) {
    sys::store_relaxed(number, number + more);
    return *this;
  }
  Count& operator++() { return *this += 1; }
  Count& operator=(uint64_t now) {
    sys::store_relaxed(number, now);
    return *this;
  }
  operator uint64_t() const { return sys::load_relaxed(number); }

private:
  uint64_t number = 0;
};

template <class Number> struct CounterTable {
#define XOMP_COUNTER(name) uint64_t name = 0;
#define XOMP_COUNTER_WHILE_IDLE(name) Number name{};
#include "trace/counters.def"

  uint64_t ran() const { return immediate + self + local + remote; }
};
using CounterSums = CounterTable<uint64_t>;

struct Counters : CounterTable<Count> {
  void count_at_once(AtOnce why) {
    ++immediate;
    switch (why) {
#define XOMP_AT_ONCE(reason, counter, words)                                                       \
  case AtOnce::reason:                                                                             \
    ++(counter);                                                                                   \
    break;
#include "trace/at_once.def"
    case AtOnce::kNot:
      break;
    }
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

/// A part in thousandths, rounded. Numbers without a fraction are printed on a smaller stack.
inline uint64_t thousandths(uint64_t part, uint64_t whole) {
  return (1000 * part + whole / 2) / whole;
}

/// Writes the numbers of every worker, and their sums, to stderr; and whether the tasks that were
/// created were also run.
void print_counters(bool zeros);

/// The sums over all workers so far. False: there were none, the process never used OpenMP.
bool sum_counters(CounterSums& sum);

/// In the child after fork: nothing is counted yet, and nobody enlisted.
void reset_counters_after_fork();

} // namespace xomp
