// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker's stack of tasks, in place: the tasks that it has created and not begun, and a frame for
// each that it is in the middle of. The newest end is private: its owner pushes and claims there
// without an atomic operation or a fence. The oldest end is public, and whoever has nothing to do
// takes from it under a lock. Protocol, states and races: queue/README.md.
//
//   first ...........  tail ........... split ............... head
//   frames, gone       public           private               free
//
// Positions say what belongs to what: a task was created by the task of the nearest frame below it.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "sys/assert.h"
#include "sys/asymmetric_fence.h"
#include "sys/brief_lock.h"
#include "sys/cpu.h"

namespace xomp {

/// One task of a SplitStack.
struct alignas(64) Slot {
  static constexpr std::size_t kRoom = 96; ///< bytes of arguments in place
  static constexpr std::size_t kAlign = 32;

  /// What `link` says of a slot that is no frame. That of a frame is even: 0, or the address of
  /// what its task needed besides.
  enum Kind : uintptr_t {
    kPending = 1, ///< to be begun; a child of the nearest frame below
    kOrphan = 3,  ///< pending, but its creator has ended
    kGone = 5,    ///< taken by a thief
    kOrdered = 9, ///< as kPending, but to be begun after those below; only where nobody steals
  };
  static bool is_frame(uintptr_t link) { return (link & 1) == 0; }
  static bool is_child(uintptr_t link) { return (link & ~uintptr_t{8}) == kPending; }
  static bool is_pending(uintptr_t link) { return is_child(link) || link == kOrphan; }

  void (*body)(void*); ///< null: taken by a thief
  std::atomic<uintptr_t> link;
  /// Of a frame: frames up to here; of the slot above it: whether its task has created any
  /// (`has_created`, frame.h); during a theft: the kind to be.
  uint32_t depth;
  alignas(kAlign) char arguments[kRoom];

  /// What is in `other`, which nobody changes meanwhile, as `kind`.
  void take_over(const Slot& other, uintptr_t kind) {
    body = other.body;
    std::memcpy(arguments, other.arguments, kRoom);
    // Release: a thread that finds the slot pending reads the rest of it.
    link.store(kind, std::memory_order_release);
  }
};
static_assert(sizeof(Slot) == 128);

class SplitStack {
public:
  /// Pushes made public at once after a thief has found the owner away (`shown_at_once`): a force
  /// costs both some microseconds.
  static constexpr uint32_t kShownAtOnce = 4096;
  static constexpr uint32_t kNothingPublic = UINT32_MAX;

  constexpr SplitStack(Slot* ground) : head(ground + 1), current(ground) {}

  /// Uses the slots at `memory`; `ground`, the frame at the bottom, moves there. Nobody else looks.
  void attach(Slot* memory, std::size_t slots);
  /// The other way round: nothing but the bottom is left.
  void leave(Slot* ground) {
    XOMP_ASSERT(taken_below_top == 0);
    head.store(ground + 1, std::memory_order_relaxed);
    current = ground;
    first = last = nullptr;
    for (auto* each : {&limit, &split, &claim_from, &tail})
      each->store(nullptr, std::memory_order_relaxed);
    frame_below_tail = nullptr;
  }

  // ---- the owner ----

