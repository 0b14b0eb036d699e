// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread tells about its affinity: OMP_DISPLAY_AFFINITY, omp_display_affinity and
// omp_capture_affinity.
#pragma once
#include <cstddef>

#include "team/team.h"

namespace xomp {

/// Expands `format` (null: affinity-format-var) for a member; at most `size` bytes with a
/// terminator. Returns the length of the whole text.
std::size_t capture_affinity(const Member& member, char* buffer, std::size_t size,
                             const char* format);

/// Writes the expanded format as one line to stderr, as libgomp does, or in a process of clang's
/// programs alone to stdout, as libomp does.
void display_affinity(const Member& member, const char* format);
/// The same for OMP_DISPLAY_AFFINITY. What KMP_AFFINITY=verbose asks for is on stderr everywhere.
void display_affinity_in_region(const Member& member);

} // namespace xomp
