// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expands OMP_AFFINITY_FORMAT and the formats of omp_capture_affinity, OpenMP 5.2 section 21.2.5
// and table 21.2.
#pragma once
#include <cstddef>
#include <cstdint>

namespace xomp {

/// What the fields show; the caller fills it for one thread. Host and process are found here.
struct AffinityFacts {
  int team_num = 0;              ///< %t {team_num}
  int num_teams = 1;             ///< %T {num_teams}
  int nesting_level = 0;         ///< %L {nesting_level}
  int thread_num = 0;            ///< %n {thread_num}
  int num_threads = 1;           ///< %N {num_threads}
  int ancestor_thread_num = -1;  ///< %a {ancestor_tnum}
  uint64_t native_thread_id = 0; ///< %i {native_thread_id}: pthread_self, or, if not 0,
  int kernel_thread_id = 0;      ///< the kernel's
  int place = -1; ///< %A {thread_affinity}: a place, or -1 for the process's processors
};

/// Expands `format`. Writes at most `size` bytes with a terminator (nothing when size is 0) and
/// returns the length of the whole text without it, as omp_capture_affinity does. An unknown field
/// type shows as "undefined".
std::size_t format_affinity(char* buffer, std::size_t size, const char* format,
                            const AffinityFacts& facts);

/// Whether every field of `format` is well formed: a width after "0." and ".", of at most 65535,
/// braces closed.
bool valid_affinity_format(const char* format);

} // namespace xomp