  Slot* top() const { return head.load(std::memory_order_relaxed) - 1; }
  /// Whether the owner is to look for questions before it creates another task. Acquire: whoever
  /// finds it asked sees that somebody asks, or what its owner created before.
  bool is_asked(std::memory_order order = std::memory_order_relaxed) const {
    return !limit.load(order);
  }
  /// Release: whoever finds it asked sees what was done before.
  void ask() { limit.store(nullptr, std::memory_order_release); }
  /// Makes `slot`, next after the top, a task that may be begun; the rest of it is written.
  void push(Slot* slot, uintptr_t kind = Slot::kPending) {
    XOMP_ASSERT(slot == top() + 1 && slot < last && slot->body);
    XOMP_ASSERT(Slot::is_child(kind));
    ordered += kind == Slot::kOrdered;
    // Release: a thread that finds it pending reads the rest of it.
    slot->link.store(kind, std::memory_order_release);
    head.store(slot + 1, std::memory_order_release);
  }
  /// Pushes a frame.
  void push_frame(Slot* slot) {
    XOMP_ASSERT(slot == top() + 1 && slot < last);
    slot->link.store(0, std::memory_order_relaxed);
    // Release: a thread that looks up to here sees what the slots are.
    head.store(slot + 1, std::memory_order_release);
  }
  /// Makes the task on top a frame, if it is `kind` and private. False: it is of another kind, or
  /// half claimed, a frame for all that its link says, though a thief may have it: nothing but
  /// `claim_slowly` may come next.
  [[gnu::always_inline]] bool claim(Slot* slot, uintptr_t kind = Slot::kPending) {
    XOMP_ASSERT(slot == top() && slot > current && Slot::is_pending(kind));
    XOMP_ASSERT(kind != Slot::kOrdered);
    if (slot->link.load(std::memory_order_relaxed) != kind)
      return false;
    slot->link.store(0, std::memory_order_relaxed);
    // Either a thief that makes all public sees this, or we see that it did.
    sys::light_fence();
    return is_claimed(slot);
  }
  /// After `claim` of a slot on top has failed. True: it is a frame. False: it was gone, and is
  /// taken off.
  bool claim_slowly(Slot* slot);
  /// Takes a child out that has others above it, if it is private, and returns its body: the slot
  /// is gone, but what is in it stays until `end_taking`. Null: there is nothing of the kind.
  [[gnu::always_inline]] auto take_below_top(Slot* slot) -> void (*)(void*) {
    XOMP_ASSERT(slot > first && slot <= top());
    uintptr_t kind = slot->link.load(std::memory_order_relaxed);
    if (!Slot::is_child(kind) || !is_private(slot))
      return nullptr;
    if (kind == Slot::kOrdered) [[unlikely]]
      --ordered;
    slot->link.store(Slot::kGone, std::memory_order_relaxed);
    // As in `claim`.
    sys::light_fence();
    if (!is_claimed(slot) && !is_there(slot)) [[unlikely]]
      return nullptr;
    ++taken_below_top;
    return slot->body;
  }
  /// All slots from `first` to below `end` were taken so, and have run. Takes them off if nothing
  /// lies above; false: they become holes.
  bool end_taking(Slot* first, const Slot* end) {
    XOMP_ASSERT(first <= end && end <= top() + 1 && taken_below_top >= end - first);
    taken_below_top -= end - first;
    if (top() == end - 1 && is_private(first)) [[likely]] {
      pop(first);
      return true;
    }
    guard.lock();
    holes = holes || first != end;
    // As where a thief took them: whoever comes for one under the lock finds it gone.
    for (Slot* slot = first; slot != end; ++slot)
      slot->body = nullptr;
    guard.unlock();
    return false;
  }
  /// Whether something ordered is pending above the current frame.
  bool has_ordered() const {
    if (ordered == 0)
      return false;
    const Slot* slot = top();
    while (slot != current && slot->link.load(std::memory_order_relaxed) != Slot::kOrdered)
      --slot;
    return slot != current;
  }
  /// Half of the memory is for frames (task/frame.h).
  Slot* middle() const { return first + (last - first) / 2; }
  bool is_private(const Slot* slot) const { return slot >= split.load(std::memory_order_relaxed); }
  /// Takes the frame off that is on top, and private.
  void pop(Slot* frame) {
    XOMP_ASSERT(frame > first && frame <= top() + 1);
    head.store(frame, std::memory_order_relaxed);
  }
  /// Takes the highest frame off; what is pending above it comes to lie in its place, as orphans.
  /// Returns its `link`, which a thief may have changed until now.
  uintptr_t close(Slot* frame);
  /// Takes everything off from `frame` on, of which nothing is pending.
  void cut(Slot* frame);
  /// Makes the older half of what is private public, or all of it. True: so should the next push.
  bool expose(bool all = false);
  /// Takes out what is gone above the highest frame, so that there is room again.
  void compact(Slot* highest_frame);
  /// What is ordered above the current frame, the highest one, is taken out, oldest first:
  /// `visit(slot)`.
  template <class Visit> void empty_ordered(Visit visit);
  /// What is pending above `frame`, the highest one, is taken out, oldest first: `visit(slot)`.
  template <class Visit> void empty(Slot* frame, Visit visit);

