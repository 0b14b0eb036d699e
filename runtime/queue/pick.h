// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What somebody who searches a queue does with an entry.
#pragma once
#include <cstdint>

namespace xomp {

enum class Pick : uint8_t {
  kTake,  ///< take it out and end the search with it
  kDrop,  ///< take it out and go on
  kLeave, ///< leave it where it is and go on
};

} // namespace xomp
