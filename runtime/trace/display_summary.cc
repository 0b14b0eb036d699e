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

/// Of 100 percent. Whole numbers, with a point between, are printed on a smaller stack.
uint64_t tenths(uint64_t part, uint64_t whole) { return (1000 * part + whole / 2) / whole; }

/// The unit of ticks differs between machines.
double microseconds_per_tick() {
  auto ticks = static_cast<double>(sys::ticks() - ticks_at_start);
  return ticks > 0 ? (sys::seconds() - seconds_at_start) * 1e6 / ticks : 0;
}

void explain_sizes(const Counters& sum) {
  if (!sum.measured)
    return;
  double mean = static_cast<double>(sum.measured_ticks) / static_cast<double>(sum.measured);
  auto hundredths = (static_cast<uint64_t>(200 * mean * microseconds_per_tick()) + 1) / 2;
  sys::warn("  tasks whose time was taken: %" PRIu64 ", %" PRIu64 ".%02" PRIu64
            " us on average; large: %" PRIu64,
            sum.measured, hundredths / 100, hundredths % 100, sum.measured_large);
}

void explain_tasks(const Counters& sum) {
  uint64_t immediate = tenths(sum.immediate, sum.created);
  uint64_t deferred = tenths(sum.deferred, sum.created);
  sys::warn("  tasks created: %" PRIu64 "; run at once: %" PRIu64 " (%" PRIu64 ".%" PRIu64
            "%%); deferred: %" PRIu64 " (%" PRIu64 ".%" PRIu64 "%%)",
            sum.created, sum.immediate, immediate / 10, immediate % 10, sum.deferred, deferred / 10,
            deferred % 10);
  explain_sizes(sum);
  sys::warn("  run at once because as many waited as may: %" PRIu64
            "; because the program says so: %" PRIu64 "; outside of all regions: %" PRIu64
            "; with large arguments: %" PRIu64,
            sum.at_once_full, sum.at_once_said, sum.at_once_outside, sum.at_once_bytes);
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

void begin_display_summary() {
  ticks_at_start = sys::ticks();
  seconds_at_start = sys::seconds();
}

void print_display_summary() {
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