  /// Tasks that wait for nothing but to be begun, at least; `frames`: how many there are. Exact
  /// unless thieves took from the middle.
  int64_t waiting(uint32_t frames) const {
    return head.load(std::memory_order_relaxed) - tail.load(std::memory_order_relaxed) - frames -
           taken_below_top - ordered;
  }

  /// How many tasks wait for nothing but to be begun, counted one by one.
  int64_t count_pending();

  // ---- anybody; hints ----

  bool owner_is_away() const { return shown_at_once.load(std::memory_order_relaxed) > 0; }
  bool looks_public() const {
    // Relaxed: a thread that relies on it has passed a fence.
    return tail.load(std::memory_order_relaxed) < split.load(std::memory_order_relaxed);
  }
  /// Slots that are private, frames among them; by the owner.
  int64_t kept_private() const {
    return head.load(std::memory_order_relaxed) - split.load(std::memory_order_relaxed);
  }

  /// How many frames are below the oldest of what is public; kNothingPublic: it has been taken.
  uint32_t public_depth() const { return depth_at_tail.load(std::memory_order_relaxed); }

  // ---- thieves, between try_lock or lock and unlock; the owner under the lock, too ----

  bool try_lock() { return guard.try_lock(); }
  void lock() { guard.lock(); }
  void unlock() { guard.unlock(); }
  /// By whomever. For assertions.
  bool is_locked() const { return guard.is_held(); }

  Slot* begin() const { return tail.load(std::memory_order_relaxed); }
  /// What is below may be taken. That may be above `head`, whose line is left to the owner: what is
  /// pending below has not been popped.
  Slot* end() const { return split.load(std::memory_order_relaxed); }
  /// Makes all public without the owner's help.
  void force() {
    if (!begin())
      return; // there is no memory yet
    XOMP_ASSERT(in_order());
    set_split(head.load(std::memory_order_relaxed));
    // Either the owner sees that before it begins one of these, or we see that it has begun.
    sys::heavy_fence();
  }
  /// Whether anything is pending from there on, public or private.
  bool has_pending_from(Slot* slot) const {
    // Acquire: what the slots below are.
    Slot* top = head.load(std::memory_order_acquire);
    return next_pending(slot, top) < top;
  }
  void show_less() {
    if (uint32_t left = shown_at_once.load(std::memory_order_relaxed))
      shown_at_once.store(left / 2, std::memory_order_relaxed);
  }
  /// Whether the owner keeps something pending to itself; unless `thorough` only a look at both
  /// ends of what is private, of which most may be frames. Without the lock, which only a thorough
  /// look needs, a hint.
  bool keeps_pending(bool thorough) const {
    constexpr std::ptrdiff_t kNear = 64;
    // Acquire: `head` is in the same memory (`attach`).
    Slot* from = split.load(std::memory_order_acquire);
    if (!from)
      return false;
    // Acquire: what the slots below are.
    Slot* top = head.load(std::memory_order_acquire);
    if (thorough || top - from <= 2 * kNear)
      return next_pending(from, top) < top;
    return next_pending(from, from + kNear) < from + kNear || next_pending(top - kNear, top) < top;
  }
  void note_away() { shown_at_once.store(kShownAtOnce, std::memory_order_relaxed); }
  /// The first pending task from `from` on; `end` if there is none.
  static Slot* next_pending(Slot* from, Slot* end) {
    // Acquire: the rest of the slot.
    while (from < end && !Slot::is_pending(from->link.load(std::memory_order_acquire)))
      ++from;
    return from;
  }
  /// The first slot from `from` on that is neither taken nor an orphan. By the owner. Relaxed:
  /// whoever goes on with it asks again (`take_below_top`).
  static Slot* past_orphans(Slot* from, Slot* end) {
    auto passed = [](uintptr_t link) { return link == Slot::kOrphan || link == Slot::kGone; };
    while (from < end && passed(from->link.load(std::memory_order_relaxed)))
      ++from;
    return from;
  }
  /// Takes a task out and copies it to `to`, as a slot that is gone: its owner says there what it
  /// is once others may look. Returns what it was; 0: it is none, or its owner has begun it at this
  /// moment.
  static uintptr_t take(Slot* slot, Slot* to) {
    uintptr_t kind = slot->link.load(std::memory_order_relaxed);
    // Acquire: the rest of the slot.
    if (!Slot::is_pending(kind) ||
        !slot->link.compare_exchange_strong(kind, Slot::kGone, std::memory_order_acquire,
                                            std::memory_order_relaxed))
      return 0;
    XOMP_ASSERT(slot->body); // null: a thief had it before
    to->take_over(*slot, Slot::kGone);
    // An owner that was about to claim it has written over `link`, and looks at this under the
    // lock.
    slot->body = nullptr;
    return kind;
  }
  /// Everything below `end` was taken, or is a frame, of which `frame` is the highest.
  void move_tail(Slot* end, Slot* frame) {
    XOMP_ASSERT(in_order() && begin() <= end && end <= this->end());
    set_tail(end, frame);
    note_depth();
  }
  /// The frame that a task above the tail belongs to. What thieves took in front of it, which may
  /// be much, is looked at once.
  Slot* frame_of(Slot* slot) {
    for (Slot* bottom = begin(); slot > bottom;) {
      if (Slot::is_frame((--slot)->link.load(std::memory_order_acquire)))
        return slot;
    }
    return frame_below_tail ? frame_below_tail : frame_below_tail = frame_below(slot);
  }
  /// The highest frame below `slot`.
  static Slot* frame_below(Slot* slot) {
    do
      --slot;
    while (!Slot::is_frame(slot->link.load(std::memory_order_acquire)));
    return slot;
  }
  /// Whether something pending above `frame`, the highest one, is a child of its task.
  bool has_child(const Slot* frame) const {
    const Slot* slot = top();
    while (slot != frame && !Slot::is_child(slot->link.load(std::memory_order_relaxed)))
      --slot;
    return slot != frame;
  }
  /// Everything below is public.
  void open_up_to(Slot* end) {
    XOMP_ASSERT(in_order() && begin() <= end && end <= top() + 1);
    set_split(end);
    note_depth();
  }
  /// The owner is to make something public when it claims the next task, for which it would not
  /// look at `limit`; without the lock. Relaxed: a hint, and whatever is lost is asked for again.
  void ask_at_claim() { claim_from.store(nowhere(), std::memory_order_relaxed); }
  bool is_asked_at_claim() const { return claim_from.load(std::memory_order_relaxed) == nowhere(); }

