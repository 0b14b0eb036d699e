// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Doacross loops, ordered(n) with depend(source) and depend(sink): iteration vectors are posted and
// waited for. Progress is kept per member (static), per chunk (dynamic) or per iteration of the
// outermost loop (guided): each of these runs its iterations in order, so the last one posted says
// all.
#pragma once
#include "sys/report.h"
#include "worksharing/workshare.h"

namespace xomp {

/// The program says of how many loops the nest is, and their bounds: of none, or none, ends it.
inline void expect_nest(bool loops, const void* bounds) {
  if (!loops || !bounds) [[unlikely]]
    sys::fatal("a doacross loop without a loop or its bounds");
}

/// For the loop in `share`, whose schedule is set; null when nobody will have to wait.
Doacross* make_doacross(const WorkShare& share, unsigned rank, const uint64_t* counts, int members);
void free_doacross(Doacross* doacross);

/// How many numbers an iteration vector has; 0 when waiting and posting have no effect.
unsigned doacross_rank(const Member& member);
/// depend(source): the iteration is done.
void doacross_post(Member& member, const uint64_t* iteration);
/// depend(sink): waits until the iteration was posted.
void doacross_wait(Member& member, const uint64_t* iteration, const void* codeptr);

} // namespace xomp
