// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `depend` clauses as GCC hands them over.
#pragma once
#include <cstdint>

#include "task/depend_list.h"

namespace xomp::gnu {

/// omp_depend_t.
struct DependObject {
  enum Kind : uintptr_t { kIn = 1, kOut = 2, kInout = 3, kMutexinoutset = 4, kInoutset = 5 };
  void* address;
  Kind kind;
};

Dependence read_object(const DependObject& object);

/// An array of the interface: 0, how many in all, out, mutexinoutset and in, their addresses, then
/// pointers to depend objects; of GCC 8 and before: how many in all and out, addresses.
class DependArray {
public:
  explicit DependArray(void** array)
      : is_old(array[0]), counts(is_old ? array : array + 1), items(array + (is_old ? 2 : 5)) {}
  std::size_t size() const { return count(0); }
  void read(Dependence* to) const {
    if (size() == 0)
      return; // it ends behind the number
    std::size_t outs = count(1), exclusive = is_old ? outs : outs + count(2),
                plain = is_old ? size() : exclusive + count(3), i = 0;
    for (; i < outs; ++i)
      *to++ = {items[i], Access::kOut};
    for (; i < exclusive; ++i)
      *to++ = {items[i], Access::kMutexinoutset};
    for (; i < plain; ++i)
      *to++ = {items[i], Access::kIn};
    for (; i < size(); ++i)
      *to++ = read_object(*static_cast<const DependObject*>(items[i]));
  }

private:
  std::size_t count(int i) const { return reinterpret_cast<std::size_t>(counts[i]); }

  bool is_old;
  void** counts;
  void** items;
};

/// Calls `act` with the list; an empty one if there is no array.
template <class Act> [[gnu::always_inline]] inline void with_depend_array(void** array, Act act) {
  if (!array)
    return act(DependList());
  DependArray from(array);
  Dependences dependences(from.size());
  from.read(dependences.begin());
  act(dependences.list());
}

} // namespace xomp::gnu