  /// By the owner, or a thief under the lock. Looks first, as both write to this line.
  void make_dirty() {
    if (!dirty.load(std::memory_order_relaxed))
      dirty.store(true, std::memory_order_relaxed);
  }

  void after_fork() { guard.free_after_fork(); }

  // The owner's line; thieves read `head`, and write `limit`.
  alignas(sys::kNoSharing) std::atomic<Slot*> head;
  Slot* current; ///< the frame of the task at hand
  /// Below it a task is pushed without a look at anything else; null: the owner is asked.
  std::atomic<Slot*> limit{nullptr};
  Slot* last = nullptr;        ///< end of the memory
  Slot* first = nullptr;       ///< the bottom, once there is memory
  int64_t taken_below_top = 0; ///< slots that `take_below_top` took and that are still there
  int64_t ordered = 0;         ///< slots that are kOrdered
  // Changed under the lock only, but for what is said below of some.
  alignas(sys::kNoSharing) std::atomic<Slot*> split{nullptr};
  std::atomic<Slot*> tail{nullptr};
  Slot* frame_below_tail = nullptr; ///< the highest frame below the tail; null: not looked for
  bool holes = false;               ///< thieves took from the middle
  bool all_public = false;          ///< the owner keeps nothing to itself; between regions
  bool allocated = false;           ///< its memory is from the C library; by the owner
  /// So many pushes are made public, asked or not: their owner was away when thieves came for what
  /// it had. Half as many whenever it comes for one itself, or what a thief took was not worth its
  /// coming.
  std::atomic<uint32_t> shown_at_once{0};
  /// Thefts whose tasks are not all done. Counted under the lock; a thief takes its own off.
  std::atomic<int> guests{0};
  /// Its worker has created or run a task that others could have, or was stolen from, since it last
  /// reported to a barrier. A thief says so before its theft ends. Without the lock.
  std::atomic<bool> dirty{false};
  /// From here on the owner claims without the lock: `split`, or `nowhere` where somebody asks for
  /// more. Not below `split` once whoever raises both has passed its fence. Under the lock, but for
  /// `ask_at_claim`.
  std::atomic<Slot*> claim_from{nullptr};
  std::atomic<uint32_t> depth_at_tail{kNothingPublic}; ///< `public_depth`; under the lock

private:
  sys::BriefLock guard;

