// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sys/cpu.h"

#include <sched.h>

namespace xomp::sys {

void yield() { sched_yield(); }

} // namespace xomp::sys
