// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region's threads compute with floating-point numbers as its creator does, as on libomp, unless
// KMP_INHERIT_FP_CONTROL says no.
#pragma once
#include <atomic>
#include <cstdint>

#include "abi/llvm/ident.h"
#include "sys/float_mode.h"

namespace xomp::llvm {

/// Modes are told apart by sys::float_mode_key; no key has the two highest bits.
constexpr uint32_t kNoRegionYet = 1U << 31, kSeveralModes = 3U << 30;

/// The first region's creator's. Threads start with the mode of the thread that starts them, so all
/// have this one until a creator with another comes. Relaxed, everywhere: each creator compares its
/// own mode, and takes what it hands on from itself.
inline constinit std::atomic<uint32_t> usual_float_mode{kNoRegionYet};

[[gnu::cold]] void hand_on_float_mode();

/// Before a region: demands of it that its threads take over the calling thread's mode, if they may
/// have another.
[[gnu::always_inline]] inline void look_at_float_mode() {
  if (sys::float_mode_key() != usual_float_mode.load(std::memory_order_relaxed)) [[unlikely]]
    hand_on_float_mode();
}

/// Behind it: as libomp does, what its body has changed on the creator is taken back.
inline void restore_float_mode(const Demands& demands) {
  if (demands.hands_on)
    sys::set_float_mode(demands.float_mode);
}

} // namespace xomp::llvm
