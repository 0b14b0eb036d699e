// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call with a number of arguments that only the running program knows.
#pragma once
#include <cstddef>

namespace xomp::sys {

/// Calls `function` with `first`, `second` and then the `count` pointers from `rest` on, each an
/// argument of its own. More than six.
[[gnu::visibility("hidden")]] void call_many(void (*function)(), void* first, void* second,
                                             void* const* rest,
                                             std::size_t count) asm("xomp_call_many");

} // namespace xomp::sys
