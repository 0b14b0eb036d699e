// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For the fastest paths: an object that the compiler takes for another one from here on. It makes
// the addresses of its members anew, which costs nothing, instead of keeping each in a register of
// its own, which the function then has to save.
#pragma once

namespace xomp::sys {

template <class T> [[gnu::always_inline]] inline T& recomputed(T& object) {
  T* address = &object;
  __asm__("" : "+r"(address));
  return *address;
}

} // namespace xomp::sys
