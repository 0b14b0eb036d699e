// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program says in `depend` clauses, as the entry points hand it to the core.
#pragma once
#include <cstddef>

#include "sys/memory.h"

namespace xomp {

/// The type of a dependence; kOut: inout as well.
enum class Access : unsigned char { kIn, kOut, kInoutset, kMutexinoutset };

/// Whether tasks with these accesses to one address may begin in any order. Those of
/// kMutexinoutset exclude one another besides (task/exclusion.h).
inline bool side_by_side(Access a, Access b) { return a == b && a != Access::kOut; }

struct Dependence {
  void* address; ///< null: omp_all_memory
  Access access;
};

/// Read before the call that it is passed to returns.
class DependList {
public:
  DependList() = default;
  DependList(const Dependence* items, std::size_t count) : items(items), count(count) {}
  bool empty() const { return count == 0; }
  std::size_t size() const { return count; }
  const Dependence* begin() const { return items; }
  const Dependence* end() const { return items + count; }

private:
  const Dependence* items = nullptr;
  std::size_t count = 0;
};

/// Memory in which an entry point writes such a list, from `begin` on: on its own stack, if it is
/// short.
class Dependences {
public:
  explicit Dependences(std::size_t count)
      : items(count <= kHere ? here : static_cast<Dependence*>(sys::allocate(count * kBytes))),
        count(count) {}
  ~Dependences() {
    if (count > kHere)
      sys::release(items);
  }
  Dependences(const Dependences&) = delete;
  Dependences& operator=(const Dependences&) = delete;

  Dependence* begin() { return items; }
  DependList list() const { return {items, count}; }

private:
  static constexpr std::size_t kHere = 32, kBytes = sizeof(Dependence);
  Dependence* items;
  std::size_t count;
  Dependence here[kHere];
};

} // namespace xomp
