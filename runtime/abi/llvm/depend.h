// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `depend` clauses as clang, flang and Intel's compilers hand them over.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "memory/allocated_set.h"
#include "task/depend_list.h"

namespace xomp::llvm {

/// kmp_depend_info.
struct DependInfo {
  void* address;
  std::size_t length;
  uint8_t flags;
};

Dependence read_dependence(const DependInfo& info);

/// omp_depend_t: dependences in memory that the program got from __kmpc_alloc. Another one in front
/// has their number in place of an address.
class DependObject {
public:
  /// Whether it is one: any two words may lie there.
  bool is_one() const { return is_allocated(items - 1); }
  std::size_t size() const { return reinterpret_cast<std::size_t>(items[-1].address); }
  Dependence* read(Dependence* to) const {
    return std::transform(items, items + size(), to, read_dependence);
  }

private:
  const DependInfo* items;
};

} // namespace xomp::llvm