  /// Whether the slot, half claimed, is the owner's without a look under the lock.
  bool is_claimed(const Slot* slot) const {
    return slot >= claim_from.load(std::memory_order_relaxed);
  }
  /// Whether no thief has taken the slot that is half claimed. None can from now on.
  [[gnu::noinline]] bool is_there(const Slot* slot) {
    guard.lock();
    bool there = slot->body != nullptr;
    if (there && is_private(slot))
      open_part_of(head.load(std::memory_order_relaxed));
    else if (there)
      show_less();
    guard.unlock();
    return there;
  }

  /// What holds whenever somebody has the lock. `split` may be above `head`: a claim that a thief
  /// did not see.
  bool in_order() const {
    const Slot *oldest = begin(), *open = split.load(std::memory_order_relaxed);
    return guard.is_held() && first <= oldest && oldest <= open && open <= last &&
           oldest <= head.load(std::memory_order_relaxed);
  }
  static bool holds_frame(const Slot* slot) {
    return Slot::is_frame(slot->link.load(std::memory_order_relaxed));
  }
  bool nothing_pends_from(const Slot* slot) const {
    for (; slot <= top(); ++slot) {
      if (Slot::is_pending(slot->link.load(std::memory_order_relaxed)))
        return false;
    }
    return true;
  }

