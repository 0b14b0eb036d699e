// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device constructs and device memory without a device: the host is the only device, its number is
// 0, and what a target region maps is already there. OpenMP 5.2 sections 1.2.3, 13.8 and 18.8.
#pragma once
#include <cstddef>
#include <cstdint>

#include "task/depend_list.h"
#include "team/team.h"

namespace xomp {

inline constexpr int kHostDevice = 0;     ///< omp_get_initial_device: the number of devices
inline constexpr int kInitialDevice = -1; ///< omp_initial_device

/// What the device argument of GOMP_target* holds besides device numbers.
enum DeviceCode : int {
  kDeviceOfIcv = -1,  ///< no device clause
  kDeviceIsHost = -2, ///< if(false), or device(omp_initial_device)
};

/// Whether a routine's device number means the host.
inline bool is_host_device(int device) { return device == kHostDevice || device == kInitialDevice; }

/// Ends the process where OMP_TARGET_OFFLOAD=mandatory forbids the host, or the device is invalid.
void check_target_device(Member& member, int device);

/// For a device memory routine: whether `device` is the host. Ends the process where it is a device
/// that does not exist and OMP_TARGET_OFFLOAD=mandatory.
bool has_device(int device);

struct TargetRegion {
  void (*body)(void*);
  std::size_t count;           ///< mapped variables
  void** addresses;            ///< of the variables: the argument of the body
  const std::size_t* sizes;    ///< may be null, as kinds, when nothing is firstprivate
  const unsigned short* kinds; ///< map kind in the low byte, log2 of the alignment above
  void** arguments;            ///< encoded num_teams and thread_limit, ended by null; may be null
};

/// target: waits for `depend`, then runs the region as a new initial thread would.
void target(Member& member, const TargetRegion& region, const DependList& depend,
            const void* codeptr);
/// target nowait: a task of its own, with everything that the caller's stack holds copied.
void target_nowait(Member& member, const TargetRegion& region, const DependList& depend,
                   const void* codeptr);
/// target update, enter data, exit data: nothing to move, but their dependences hold.
void target_data_motion(Member& member, bool nowait, const DependList& depend, const void* codeptr);

/// Teams of a league: `said` by the program, else by OMP_NUM_TEAMS, else as many as on the
/// compiler's own runtime.
unsigned league_size(unsigned said, unsigned usual);
/// teams on the host: the league's teams run one after the other.
void teams(Member& member, void (*body)(void*), void* data, unsigned teams, unsigned thread_limit,
           const trace::CallSite& site);
/// teams inside target: sets the league up (`first`), then moves to the next team; false after the
/// last.
bool next_target_team(Member& member, unsigned teams, unsigned thread_limit, bool first);
/// GOMP_teams of GCC 11 and older: one team.
void limit_team(Member& member, unsigned thread_limit);

/// omp_target_memcpy_rect between host arrays; 0 or EINVAL.
int copy_rectangle(void* target, const void* source, std::size_t element_size, int dimensions,
                   const std::size_t* volume, const std::size_t* target_offsets,
                   const std::size_t* source_offsets, const std::size_t* target_dimensions,
                   const std::size_t* source_dimensions);

} // namespace xomp
