// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parallel regions.
#pragma once
#include "team/team.h"

namespace xomp {

/// A proc_bind clause that leaves bind-var as it is, and so the regions inside to it (OpenMP 5.2,
/// table 2.3).
inline constexpr unsigned kHereOnly = 8;

/// Opens a region of as many members as one gets that asks for `requested` (0: the ICVs say), or
/// fewer if threads cannot be had; the caller is its master and has to run the body itself between
/// `region_start` and `region_end`. `prepare` (may be null) is called on the team before any member
/// starts, for what combined constructs set up. `bind`: proc_bind clause, 0 for none; for the
/// regions inside as well, without kHereOnly.
void region_start(void (*body)(void*), void* argument, unsigned requested, unsigned bind,
                  void (*prepare)(Team&, void*) = nullptr, void* prepare_argument = nullptr);
/// parallel up to GCC 4.8: the program calls the master's body, then `end_parallel`.
void start_parallel(void (*body)(void*), void* argument, unsigned threads,
                    const trace::CallSite& site, void (*prepare)(Team&, void*) = nullptr,
                    void* prepare_argument = nullptr);
/// The end of such a region; of none it is an error.
void end_parallel();
/// Waits for the region's end and closes it; afterwards the caller is what it was before.
void region_end();

/// parallel: start, body on the master, end; and one that listeners are told of, if there are any.
void run_parallel(void (*body)(void*), void* argument, unsigned threads, unsigned bind,
                  void (*prepare)(Team&, void*) = nullptr, void* prepare_argument = nullptr);
void parallel_traced(void (*body)(void*), void* argument, unsigned threads, unsigned bind,
                     const trace::CallSite& site, void (*prepare)(Team&, void*) = nullptr,
                     void* prepare_argument = nullptr);
/// Inline, so that the return address is the program's. `calls`: see trace::CallSite.
[[gnu::always_inline]] inline void parallel(void (*body)(void*), void* argument, unsigned threads,
                                            unsigned bind, const void* calls = nullptr,
                                            void (*prepare)(Team&, void*) = nullptr,
                                            void* prepare_argument = nullptr) {
  // Not whether the thread has a track: one that is new to the runtime has none yet.
  if (trace::listening(~uint32_t{0})) [[unlikely]]
    return parallel_traced(body, argument, threads, bind,
                           {__builtin_return_address(0), __builtin_dwarf_cfa(), calls}, prepare,
                           prepare_argument);
  run_parallel(body, argument, threads, bind, prepare, prepare_argument);
}
/// A `prepare` for an argument of `kCarriedWords` words: each member but the master gets a copy
/// together with its call, and has no line of the master's to wait for.
void carry(Team& team, void* words);

/// In the child after fork, where `member` is all that runs (null: a thread that the runtime does
/// not know): the threads of its parent are not counted any more.
void repair_regions_after_fork(Member* member);

} // namespace xomp
