// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The window: which tasks are worth offering to other workers, by the height of the creator's
// stack.
//
// Tasks that recursive programs create near the bottom of the recursion are too small to be handed
// over, those near its root are large; tasks of one loop are all created at one height. So each
// worker has a height below which the tasks that it creates are run at once. It is learnt:
//
//   raised    by whoever runs an offered task that turns out too small for what offering cost
//             (`too_small`): above the height at which that task was created;
//   lowered   by idle workers, the more the longer they find nothing (`Appetite`), and to 0 before
//             they sleep, so that the next task wakes them, whatever it is;
//   forgotten once in a while, because a program may come to larger tasks at the same height.
//
// Any task may be run at once, so nothing but speed depends on a window: accesses are relaxed, and
// a lost update does little harm. One thing has to hold: no window is above 0 while a worker of the
// team sleeps, because it would not be woken by the tasks that are run at once, and nobody else may
// come to ask for them. So windows are raised only while nobody sleeps (`TaskTeam::asleep`), and
// who is about to sleep lowers all of them.
#pragma once
#include "sched/policy.h"
#include "sys/ticks.h"

namespace xomp {

/// Height of a stack pointer of the port's worker: bytes above the lowest stack on which tasks are
/// run at once. Below that it wraps around, to more than any window.
inline uintptr_t height(const Port& port, uintptr_t stack) { return stack - port.stack_limit; }

/// Whether a task created at this stack pointer by the port's worker is not worth offering.
inline bool beneath_window(const Port& port, uintptr_t stack) {
  return height(port, stack) < port.window.load(std::memory_order_relaxed);
}

inline void set_window(Port& port, uintptr_t window) {
  port.window.store(window, std::memory_order_relaxed);
  if (!port.always_open)
    port.shortcut.store(window, std::memory_order_relaxed);
}

inline void raise_window(Port& port, uintptr_t height) {
  if (height + 1 > port.window.load(std::memory_order_relaxed) && height < UINTPTR_MAX / 2)
    set_window(port, height + 1);
}

inline void lower_window(Port& port, uintptr_t step) {
  uintptr_t window = port.window.load(std::memory_order_relaxed);
  // Both: somebody may be in the middle of raising them.
  if ((window | port.shortcut.load(std::memory_order_relaxed)) != 0)
    set_window(port, window > step ? window - step : 0);
}

inline void open_window(Port& port) {
  set_window(port, 0);
  port.mean.store(64 * sys::kTicksOfHandOver, std::memory_order_relaxed);
}

/// Whether a task that `creator` offered and that ran for so many ticks was not worth it. Neither
/// were others like it: where most tasks are small and a few are huge, one says little, and their
/// mean decides. A task that another worker took was at least taken off its creator's hands; one
/// that its creator ran itself in the end only cost.
inline bool too_small(Port& creator, int64_t ticks, bool taken) {
  int64_t limit = taken ? sys::kTicksOfHandOver : sys::kTicksOfHandOver * 4;
  int64_t mean = creator.mean.load(std::memory_order_relaxed);
  mean += (ticks - mean) / 16;
  creator.mean.store(mean, std::memory_order_relaxed);
  return ticks < limit && mean < limit;
}

/// How eagerly an idle worker asks for smaller tasks. Kept between its waits.
struct Appetite {
  static constexpr uint32_t kFirst = 16, kLongest = 512; ///< fruitless looks
  static constexpr uintptr_t kStep = 256;                ///< bytes of stack
  uint32_t patience = kFirst;
  uint32_t looks = 0;
  uint32_t asked = 0; ///< since it last had a task that was worth it
  int peer = 0;

  /// After a fruitless look: now and then asks one other worker of the team.
  void grows(const Port& own) {
    if (++looks < patience)
      return;
    looks = 0;
    if (patience < kLongest)
      patience *= 2;
    ask_next(own, kStep << (asked < 12 ? asked : 12));
    ++asked;
  }
  /// After a task that was worth it.
  void satisfied() {
    patience = kFirst;
    looks = asked = 0;
  }
  /// Before it sleeps.
  void ask_all(const Port& own) {
    for (int i = 0; i < own.count; ++i)
      ask_next(own, UINTPTR_MAX);
  }
  void ask_next(const Port& own, uintptr_t step) {
    peer = peer + 1 < own.count ? peer + 1 : 0;
    if (peer != own.id)
      lower_window(*own.peers[peer], step);
  }
};

} // namespace xomp
