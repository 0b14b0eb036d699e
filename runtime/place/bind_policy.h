// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the threads of a team are bound to places: the values of omp_proc_bind_t, and one more.
#pragma once
#include <cstdint>

namespace xomp {

enum BindPolicy : uint8_t {
  kBindFalse = 0,
  kBindTrue = 1,
  kBindPrimary = 2,
  kBindClose = 3,
  kBindSpread = 4,
  /// As KMP_AFFINITY says: place after place, with `balanced` in blocks. libomp has this number.
  kBindKmp = 5,
};

} // namespace xomp