  static Slot* nowhere() { return reinterpret_cast<Slot*>(UINTPTR_MAX); }
  void set_split(Slot* slot) {
    split.store(slot, std::memory_order_relaxed);
    claim_from.store(slot, std::memory_order_relaxed);
  }
  /// Of what is private below `end` the older half becomes public, or all.
  void open_part_of(Slot* end, bool all = false) {
    XOMP_ASSERT(guard.is_held());
    Slot* open = split.load(std::memory_order_relaxed);
    Slot* from = next_pending(open, end);
    bool first_ones = !looks_public() || public_depth() == kNothingPublic;
    if (from < end)
      open = all ? end : from + (end - from + 1) / 2;
    set_split(open);
    if (first_ones)
      note_depth();
  }
  void set_tail(Slot* end, Slot* frame) {
    tail.store(end, std::memory_order_relaxed);
    frame_below_tail = frame;
  }
  /// Notes where the oldest of what is public lies.
  void note_depth() {
    Slot* oldest = next_pending(begin(), end());
    uint32_t depth = oldest < end() ? frame_of(oldest)->depth : kNothingPublic;
    depth_at_tail.store(depth, std::memory_order_relaxed);
  }
  /// Nothing at or above `slot` is public or taken any more.
  void lower(Slot* slot) {
    XOMP_ASSERT(guard.is_held() && slot >= first);
    if (tail.load(std::memory_order_relaxed) > slot) {
      // Still the highest, unless it was one of those.
      set_tail(slot, frame_below_tail < slot ? frame_below_tail : nullptr);
      holes = false;
    }
    if (split.load(std::memory_order_relaxed) > slot)
      set_split(slot);
  }
};

inline void SplitStack::attach(Slot* memory, std::size_t slots) {
  Slot& ground = *current;
  XOMP_ASSERT(!first && top() == current && slots > 2);
  memory->take_over(ground, ground.link.load(std::memory_order_relaxed));
  memory->depth = 1;
  guard.lock(); // a thread that looks at it sees all of this, or nothing
  first = current = memory;
  last = memory + slots;
  head.store(memory + 1, std::memory_order_relaxed);
  tail.store(memory, std::memory_order_relaxed);
  claim_from.store(memory, std::memory_order_relaxed);
  // Release: `keeps_pending`, without the lock.
  split.store(memory, std::memory_order_release);
  guard.unlock();
}

inline bool SplitStack::claim_slowly(Slot* slot) {
  XOMP_ASSERT(slot == top() && slot > current);
  guard.lock();
  XOMP_ASSERT(in_order());
  bool there = slot->body != nullptr;
  if (there && is_private(slot)) { // somebody asks
    slot->link.store(0, std::memory_order_relaxed);
    open_part_of(slot);
  } else if (there) {
    show_less();
    slot->link.store(0, std::memory_order_relaxed);
    // What is newer is most likely ours: half of what was public becomes private again.
    Slot* oldest = tail.load(std::memory_order_relaxed);
    lower(oldest < slot && !all_public ? oldest + (slot - oldest) / 2 : slot);
  } else {
    head.store(slot, std::memory_order_relaxed);
    lower(slot);
  }
  guard.unlock();
  return there;
}

inline uintptr_t SplitStack::close(Slot* frame) {
  guard.lock();
  XOMP_ASSERT(in_order() && first < frame && frame <= top() && holds_frame(frame));
  uintptr_t link = frame->link.load(std::memory_order_relaxed);
  Slot *to = frame, *end = head.load(std::memory_order_relaxed);
  for (Slot* from = frame + 1; from < end; ++from) {
    if (Slot::is_pending(from->link.load(std::memory_order_relaxed)))
      (to++)->take_over(*from, Slot::kOrphan);
  }
  lower(frame);
  head.store(to, std::memory_order_release);
  guard.unlock();
  return link;
}

inline void SplitStack::cut(Slot* frame) {
  guard.lock();
  XOMP_ASSERT(in_order() && first < frame && frame <= top() && nothing_pends_from(frame));
  head.store(frame, std::memory_order_relaxed);
  lower(frame);
  holes = holes && frame > first + 1;
  guard.unlock();
}

inline bool SplitStack::expose(bool all) {
  guard.lock();
  XOMP_ASSERT(!first || in_order());
  Slot* end = head.load(std::memory_order_relaxed);
  open_part_of(end, all || all_public);
  uint32_t left = shown_at_once.load(std::memory_order_relaxed);
  if (left)
    shown_at_once.store(--left, std::memory_order_relaxed);
  guard.unlock();
  return left > 0;
}

inline void SplitStack::compact(Slot* highest_frame) {
  guard.lock();
  XOMP_ASSERT(in_order() && highest_frame <= top() && holds_frame(highest_frame));
  Slot *to = highest_frame + 1, *end = head.load(std::memory_order_relaxed);
  Slot* open = split.load(std::memory_order_relaxed);
  Slot* opened = nullptr;
  for (Slot* from = to; from < end; ++from) {
    uintptr_t link = from->link.load(std::memory_order_relaxed);
    if (!opened && from >= open)
      opened = to;
    if (!Slot::is_pending(link))
      continue;
    if (from != to)
      to->take_over(*from, link);
    ++to;
  }
  if (open > highest_frame)
    set_split(opened ? opened : to);
  if (tail.load(std::memory_order_relaxed) > highest_frame + 1)
    set_tail(highest_frame + 1, highest_frame);
  head.store(to, std::memory_order_release);
  guard.unlock();
}

inline int64_t SplitStack::count_pending() {
  guard.lock();
  XOMP_ASSERT(in_order());
  int64_t count = 0;
  Slot* end = head.load(std::memory_order_relaxed);
  for (Slot* slot = tail.load(std::memory_order_relaxed); slot < end; ++slot)
    count += Slot::is_pending(slot->link.load(std::memory_order_relaxed));
  guard.unlock();
  return count - ordered;
}

template <class Visit> void SplitStack::empty_ordered(Visit visit) {
  for (Slot* slot = current + 1; slot <= top(); ++slot) {
    if (slot->link.load(std::memory_order_relaxed) != Slot::kOrdered)
      continue;
    visit(*slot);
    slot->link.store(Slot::kGone, std::memory_order_relaxed);
    --ordered;
  }
  compact(current);
}

template <class Visit> void SplitStack::empty(Slot* frame, Visit visit) {
  guard.lock();
  XOMP_ASSERT(in_order() && frame <= top() && holds_frame(frame));
  Slot* end = head.load(std::memory_order_relaxed);
  for (Slot* slot = frame + 1; slot < end; ++slot) {
    uintptr_t kind = slot->link.load(std::memory_order_relaxed);
    ordered -= kind == Slot::kOrdered;
    if (Slot::is_pending(kind))
      visit(*slot);
  }
  head.store(frame + 1, std::memory_order_relaxed);
  lower(frame + 1);
  XOMP_ASSERT(in_order());
  guard.unlock();
}

} // namespace xomp
