// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What libomptarget, which programs for devices load beside this library, asks the host's runtime,
// and what only it can tell: which devices there are.
#include <dlfcn.h>

#include <cstdint>

#include "abi/export.h"
#include "conf/settings.h"
#include "target/host.h"
#include "team/thread.h"

using namespace xomp;

namespace {

/// The answer of libomptarget's routine, where that library is in the process.
int ask(const char* routine) {
  auto* theirs = reinterpret_cast<int (*)()>(dlvsym(RTLD_DEFAULT, routine, "VERS1.0"));
  return theirs ? theirs() : kHostDevice;
}

} // namespace

/// The routine of binaries that ask for it under VERSION.
#define XOMP_ASKED(name)                                                                           \
  XOMP_EXPORT int llvm_##name() { return ask(#name); }                                             \
  __asm__(".symver llvm_" #name "," #name "@VERSION,remove\n"                                      \
          ".symver llvm_" #name "," #name "_@VERSION,remove")
XOMP_ASKED(omp_get_num_devices);
XOMP_ASKED(omp_get_initial_device);
XOMP_ASKED(omp_get_device_num);

/// 0 disabled, 1 default, 2 mandatory.
XOMP_EXPORT int32_t __kmpc_get_target_offload() {
  switch (completed_settings().target_offload) {
  case TargetOffload::kDisabled:
    return 0;
  case TargetOffload::kMandatory:
    return 2;
  default:
    return 1;
  }
}
XOMP_EXPORT int32_t __kmpc_pause_resource(int32_t) { return pause_host(me()) ? 0 : -1; }

// Whether a target task may leave its thread while its device works, and where it keeps what it
// waits for: here it stays, and waits.
XOMP_EXPORT int32_t __kmpc_omp_has_task_team(int32_t) { return 0; }
XOMP_EXPORT void** __kmpc_omp_get_target_async_handle_ptr(int32_t) { return nullptr; }
