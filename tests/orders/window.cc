// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The creator's copy of its window (sched/window.h) under the C++ memory model: when everything has
// come to rest, the copy is gone or is the window, and the creator has seen whoever is hungry or
// will at its next creation.
#include "checked_std.h"

#include "sched/window.h"

namespace {

/// A creator, a worker that becomes hungry, and two that change the creator's window.
struct Window : rl::test_suite<Window, 4> {
  static constexpr uintptr_t kFirst = 256;
  xomp::Port* port = nullptr;
  xomp::Port* peers[1] = {};
  std::atomic<int> hungry{0};
  bool seen_hungry = false;

  void before() {
    port = xomp::sys::create<xomp::Port>();
    port->window.store(kFirst, std::memory_order_relaxed);
    port->peers = peers;
    peers[0] = port;
  }
  void after() {
    uintptr_t copy = port->shortcut.newest();
    RL_ASSERT(copy == 0 || seen_hungry);
    RL_ASSERT(copy == 0 || copy == port->window.newest());
    xomp::sys::destroy(port);
  }
  void create() {
    if (port->shortcut.load(std::memory_order_relaxed) != 0)
      return; // run at once, with rations for long
    if (xomp::follow(*port))
      seen_hungry = hungry.load(std::memory_order_relaxed) > 0;
  }
  void thread(unsigned index) {
    switch (index) {
    case 0:
      for (int n = 0; n < 4; ++n)
        create();
      return;
    case 1:
      hungry.fetch_add(1, std::memory_order_relaxed);
      xomp::cut_rations(*port);
      return;
    case 2:
      xomp::set_window(*port, 2 * kFirst);
      return;
    default:
      xomp::lower_window(*port, kFirst);
    }
  }
};

} // namespace

int main() {
  constexpr int kRuns = 50000;
  bool good = verified<Window>("window", kRuns);
  good &= refuted<Window>("window without fences", kRuns, {.fence = true});
  return good ? 0 : 1;
}
