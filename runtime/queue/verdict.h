// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of an entry that a search of a queue has come to.
#pragma once
#include <cstdint>

namespace xomp {

enum class Verdict : uint8_t {
  kTake, ///< it is the searcher's now: take it out and end the search with it
  kDrop, ///< it is stale: take it out and go on
  kKeep, ///< it is not for the searcher at this moment: leave it where it is and go on
};

} // namespace xomp
