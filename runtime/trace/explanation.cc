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

void explain_window(const Counters& sum) {
  if (!settings.window)
    return sys::warn("  window: off, every task for which there was room was offered");
  if (sum.measured) {
    double mean = static_cast<double>(sum.measured_ticks) / static_cast<double>(sum.measured);
    sys::warn("  offered tasks took %.2f us on average: of %" PRIu64 " measured %" PRIu64
              " too small, %" PRIu64 " large",
              mean * microseconds_per_tick(), sum.measured, sum.measured_small, sum.measured_large);
  }
  if (sum.window)
    sys::warn("  window: small bodies run at once below height %" PRIu64 " bytes of stack",
              sum.window);
  else
    sys::warn("  window: no body was found small");
  if (settings.hunger)
    sys::warn("  small, but handed to a hungry worker (deadline %d us): %" PRIu64, settings.hunger,
              sum.fed);
}

void explain_tasks(const Counters& sum) {
  sys::warn("  tasks created: %" PRIu64 "; run at once: %" PRIu64 " (%.1f%%); offered: %" PRIu64
            " (%.1f%%)",
            sum.created, sum.immediate, percent(sum.immediate, sum.created), sum.deferred,
            percent(sum.deferred, sum.created));
  explain_window(sum);
  sys::warn("  creators throttled (no room in a queue): %" PRIu64 " times", sum.throttled);
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
  sys::warn("  loops whose chunks were stolen: %" PRIu64 " (%" PRIu64 " thefts)",
            sum.loops_stolen_from, sum.loop_thefts);
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
