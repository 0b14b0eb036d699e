// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of processors or nodes as the kernel writes them: "0-3,8".
#pragma once
#include <cstdint>

#include "sys/scanner.h"

namespace xomp {

/// Calls `visit(number)` for each number of the list that is below `limit`.
template <class Visit> void for_each_number(const char* list, uint64_t limit, Visit visit) {
  sys::Scanner scan(list);
  do {
    uint64_t first, last;
    if (!scan.take_number(first))
      return;
    last = first;
    if (scan.take('-') && !scan.take_number(last))
      return;
    for (; first <= last && first < limit; ++first)
      visit(static_cast<int>(first));
  } while (scan.take(','));
}

} // namespace xomp
