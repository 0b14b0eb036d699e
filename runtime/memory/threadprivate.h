// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of threadprivate variables (OpenMP 5.2, section 5.2) of programs that do not use the
// system's thread-local storage for them. The process's first thread uses the variable itself; each
// other one gets a copy when it first asks, which ends with the thread.
#pragma once
#include <cstddef>

namespace xomp {

/// How copies of a variable begin and end: a function each, of those that it needs.
struct ThreadprivateType {
  std::size_t elements; ///< of an array, whose functions take their number; 0: they do not
  union {
    void* (*one)(void*);
    void* (*array)(void*, std::size_t);
  } construct;
  /// Its second argument: the variable. Where there is neither, a copy has the bytes that the
  /// variable had when a thread first asked.
  union {
    void* (*one)(void*, void*);
    void* (*array)(void*, void*, std::size_t);
  } copy;
  union {
    void (*one)(void*);
    void (*array)(void*, std::size_t);
  } destroy;
};

/// Of all copies that are made of it from now on.
void set_threadprivate_type(const void* variable, const ThreadprivateType& type);
/// The calling thread's copy of the variable, which has `size` bytes.
void* threadprivate_copy(void* variable, std::size_t size);
/// In the child after fork.
void repair_threadprivate_after_fork();

} // namespace xomp
