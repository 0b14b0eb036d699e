// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/hardware.h"

#include <atomic>
#include <cerrno>

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace xomp::trace {
namespace {

constexpr uint64_t kConfigs[kHardwareEvents] = {
    PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CACHE_MISSES};

/// A set of bits. Relaxed: written before anybody is told to look.
std::atomic<uint32_t> available{0};

/// In the program's own code on the calling thread, wherever it runs. A file, or -1.
int open_counter(int event) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = kConfigs[event];
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

} // namespace

int find_hardware() {
  int error = 0;
  uint32_t found = 0;
  for (int event = 0; event < kHardwareEvents; ++event) {
    int file = open_counter(event);
    if (file < 0) {
      error = error ? error : errno;
      continue;
    }
    found |= uint32_t{1} << event;
    close(file);
  }
  available.store(found, std::memory_order_relaxed);
  return found ? 0 : error;
}

bool has_hardware(int event) { return available.load(std::memory_order_relaxed) >> event & 1; }

void HardwareCounters::open() {
  close();
  for (int event = 0; event < kHardwareEvents; ++event) {
    files[event] = has_hardware(event) ? open_counter(event) : -1;
    opened = opened || files[event] >= 0;
  }
}

void HardwareCounters::close() {
  for (int& file : files) {
    if (file >= 0)
      ::close(file);
    file = -1;
  }
  opened = false;
}

bool HardwareCounters::read(int event, uint64_t& value) const {
  return files[event] >= 0 && ::read(files[event], &value, sizeof value) == sizeof value;
}

} // namespace xomp::trace
