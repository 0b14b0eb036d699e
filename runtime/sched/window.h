// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The window: which tasks are worth offering to other workers. What decides are the body (the
// outlined function) and the height of the creator's stack.
//
// Tasks that recursive programs create near the bottom of the recursion are too small to be handed
// over, those near its root are large; tasks of one loop are all created at one height. So each
// worker has a height below which those of its tasks are run at once whose bodies are known to be
// small. A body that was measured a few times only is offered: it may be one that waits for what
// its creator does next, and a task of that kind is small whenever it begins late.
//
//   raised    by whoever runs an offered task that turns out too small for what offering cost
//             (`too_small`): above the height at which that task was created;
//   lowered   by idle workers, the more the longer they find nothing (`Appetite`), because what
//             they need is larger tasks;
//   examined  by the creator after so many tasks that were run at once (`Rations`): when they take
//             longer than offering would, the next ones are offered and measured again; and while
//             somebody is hungry, one of them is offered in any case, however small.
//
// Any task may be run at once, so nothing but speed depends on a window, and a lost update of it
// does little harm. That a hungry worker is fed does not depend on it: the rations run out whatever
// the window says, and who becomes hungry first cuts them short (`cut_rations`).
//
// The fast path of creation reads a copy of the window, `shortcut`, which has three states:
//
//   the window   the creator's fast path runs small tasks. Only the creator goes there (`follow`)
//   0            every creation takes the slow path, where the creator follows and looks up.
//                Anybody goes there, after a change of the window or of what else the creator is to
//                see (`recall`)
//   0 for good   with `always_open`
#pragma once
#include <algorithm>
#include <bit>

#include "conf/settings.h"
#include "sched/policy.h"
#include "sys/ticks.h"

