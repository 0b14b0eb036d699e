// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The internal control variables (ICVs) that belong to one data environment: OpenMP 5.2, table 2.1,
// the rows whose scope is "data environment". A task shares its parent's block until it changes one
// (copy on write); the task layer counts the references.
#pragma once
#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>

#include "conf/allocator_numbers.h"
#include "place/bind_policy.h"

namespace xomp {

/// omp_sched_t as libgomp numbers it; kMonotonic is a flag on top.
enum ScheduleKind : uint32_t {
  kScheduleStatic = 1,
  kScheduleDynamic = 2,
  kScheduleGuided = 3,
  kScheduleAuto = 4,
  kMonotonic = 0x80000000u,
  /// The dynamic schedule that nobody has asked for, or the monotonic modifier that OMP_SCHEDULE
  /// has left out: other runtimes have another default for the one, and do not tell the other.
  kUnsaid = 0x40000000u,
  kScheduleModifiers = kMonotonic | kUnsaid,
};

/// Nesting that the runtime supports: omp_get_supported_active_levels.
inline constexpr int kSupportedActiveLevels = 255;

/// thread-limit-var that limits nothing.
inline constexpr int kNoThreadLimit = INT_MAX;

/// omp_invalid_device, as a value of default-device-var.
inline constexpr int kInvalidDevice = -4;

/// More threads than any team can have: Linux numbers fewer (PID_MAX_LIMIT).
inline constexpr int kMostThreads = 1 << 22;
/// nthreads-var has a value that a team may have, whatever is asked for.
constexpr int supported_threads(int64_t asked) {
  return static_cast<int>(std::clamp<int64_t>(asked, 1, kMostThreads));
}

/// run-sched-var that nobody has given a value.
inline constexpr uint32_t kDefaultSchedule = kScheduleDynamic | kUnsaid;

struct IcvValues {
  int num_threads = 1;               ///< nthreads-var, first element
  int thread_limit = kNoThreadLimit; ///< thread-limit-var
  /// run-sched-var: a ScheduleKind, with or without kMonotonic and kUnsaid.
  uint32_t schedule_kind = kDefaultSchedule;
  int schedule_chunk = 1;        ///< 0 under static: no chunk given
  int default_device = 0;        ///< default-device-var
  uint8_t dynamic = 0;           ///< dyn-var
  uint8_t max_active_levels = 1; ///< max-active-levels-var, at most kSupportedActiveLevels
  uint8_t bind = kBindFalse;     ///< bind-var, first element: a BindPolicy
  /// def-allocator-var of an initial task; regions hand theirs on apart (`Start` in team/team.h).
  AllocatorHandle default_allocator = kDefaultMemAlloc;
};

struct Icv : IcvValues {
  std::atomic<int> refs{0}; ///< tasks that share this block; kept by the task layer

  constexpr Icv() = default;
  /// Copies the variables; the copy starts with no reference.
  constexpr Icv(const Icv& other) : IcvValues(other) {}
  constexpr Icv& operator=(const Icv& other) {
    IcvValues::operator=(other);
    return *this;
  }
};

} // namespace xomp
