// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory from the C library with one answer to exhaustion: a clear message and the end of the
// process.
#pragma once
#include <cstddef>
#include <new>
#include <utility>

namespace xomp::sys {

/// The next multiple of `unit`.
constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Uninitialised memory of `bytes` bytes; never null. Release with `release`.
void* allocate(std::size_t bytes, std::size_t align = alignof(std::max_align_t));
/// As `allocate`; null if there is none.
void* try_allocate(std::size_t bytes, std::size_t align);
/// As `allocate`, filled with zeros.
void* allocate_zeroed(std::size_t bytes, std::size_t align = alignof(std::max_align_t));
void release(void* memory);

/// Zeroed memory that costs nothing until it is touched, in whole pages; null if there are no
/// addresses for it. `count`: so many pieces in a row, of whole pages each, to be given back one by
/// one.
void* reserve(std::size_t bytes, std::size_t count = 1);
void unreserve(void* memory, std::size_t bytes);
/// What lies there, in a reservation, is zero again, and its memory the system's.
void discard_pages(void* memory, std::size_t bytes);

/// Constructs a T in memory of its own; pair with `destroy`.
template <class T, class... Args> T* create(Args&&... args) {
  return ::new (allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
}
template <class T> void destroy(T* object) {
  if (!object)
    return;
  object->~T();
  release(object);
}

} // namespace xomp::sys
