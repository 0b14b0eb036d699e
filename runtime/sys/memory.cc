// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sys/memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "sys/report.h"

namespace xomp::sys {

// Of the address and leak sanitizers (sanitizer/lsan_interface.h), where one is in the process:
// leak checkers look at no reservation that they are not told of.
[[gnu::weak]] void register_root_region(const void* memory,
                                        std::size_t bytes) asm("__lsan_register_root_region");
[[gnu::weak]] void unregister_root_region(const void* memory,
                                          std::size_t bytes) asm("__lsan_unregister_root_region");

void* try_allocate(std::size_t bytes, std::size_t align) {
  if (bytes == 0)
    bytes = 1;
  if (align <= alignof(std::max_align_t))
    return std::malloc(bytes);
  void* memory = nullptr;
  return posix_memalign(&memory, align, bytes) == 0 ? memory : nullptr;
}

void* allocate(std::size_t bytes, std::size_t align) {
  void* memory = try_allocate(bytes, align);
  if (!memory)
    fatal("out of memory: could not allocate %zu bytes", bytes);
  return memory;
}

void* allocate_zeroed(std::size_t bytes, std::size_t align) {
  if (align <= alignof(std::max_align_t)) {
    void* memory = std::calloc(1, bytes ? bytes : 1);
    if (!memory)
      fatal("out of memory: could not allocate %zu bytes", bytes);
    return memory;
  }
  return std::memset(allocate(bytes, align), 0, bytes);
}

void release(void* memory) { std::free(memory); }

void* reserve(std::size_t bytes, std::size_t count) {
  void* memory = mmap(nullptr, count * bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  // Of most reservations a few pages are used; a large page would be touched as a whole.
  madvise(memory, count * bytes, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; register_root_region && i < count; ++i)
    register_root_region(static_cast<char*>(memory) + i * bytes, bytes);
  return memory;
}

void unreserve(void* memory, std::size_t bytes) {
  if (unregister_root_region)
    unregister_root_region(memory, bytes);
  munmap(memory, bytes);
}

void discard_pages(void* memory, std::size_t bytes) { madvise(memory, bytes, MADV_DONTNEED); }

} // namespace xomp::sys
