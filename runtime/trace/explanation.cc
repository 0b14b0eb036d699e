// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/explanation.h"

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

double percent(uint64_t part, uint64_t whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

/// The unit of ticks differs between machines.
double microseconds_per_tick() {
  auto ticks = static_cast<double>(sys::ticks() - ticks_at_start);
  return ticks > 0 ? (sys::seconds() - seconds_at_start) * 1e6 / ticks : 0;
}

void explain_sizes(const Counters& sum) {
  if (!sum.measured)
    return;
  double mean = static_cast<double>(sum.measured_ticks) / static_cast<double>(sum.measured);
  sys::warn("  tasks whose time was taken: %" PRIu64 ", %.2f us on average; large: %" PRIu64,
            sum.measured, mean * microseconds_per_tick(), sum.measured_large);
}

void explain_tasks(const Counters& sum) {
  sys::warn("  tasks created: %" PRIu64 "; run at once: %" PRIu64 " (%.1f%%); deferred: %" PRIu64
            " (%.1f%%)",
            sum.created, sum.immediate, percent(sum.immediate, sum.created), sum.deferred,
            percent(sum.deferred, sum.created));
  explain_sizes(sum);
  sys::warn("  run at once because as many waited as may: %" PRIu64, sum.throttled);
  if (settings.scheduler == SchedulerKind::kAuto) {
    sys::warn("  large tasks begun in turn, the oldest first: %" PRIu64, sum.in_turn);
    sys::warn("  taken by thieves: %" PRIu64 ", of these more than one at a time: %" PRIu64,
              sum.taken, sum.taken_together);
  } else {
    sys::warn("  run by others than their creators: %" PRIu64, sum.local + sum.remote);
  }
}

void explain_regions(const Counters& sum) {
  bool flat = settings.yields && settings.barrier == BarrierKind::kTree;
  const char* means = !sum.regions_crowded ? ""
                      : flat               ? ": threads yield, flat barrier"
                      : settings.yields    ? ": threads yield"
                                           : ": threads sleep early";
  sys::warn("  regions: %" PRIu64 "; crowded (more threads than processors): %" PRIu64 "%s",
            sum.regions_begun, sum.regions_crowded, means);
}

} // namespace

void begin_explanation() {
  ticks_at_start = sys::ticks();
  seconds_at_start = sys::seconds();
}

void explain() {
  Counters sum;
  if (!sum_counters(sum) || (sum.created == 0 && sum.regions_begun == 0))
    return;
  sys::warn("what %s did: %s, process %d", scheduler_name(settings.scheduler),
            program_invocation_short_name, static_cast<int>(getpid()));
  if (sum.created)
    explain_tasks(sum);
  if (sum.regions_begun)
    explain_regions(sum);
}

} // namespace xomp
