// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What nearly every entry point of the LLVM and Intel interface begins with: a description of the
// place in the program, and the number of the thread. The number is only handed back to us and is
// never looked at: the runtime knows its thread by itself.
#pragma once
#include <cstdint>

namespace xomp::llvm {

/// ident_t.
struct Ident {
  int32_t reserved_1;
  int32_t flags; ///< IdentFlag
  int32_t reserved_2, reserved_3;
  const char* source; ///< ;file;function;line;column;;
};

enum IdentFlag : int32_t {
  kAtomicReduce = 0x10,    ///< the program has an atomic way to combine a reduction
  kExplicitBarrier = 0x20, ///< a barrier directive, not the end of a construct
};

/// What the calling thread was told for the construct that it comes to next; 0: nothing.
struct Announced {
  unsigned threads = 0, bind = 0;
  unsigned teams = 0, team_threads = 0;
};
inline constinit thread_local Announced announced;

/// A number of the calling thread that no other living thread has, from 0 on.
int32_t thread_number();

} // namespace xomp::llvm
