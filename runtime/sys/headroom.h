// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Address space held back while threads are started, so that their stacks leave room for what they
// will allocate. Does nothing unless the process has a limit on its address space (RLIMIT_AS).
#pragma once
#include <cstddef>

namespace xomp::sys {

/// Whether the process has a limit on its address space.
bool addresses_are_limited();

class Headroom {
public:
  Headroom() = default;
  ~Headroom();
  Headroom(const Headroom&) = delete;

  /// Holds `bytes` more. False when that would leave hardly anything for now.
  bool grow(std::size_t bytes);

private:
  bool resize(std::size_t bytes);

  bool asked = false, limited = false;
  void* start = nullptr;
  std::size_t held = 0;
};

} // namespace xomp::sys
