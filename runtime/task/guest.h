// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thief keeps of a theft while its tasks lie on its own stack: taken by steal.cc, run by
// run_stolen.cc.
#pragma once
#include "task/frame.h"

namespace xomp {

/// A theft, in the arguments of its mark on the thief's stack.
struct Guest : Root {
  Env own_env;
  Worker* victim;    ///< from whose stack; counted in its `guests`
  Worker* creator;   ///< of the tasks
  Slot* end;         ///< of the tasks that were stolen together
  uint32_t done;     ///< children of `parent` among them that were run here; not yet told to it
  uint32_t measured; ///< tasks that were; not yet told to their creator
  int64_t measured_ticks;
};
static_assert(sizeof(Guest) <= Slot::kRoom);

inline Guest& guest_of(Slot& mark) { return *reinterpret_cast<Guest*>(mark.arguments); }

} // namespace xomp
