// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array that grows, of objects that may be moved as bytes.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "sys/memory.h"

namespace xomp::sys {

template <class T> class Growing {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  Growing() = default;
  ~Growing() { release(items); }
  Growing(const Growing&) = delete;
  Growing& operator=(const Growing&) = delete;

  void add(const T& item) {
    if (count == room)
      grow();
    items[count++] = item;
  }
  /// Keeps its memory.
  void clear() { count = 0; }
  uint32_t size() const { return count; }
  bool empty() const { return count == 0; }
  T& last() { return items[count - 1]; }
  T* begin() { return items; }
  T* end() { return items + count; }

private:
  void grow() {
    uint32_t larger = room ? room * 2 : 4;
    auto* memory = static_cast<T*>(allocate(larger * sizeof(T)));
    if (count)
      std::memcpy(memory, items, count * sizeof(T));
    release(items);
    items = memory;
    room = larger;
  }

  T* items = nullptr;
  uint32_t count = 0, room = 0;
};

} // namespace xomp::sys
