// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processor's own counters, by thread (perf_event_open). Many machines have none to offer,
// virtual ones for example, or do not let everybody use them.
#pragma once
#include <cstdint>

namespace xomp::trace {

enum HardwareEvent : int { kCycles, kInstructions, kCacheMisses, kHardwareEvents };
inline constexpr const char* kHardwareNames[kHardwareEvents] = {"cycles", "instructions",
                                                                "llc-misses"};

/// Finds out which of them there are, once. 0 if any, else the errno value of the refusal.
int find_hardware();
/// Whether `find_hardware` has found this one.
bool has_hardware(int event);

/// Those of one thread.
class HardwareCounters {
public:
  /// Begins to count the calling thread.
  void open();
  void close();
  bool are_open() const { return opened; }
  /// The count so far; false: there is none.
  bool read(int event, uint64_t& value) const;

private:
  bool opened = false;
  int files[kHardwareEvents] = {-1, -1, -1};
};

} // namespace xomp::trace
