// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One mapping without access, which counts against the limit but takes no memory.
#include "sys/headroom.h"

#include <sys/mman.h>
#include <sys/resource.h>

namespace xomp::sys {
namespace {

/// What the C library takes from the system at once when its heap cannot grow where it is (1 MiB in
/// glibc), twice: `allocate` must not fail between two calls of `grow`.
constexpr std::size_t kMargin = std::size_t{2} << 20;

} // namespace

bool addresses_are_limited() {
  rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

Headroom::~Headroom() {
  if (start)
    munmap(start, held);
}

bool Headroom::grow(std::size_t bytes) {
  if (!asked) {
    asked = true;
    limited = addresses_are_limited();
  }
  if (!limited)
    return true;
  std::size_t page = 4096; // rounded up to the real one by the system
  std::size_t wanted = (held + bytes + page - 1) & ~(page - 1);
  return resize(wanted + kMargin) && resize(wanted);
}

bool Headroom::resize(std::size_t bytes) {
  void* fresh =
      start ? mremap(start, held, bytes, MREMAP_MAYMOVE)
            : mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (fresh == MAP_FAILED)
    return false;
  start = fresh;
  held = bytes;
  return true;
}

} // namespace xomp::sys
