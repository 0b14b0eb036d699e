// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/display_summary.h"

#include <cerrno>
#include <cinttypes>
#include <unistd.h>

#include "conf/settings.h"
#include "sys/clock.h"
#include "sys/report.h"
#include "sys/ticks.h"
#include "trace/counters.h"

namespace xomp {
namespace {

int64_t ticks_at_start;
double seconds_at_start;

/// The unit of ticks differs between machines.
double microseconds_per_tick() {
  auto ticks = static_cast<double>(sys::ticks() - ticks_at_start);
  return ticks > 0 ? (sys::seconds() - seconds_at_start) * 1e6 / ticks : 0;
}

void explain_sizes(const CounterSums& sum) {
  if (!sum.measured)
    return;
  double mean = static_cast<double>(sum.measured_ticks) / static_cast<double>(sum.measured);
  auto hundredths = (static_cast<uint64_t>(200 * mean * microseconds_per_tick()) + 1) / 2;
  sys::warn("  tasks whose time was taken: %" PRIu64 ", %" PRIu64 ".%02" PRIu64
            " us on average; longer than 50 us: %" PRIu64,
            sum.measured, hundredths / 100, hundredths % 100, sum.measured_large);
}

/// Nothing is said of reasons that no task had.
void explain_at_once(const CounterSums& sum) {
#define XOMP_AT_ONCE(reason, counter, words)                                                       \
  if (sum.counter)                                                                                 \
    sys::warn("    because of: " words ": %" PRIu64, sum.counter);
#include "trace/at_once.def"
}

void explain_tasks(const CounterSums& sum) {
  uint64_t immediate = thousandths(sum.immediate, sum.created);
  uint64_t deferred = thousandths(sum.deferred, sum.created);
  sys::warn("  tasks created: %" PRIu64 "; left for any thread: %" PRIu64 " (%" PRIu64 ".%" PRIu64
            " %%)",
            sum.created, sum.deferred, deferred / 10, deferred % 10);
  sys::warn("  run at once by their creator: %" PRIu64 " (%" PRIu64 ".%" PRIu64 " %%)",
            sum.immediate, immediate / 10, immediate % 10);
  explain_at_once(sum);
  sys::warn("  run by another thread than their creator: %" PRIu64, sum.local + sum.remote);
  if (sum.taken_together)
    sys::warn("    moved several at a time: %" PRIu64, sum.taken_together);
  explain_sizes(sum);
  if (sum.in_turn)
    sys::warn("    begun in turn, the oldest first: %" PRIu64, sum.in_turn);
}

void explain_regions(const CounterSums& sum) {
  bool flat = settings.yields && settings.barrier == BarrierKind::kTree;
  const char* means = flat              ? "threads yield, flat barrier"
                      : settings.yields ? "threads yield"
                                        : "threads sleep early";
  sys::warn("  parallel regions: %" PRIu64, sum.regions_begun);
  if (sum.regions_crowded)
    sys::warn("    with more threads than processors: %" PRIu64 " (%s)", sum.regions_crowded,
              means);
}

} // namespace

void begin_display_summary() {
  ticks_at_start = sys::ticks();
  seconds_at_start = sys::seconds();
}

void print_display_summary() {
  CounterSums sum;
  if (!sum_counters(sum) || (sum.created == 0 && sum.regions_begun == 0))
    return;
  sys::warn("what became of tasks and regions: %s, process %d, scheduler %s",
            program_invocation_short_name, static_cast<int>(getpid()),
            scheduler_name(settings.scheduler));
  if (sum.created)
    explain_tasks(sum);
  if (sum.regions_begun)
    explain_regions(sum);
}

} // namespace xomp
