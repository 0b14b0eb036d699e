// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device constructs: GOMP_target*, GOMP_teams*, GOMP_interop and the registration of offload
// images.
#include <cstddef>
#include <cstdint>

#include "abi/export.h"
#include "abi/gnu/depend.h"
#include "abi/omp/versions.h"
#include "target/host.h"
#include "team/ancestors.h"
#include "team/team.h"

using xomp::check_target_device;
using xomp::DependList;
using xomp::me;
using xomp::gnu::with_depend_array;

namespace {

enum TargetFlag : unsigned { kTargetNowait = 1 }; // GOMP_TARGET_FLAG_NOWAIT

void data_motion(int device, unsigned flags, void** depend, const void* codeptr) {
  check_target_device(me(), device);
  with_depend_array(depend, [&](const DependList& list) {
    xomp::target_data_motion(me(), flags & kTargetNowait, list, codeptr);
  });
}

} // namespace

// target. GCC 4.9 has no kinds wide enough for firstprivate: it maps everything.

XOMP_EXPORT void GOMP_target(int device, void (*body)(void*), const void*, std::size_t count,
                             void** addresses, std::size_t*, unsigned char*) {
  check_target_device(me(), device);
  xomp::target(me(), {body, count, addresses, nullptr, nullptr, nullptr}, {},
               __builtin_return_address(0));
}

XOMP_EXPORT void GOMP_target_ext(int device, void (*body)(void*), std::size_t count,
                                 void** addresses, std::size_t* sizes, unsigned short* kinds,
                                 unsigned flags, void** depend, void** arguments) {
  check_target_device(me(), device);
  xomp::TargetRegion region{body, count, addresses, sizes, kinds, arguments};
  const void* codeptr = __builtin_return_address(0);
  with_depend_array(depend, [&](const DependList& list) {
    if (flags & kTargetNowait)
      xomp::target_nowait(me(), region, list, codeptr);
    else
      xomp::target(me(), region, list, codeptr);
  });
}

// Data environments: the host's own.

XOMP_EXPORT void GOMP_target_data(int device, const void*, std::size_t, void**, std::size_t*,
                                  unsigned char*) {
  check_target_device(me(), device);
}
XOMP_EXPORT void GOMP_target_data_ext(int device, std::size_t, void**, std::size_t*,
                                      unsigned short*) {
  check_target_device(me(), device);
}
XOMP_EXPORT void GOMP_target_end_data() {}

XOMP_EXPORT void GOMP_target_update(int device, const void*, std::size_t, void**, std::size_t*,
                                    unsigned char*) {
  check_target_device(me(), device);
}
XOMP_EXPORT void GOMP_target_update_ext(int device, std::size_t, void**, std::size_t*,
                                        unsigned short*, unsigned flags, void** depend) {
  data_motion(device, flags, depend, __builtin_return_address(0));
}
XOMP_EXPORT void GOMP_target_enter_exit_data(int device, std::size_t, void**, std::size_t*,
                                             unsigned short*, unsigned flags, void** depend) {
  data_motion(device, flags, depend, __builtin_return_address(0));
}

XOMP_EXPORT void* GOMP_target_map_indirect_ptr(void* function) { return function; }

// teams.

XOMP_EXPORT void GOMP_teams(unsigned, unsigned thread_limit) {
  xomp::limit_team(me(), thread_limit);
}
XOMP_EXPORT bool GOMP_teams4(unsigned teams_low, unsigned, unsigned thread_limit, bool first) {
  return xomp::next_target_team(me(), teams_low, thread_limit, first);
}
XOMP_EXPORT void GOMP_teams_reg(void (*body)(void*), void* data, unsigned teams,
                                unsigned thread_limit, unsigned) {
  xomp::teams(me(), body, data, xomp::league_size(teams, 3), thread_limit,
              {__builtin_return_address(0), __builtin_dwarf_cfa()});
}

/// Number of teams in the low half, number of this team in the high one: a GCC _Complex int.
XOMP_EXPORT __complex__ int GOMP_distribute_static_worksharing() {
  __complex__ int league;
  __real__ league = xomp::league_of(me()).team_total;
  __imag__ league = xomp::league_of(me()).team_number;
  return league;
}

// interop: objects for the host are empty ones.

XOMP_EXPORT void GOMP_interop(int device, int init_count, void*** init, const int*, const char**,
                              int, void**, int destroy_count, void*** destroy, unsigned flags,
                              void** depend) {
  data_motion(device, flags, depend, __builtin_return_address(0));
  for (int i = 0; i < init_count; i++)
    *init[i] = nullptr;
  for (int i = 0; i < destroy_count; i++)
    *destroy[i] = nullptr;
}

// Images for devices that are not there.

XOMP_EXPORT void GOMP_offload_register(const void*, int, const void*) {}
XOMP_EXPORT void GOMP_offload_unregister(const void*, int, const void*) {}
XOMP_EXPORT void GOMP_offload_register_ver(unsigned, const void*, int, const void*) {}
XOMP_EXPORT void GOMP_offload_unregister_ver(unsigned, const void*, int, const void*) {}

XOMP_ALSO_VERSION(GOMP_4.0, GOMP_target, GOMP_target_data, GOMP_target_end_data, GOMP_target_update,
                  GOMP_teams);
XOMP_ALSO_VERSION(GOMP_5.0, GOMP_teams_reg);