namespace xomp {

/// Height of a stack pointer of the port's worker: bytes above the lowest stack on which tasks are
/// run at once. Below that it wraps around, to more than any window.
inline uintptr_t height(const Port& port, uintptr_t stack) { return stack - port.stack_limit; }

/// Functions begin at multiples of 16.
inline std::atomic<uintptr_t>& small_body_slot(Port& port, uintptr_t body) {
  return port.small_bodies[(body >> 4) % kSmallBodies];
}

/// Whether a task with this body, created at this stack pointer by the port's worker, is not worth
/// offering.
inline bool beneath_window(Port& port, uintptr_t stack, uintptr_t body) {
  return height(port, stack) < port.window.load(std::memory_order_relaxed) &&
         small_body_slot(port, body).load(std::memory_order_relaxed) == body;
}

/// The port's worker looks up at its next creation, and sees what was written before.
inline void recall(Port& port) {
  // With the one in `follow`: either the worker sees that write, or this sees its copy.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (port.shortcut.load(std::memory_order_relaxed) != 0)
    port.shortcut.store(0, std::memory_order_relaxed);
}

inline void set_window(Port& port, uintptr_t window) {
  port.window.store(window, std::memory_order_relaxed);
  recall(port);
}

/// Owner, on the slow path: copies the window for the fast path. True: it had been recalled. What
/// it reads afterwards is at least as new as the copy.
inline bool follow(Port& port) {
  uintptr_t window = port.window.load(std::memory_order_relaxed);
  if (port.shortcut.load(std::memory_order_relaxed) == window) [[likely]]
    return false;
  do {
    window = port.window.load(std::memory_order_relaxed);
    port.shortcut.store(window, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  } while (port.window.load(std::memory_order_relaxed) != window);
  return true;
}

inline void raise_window(Port& port, uintptr_t height, uintptr_t body) {
  if (height >= UINTPTR_MAX / 2)
    return;
  small_body_slot(port, body).store(body, std::memory_order_relaxed);
  if (height + 1 > port.window.load(std::memory_order_relaxed))
    set_window(port, height + 1);
}

inline void lower_window(Port& port, uintptr_t step) {
  uintptr_t window = port.window.load(std::memory_order_relaxed);
  if (window != 0)
    set_window(port, window > step ? window - step : 0);
}

/// Tasks that take longer than this are *large*: they wait their turn, and the order in which they
/// are begun matters more than what it costs to find out.
inline constexpr int64_t kTicksOfLarge = 50 * sys::kTicksOfMicrosecond;

/// How often in a row a body has to be measured, and never be large, before its tasks count as
/// small (at most 255). Few bodies of a program are as hot as that; those that wait for what their
/// creator does next are mostly not, and begin early now and then.
inline constexpr uint8_t kKnown = 32;

/// Notes that a task with this body, offered by the port's worker, took so many ticks; returns
/// whether the body is known well enough. Once known it stays so: its large tasks are those of the
/// recursion's root. Bodies that share a count only come to be known sooner, or later. Relaxed, and
/// perhaps lost: advice.
inline bool know_body(Port& port, uintptr_t body, int64_t ticks) {
  std::atomic<uint8_t>& count = port.body_counts[(body >> 4) % kBodyCounts];
  uint8_t known = count.load(std::memory_order_relaxed);
  if (known >= kKnown) [[likely]]
    return true;
  known = ticks > kTicksOfLarge ? 0 : known + 1;
  count.store(known, std::memory_order_relaxed);
  return known >= kKnown;
}

/// Whether those that the port's worker offered lately are. Relaxed: advice.
inline bool offers_large(const Port& port) {
  return port.mean.load(std::memory_order_relaxed) > kTicksOfLarge;
}

inline void open_window(Port& port) {
  set_window(port, 0);
  for (auto& body : port.small_bodies)
    body.store(0, std::memory_order_relaxed);
  for (auto& count : port.body_counts)
    count.store(0, std::memory_order_relaxed);
  port.mean.store(64 * sys::kTicksOfHandOver, std::memory_order_relaxed);
}

/// What tasks created around one height took, in ticks: a mean over the last `kMemory`, or all if
/// there were fewer. Written by whoever ran one; a lost update does no harm.
class Sizes {
public:
  static constexpr uint32_t kEnough = 64; ///< fewer say little, where sizes differ
  static constexpr uint32_t kMemory = 512;

  struct Mean {
    int32_t ticks;
    uint32_t count;
  };

  Mean add(int64_t ticks) {
    Mean mean = std::bit_cast<Mean>(word.load(std::memory_order_relaxed));
    mean.count = std::min(mean.count + 1, kMemory);
    int64_t capped = std::min<int64_t>(ticks, INT32_MAX);
    mean.ticks += static_cast<int32_t>((capped - mean.ticks) / int64_t{mean.count});
    word.store(std::bit_cast<uint64_t>(mean), std::memory_order_relaxed);
    return mean;
  }
  void forget() { word.store(0, std::memory_order_relaxed); }

private:
  std::atomic<uint64_t> word{0};
};

/// Kept apart for heights that differ: a recursion's frames are some hundred bytes each.
inline constexpr uint32_t kSizeClasses = 64;
struct SizeTable {
  Sizes classes[kSizeClasses];

  Sizes& at(uintptr_t height) { return classes[height / 128 % kSizeClasses]; }
  void forget() {
    for (Sizes& each : classes)
      each.forget();
  }
};

/// Whether a task created at `height` of another worker's stack, which ran for so many ticks, was
/// not worth offering, as most of those created there are not. One that another worker took was at
/// least taken off its creator's hands; one that its creator ran itself in the end only cost.
inline bool too_small(SizeTable& sizes, uintptr_t height, int64_t ticks, bool taken) {
  int64_t limit = taken ? sys::kTicksOfHandOver : sys::kTicksOfHandOver * 4;
  Sizes::Mean mean = sizes.at(height).add(ticks);
  return ticks < limit && mean.ticks < limit && mean.count >= Sizes::kEnough;
}

/// How many tasks a worker may run at once before it looks up. Its own; `left` is counted down on
/// the fast path.
struct Rations {
  /// Where tasks become large all at once, so many of them are run before the creator looks up,
  /// unless somebody becomes hungry meanwhile (`cut_rations`).
  static constexpr int32_t kLeast = 4, kMost = 512;
  static constexpr int32_t kMostBeforeHungry = 16; ///< sleepers cannot ask if the tasks grow
  static constexpr int64_t kEvery = 100 * sys::kTicksOfMicrosecond; ///< aimed at half of it
  static constexpr int64_t kExamineEvery = 10 * kEvery;

  int32_t left = 0;
  int32_t given = 0;
  uint32_t famine = 0;  ///< `TaskTeam::famines` when they were given
  int64_t since = 0;    ///< ticks when they were given
  int64_t fed = 0;      ///< ticks when it last offered a task because somebody was hungry
  int64_t examined = 0; ///< ticks when it last doubted the window

  /// They have run out: new ones. True: the tasks since then took longer than offering them would
  /// have, and it is some time that the window was doubted.
  bool renew(int64_t now, bool somebody_hungry) {
    int64_t elapsed = std::max<int64_t>(now - since, 1);
    bool large = given && elapsed / given > sys::kTicksOfHandOver && now - examined > kExamineEvery;
    int64_t wanted = given ? given * (kEvery / 2) / elapsed : kLeast;
    int32_t most = somebody_hungry ? kMostBeforeHungry : kMost;
    left = given = static_cast<int32_t>(std::clamp<int64_t>(wanted, kLeast, most));
    since = now;
    if (large)
      examined = now;
    return large;
  }
  /// Whether it is time to feed the hungry; `every` in ticks.
  bool feeds(int64_t now, int64_t every) {
    if (now - fed < every)
      return false;
    fed = now;
    return true;
  }
};

/// A worker of the team has become hungry while no other one was: creators with rations for long
/// look up now.
inline void cut_rations(const Port& own) {
  for (int i = 0; i < own.count; ++i)
    recall(*own.peers[i]);
}

/// How eagerly an idle worker asks for larger tasks. Kept between its waits.
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
  void ask_next(const Port& own, uintptr_t step) {
    peer = peer + 1 < own.count ? peer + 1 : 0;
    if (peer != own.id)
      lower_window(*own.peers[peer], step);
  }
};

} // namespace xomp
