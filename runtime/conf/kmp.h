// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variables of LLVM's and Intel's runtimes. They count in a process that has a program or
// library of those compilers when it first uses OpenMP: elsewhere nobody has read them before, and
// they are what the program's user set for others. They are read as such a runtime would read them,
// at that moment, and fill what OMP_* and GOMP_* have left open.
#pragma once

namespace xomp {

/// Whether the process has such a program or library: a question that their entry points answer.
/// Null where the library has none for them.
using Question = bool (*)();
extern constinit Question kmp_variables_count;
/// Whether nobody asks for another runtime than theirs: what no variable has said is as there.
extern constinit Question kmp_defaults_count;

/// What OMP_* and GOMP_* have not said.
struct KmpGaps {
  bool threads, limit, team_limit, stack, waiting, binding;
};
void apply_kmp(const KmpGaps& open);
/// Behind all that the variables say.
void apply_kmp_defaults();

/// What is given to kmp_set_defaults when all has been read: waiting and the stacks of threads.
void apply_kmp_late();

/// How long a thread waits before it sleeps, in milliseconds: KMP_BLOCKTIME, kmp_set_blocktime. For
/// regions that begin from now on.
void set_blocktime(int milliseconds);
inline constexpr int kForEver = 2147483647;

} // namespace xomp
