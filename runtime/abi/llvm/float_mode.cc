// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/llvm/float_mode.h"

#include "conf/settings.h"

namespace xomp::llvm {

void hand_on_float_mode() {
  if (usual_float_mode.load(std::memory_order_relaxed) == kNoRegionYet)
    return usual_float_mode.store(sys::float_mode_key(), std::memory_order_relaxed);
  if (!completed_settings().inherits_float_mode)
    return;
  usual_float_mode.store(kSeveralModes, std::memory_order_relaxed);
  announced.demands.float_mode = sys::float_mode();
  announced.demands.hands_on = true;
}

} // namespace xomp::llvm
