// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The waiting side of the locks: spin for about as long as a sleep costs, then sleep. With more
// threads than processors the holder may be without one, and yields come first.
#include "team/locks.h"

#include <algorithm>
#include <new>

#include <sys/syscall.h>
#include <unistd.h>

#include "conf/settings.h"
#include "sys/cpu.h"
#include "sys/futex.h"
#include "sys/ticks.h"
#include "task/whereabouts.h"
#include "team/team.h"

namespace xomp {
namespace {

/// Rounds that cost about what falling asleep and being woken does; spinning longer than that loses
/// even when the lock comes free right after (Karlin et al., "Competitive randomized algorithms").
constexpr int64_t kSleepCostRounds = 200;

int64_t spin_rounds() {
  return settings.spin_count < kSleepCostRounds ? settings.spin_count : kSleepCostRounds;
}

/// Between two looks at a lock that is taken. Each look takes its line away from the holder
/// (Anderson, "The performance of spin lock alternatives").
constexpr int64_t kMostPauses = 8;

/// Yields before a sleep: several turns of the other threads, but not for ever when they are long.
constexpr int kYields = 50;
constexpr int64_t kYieldingTicks = 250 * sys::kTicksOfHandOver;

bool crowded() {
  const TaskTeam* team = self->tasks;
  return settings.yields && team && team->crowded.load(std::memory_order_relaxed);
}

/// What the calling thread tells of itself, if anything. A tool hears of threads as well that come
/// here first.
trace::Track* track_here() {
  if (self == &stranger && trace::listening(trace::kTool))
    me();
  return self->track;
}

uint32_t kernel_thread_id() { return static_cast<uint32_t>(syscall(SYS_gettid)); }

} // namespace

alignas(sys::kNoSharing) constinit Mutex unnamed_critical;
alignas(sys::kNoSharing) constinit Mutex unnamed_atomic;

void free_process_locks() {
  new (&unnamed_critical) Mutex;
  new (&unnamed_atomic) Mutex;
}

void Mutex::lock_contended() {
  bool yields = crowded();
  int64_t pauses = 1;
  for (int64_t left = yields ? 0 : spin_rounds(); left > 0;) {
    if (word.load(std::memory_order_relaxed) == kFree && try_lock())
      return;
    for (int64_t i = 0; i < pauses; ++i)
      sys::pause();
    left -= pauses;
    pauses = std::min({2 * pauses, kMostPauses, left});
  }
  if (yields) {
    int64_t deadline = sys::ticks() + kYieldingTicks;
    for (int i = 0; i < kYields && sys::ticks() < deadline; ++i) {
      sys::yield();
      if (word.load(std::memory_order_relaxed) == kFree && try_lock())
        return;
    }
  }
  Whereabouts here(*self, Doing::kLock);
  // A sleeper cannot know whether it was the only one, so it takes the lock as contended: at worst
  // its unlock wakes nobody.
  while (word.exchange(kContended, std::memory_order_acquire) != kFree)
    sys::futex_wait(word, kContended);
}

void Mutex::acquire_slowly(trace::MutexKind kind, const void* place) {
  trace::Track* track = track_here();
  if (track)
    trace::mutex_asked(*track, this, kind, false, place);
  int64_t asked = sys::ticks();
  bool waits = !try_lock();
  if (waits)
    lock_contended();
  if (!track)
    return;
  // If nobody else has come for it meanwhile: whom `release` has to wake, it finds out in any case.
  uint32_t held = kHeld;
  word.compare_exchange_strong(held, kHeldAndTold, std::memory_order_relaxed);
  trace::mutex_acquired(*track, this, kind, place, asked, waits);
}

bool Mutex::try_slowly(trace::MutexKind kind, const void* place) {
  trace::Track* track = track_here();
  if (track)
    trace::mutex_asked(*track, this, kind, true, place);
  if (!try_lock()) {
    if (track)
      trace::mutex_missed(*track);
    return false;
  }
  if (!track)
    return true;
  uint32_t held = kHeld; // as above
  word.compare_exchange_strong(held, kHeldAndTold, std::memory_order_relaxed);
  trace::mutex_acquired(*track, this, kind, place, sys::ticks(), false);
  return true;
}

void Mutex::release_slowly(uint32_t before, trace::MutexKind kind, const void* place) {
  if (before == kContended)
    wake_one();
  if (trace::Track* track = self->track)
    trace::mutex_released(*track, this, kind, place);
}

void Mutex::wake_one() { sys::futex_wake(word, 1); }

void NestLock::own_told(const void* task) {
  owner.store(static_cast<const char*>(task) + 1, std::memory_order_relaxed);
  count = kTold + 1;
}

void NestLock::enter_again(bool tries, const void* place) {
  count++;
  trace::Track* track = self->track;
  if (!track)
    return;
  trace::mutex_asked(*track, &mutex, trace::MutexKind::kNestLock, tries, place);
  trace::lock_entered_again(*track, &mutex, place);
}

void NestLock::lock_slowly(const void* task, const void* place) {
  if (told_to(task))
    return enter_again(false, place);
  mutex.acquire_slowly(trace::MutexKind::kNestLock, place);
  if (self->track)
    return own_told(task);
  owner.store(task, std::memory_order_relaxed);
  count++;
}

int NestLock::try_slowly(const void* task, const void* place) {
  if (told_to(task)) {
    enter_again(true, place);
    return count - kTold;
  }
  if (!mutex.try_slowly(trace::MutexKind::kNestLock, place))
    return 0;
  if (self->track) {
    own_told(task);
    return 1;
  }
  owner.store(task, std::memory_order_relaxed);
  return ++count;
}

void NestLock::unlock_told(const void* place) {
  if (count != kTold) {
    if (self->track)
      trace::lock_left_once(*self->track, &mutex, place);
    return;
  }
  count = 0;
  owner.store(nullptr, std::memory_order_relaxed);
  mutex.release_at(trace::MutexKind::kNestLock, place);
}

bool ThreadNestLock::is_mine() const {
  // Relaxed: as in `NestLock::held_by`.
  return owner.load(std::memory_order_relaxed) == kernel_thread_id();
}

int ThreadNestLock::try_take() {
  uint32_t self = kernel_thread_id();
  uint32_t holder = 0;
  if (owner.compare_exchange_strong(holder, self, std::memory_order_acquire,
                                    std::memory_order_relaxed))
    return count = 1;
  return holder == self ? ++count : 0;
}

void ThreadNestLock::take() {
  while (try_take() == 0) {
    uint32_t holder = owner.load(std::memory_order_relaxed);
    if (holder)
      sys::futex_wait(owner, holder);
  }
}

/// False: it is held once more.
bool ThreadNestLock::leave() {
  if (--count > 0)
    return false;
  owner.store(0, std::memory_order_release);
  sys::futex_wake(owner, 1); // the layout has no room to note whether anybody sleeps
  return true;
}

void ThreadNestLock::lock_told(const void* place) {
  trace::Track* track = track_here();
  if (!track)
    return take();
  bool again = is_mine();
  trace::mutex_asked(*track, this, trace::MutexKind::kNestLock, false, place);
  int64_t asked = sys::ticks();
  bool waits = try_take() == 0;
  if (waits)
    take();
  if (again)
    trace::lock_entered_again(*track, this, place);
  else
    trace::mutex_acquired(*track, this, trace::MutexKind::kNestLock, place, asked, waits);
}

int ThreadNestLock::try_told(const void* place) {
  trace::Track* track = track_here();
  if (!track)
    return try_take();
  trace::mutex_asked(*track, this, trace::MutexKind::kNestLock, true, place);
  int rounds = try_take();
  if (rounds == 0)
    trace::mutex_missed(*track);
  else if (rounds > 1)
    trace::lock_entered_again(*track, this, place);
  else
    trace::mutex_acquired(*track, this, trace::MutexKind::kNestLock, place, sys::ticks(), false);
  return rounds;
}

void ThreadNestLock::unlock_told(const void* place) {
  bool free = leave();
  trace::Track* track = self->track;
  if (!track)
    return;
  if (free)
    trace::mutex_released(*track, this, trace::MutexKind::kNestLock, place);
  else
    trace::lock_left_once(*track, this, place);
}

} // namespace xomp
