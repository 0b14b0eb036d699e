// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops with ordered(n) and depend(source) or depend(sink). The program describes the loop nest
// before it comes to the loop, and only there says how it is scheduled: what it said waits until
// then.
#pragma once
#include <cstdint>

#include "abi/llvm/schedule.h"

namespace xomp::llvm {

struct Nest; // doacross.cc
/// The loop nest that the calling thread is in, or comes to next.
inline constinit thread_local Nest* nest = nullptr;

/// The core's name of a schedule, for a loop of `trips` iterations. Ends the process where it is
/// none.
Schedule core_schedule(const NamedSchedule& schedule, int64_t chunk, uint64_t trips);

/// A loop that the runtime hands out.
void start_loop_or_doacross(Member& member, LoopSpec spec);
/// A loop of `trips` iterations that the program divides; there is a nest, which may be another's.
void begin_divided_doacross(uint64_t trips, const NamedSchedule& schedule, int64_t chunk);

} // namespace xomp::llvm
