// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the threads of a team are bound to places: the values of omp_proc_bind_t.
#pragma once
#include <cstdint>

namespace xomp {

enum BindPolicy : uint8_t {
  kBindFalse = 0,
  kBindTrue = 1,
  kBindPrimary = 2,
  kBindClose = 3,
  kBindSpread = 4,
};

} // namespace xomp
