// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain words that one thread may change while others read them, where any value of late will do
// and nothing else is learnt from it: statistics, and settings that a routine changes.
#pragma once

namespace xomp::sys {

template <class T> T load_relaxed(const T& word) {
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}
template <class T> void store_relaxed(T& word, T value) {
  __atomic_store_n(&word, value, __ATOMIC_RELAXED);
}

} // namespace xomp::sys
