// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a tool may call (OpenMP 5.2, section 19.6.1).
#pragma once
#include "omp-tools.h"

namespace xomp::trace {

/// The tool's way to all others, by name; null: there is none of that name.
ompt_interface_fn_t look_up_entry(const char* name);

} // namespace xomp::trace
