// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The slow paths of the locks: how long a thread spins and yields before it sleeps, what listeners
// are told, what a child of fork frees.
#include "locks/locks.h"

#include <sched.h>

#include <algorithm>
#include <new>

#include "conf/settings.h"
#include "sys/assert.h"
#include "sys/cpu.h"
#include "sys/futex.h"
#include "sys/relaxed.h"
#include "sys/report.h"
#include "sys/ticks.h"
#include "task/activity.h"
#include "task/short_spins.h"
#include "team/team.h"

namespace xomp {
namespace {

/// The locks' unit of time, below half a microsecond, and how long those that are awake have a lock
/// among themselves while few others sleep for it: to change places costs a hundredth of that, and
/// of the shortest turn (`TurnLock::kShortest`) a twentieth.
constexpr int kTimeUnit = 10;
constexpr uint32_t kTurn = 200 * sys::kTicksOfMicrosecond >> kTimeUnit;
uint32_t lock_time() { return static_cast<uint32_t>(sys::ticks() >> kTimeUnit); }

/// How a thread waits for a lock. By default one waiter spins for four times as long as an idle
/// thread at most does, and the others for about as long as a wake-up costs: more loses even when
/// the lock comes free right after (Karlin et al., "Competitive randomized algorithms"). With more
/// threads than processors the holder may be without one, and yields come soon. The kernel may also
/// leave the holder behind a waiter on one processor of several: see task/short_spins.h. Limits
/// that the user has given are kept.
class Waiter {
public:
  Waiter() {
    const Settings& settings = completed_settings(); // the thread may be a stranger
    const TaskTeam* team = self->task_team;
    crowded = team && team->crowded.load(std::memory_order_relaxed);
    int64_t most = team ? team->spin_count() : sys::load_relaxed(settings.spin_count);
    if (!sys::load_relaxed(settings.spin_adapts)) {
      passing = std::min(most, kPassingRounds);
      looking = hanging = most;
    } else if (crowded) {
      passing = looking = std::min(most, kCrowdedRounds);
      hanging = std::min(most, kHangingRounds);
    } else {
      if (self != &stranger) // whose worker is everybody's
        watch.begin(self->short_spins);
      passing = std::min(most, kPassingRounds);
      looking = watch.is_short() ? passing : kLookingTimes * most;
    }
    looks_when_called = std::min(looking, kPassingRounds);
    if (crowded && sys::load_relaxed(settings.yields))
      yields = kYields;
  }
  ~Waiter() { watch.end(self->short_spins, spun > kPassingRounds); }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  bool passes_by() { return spins(passing); }
  bool hangs_on() { return spins(hanging); }
  bool looks() { return spins(looking) || yield(); }
  bool overtakes() { return !spins(overtaking); }
  /// Not where it is likely to lose its processor: the others would overtake it, each after a
  /// while.
  bool may_claim() const { return !crowded && now() - since >= kTurn; }
  static uint32_t now() { return lock_time(); }
  static uint32_t turn() { return kTurn; }
  static int processor() { return sched_getcpu(); }
  void sleeps() {
    Activity here(*self, ActivityKind::kLock);
    if (crowded)
      self->task_team->external_load.falls_asleep();
    sleeper.sleep();
    if (crowded)
      self->task_team->external_load.wakes();
    watch.restart();
    pauses = 1;
    looking = looks_when_called; // may be a wake-up too late already
    if (yields)
      yields = kYields;
    yields_until = 0;
  }

  uint32_t since = lock_time();
  sys::TurnSleeper sleeper;

private:
  static constexpr int64_t kPassingRounds = 200; ///< some 8 microseconds
  static constexpr int64_t kCrowdedRounds = 40;
  /// In which a lock that is held for a microsecond comes free, if those that would take it next
  /// are without a processor: else this one would be left idle.
  static constexpr int64_t kHangingRounds = 100;
  static constexpr int64_t kOvertakingRounds = 64; ///< several looks of one that looks
  static constexpr int64_t kLookingTimes = 4;      ///< what an idle thread spins
  /// Between two looks at a lock that is taken. Each look takes its line away from the holder, who
  /// may be about to take the lock again (Anderson, "The performance of spin lock alternatives");
  /// but a hand-over may be late by as much. A holder that has been inside for so many rounds has
  /// little use for the line; with more threads than processors it may have no processor.
  static constexpr int64_t kMostPauses = 16, kFewPauses = 4;
  static constexpr int64_t kLongHeld = 32;
  /// Yields before a sleep: several turns of the other threads, but not for ever when they are
  /// long.
  static constexpr int kYields = 50;
  static constexpr int64_t kYieldingTicks = 250 * sys::kTicksOfHandOver;

  bool spins(int64_t& left) {
    if (left <= 0)
      return false;
    for (int64_t i = 0; i < pauses; ++i)
      sys::pause();
    left -= pauses;
    spun += pauses;
    pauses = std::min(2 * pauses, crowded || spun < kLongHeld ? kMostPauses : kFewPauses);
    if (watch.is_watching() && spun >= kLongHeld && !watch.spins_on())
      passing = looking = looks_when_called = 0; // the holder may run while this one sleeps
    return true;
  }
  bool yield() {
    if (yields <= 1)
      return false;
    int64_t ticks = sys::ticks();
    if (!yields_until)
      yields_until = ticks + kYieldingTicks;
    if (ticks >= yields_until)
      return false;
    --yields;
    sys::yield();
    looking = looks_when_called; // the others may have run for long
    return true;
  }

  bool crowded;
  SpinWatch watch;
  int64_t spun = 0;
  int yields = 0;
  int64_t passing = 0, looking = 0, hanging = 0, looks_when_called = 0;
  int64_t overtaking = kOvertakingRounds;
  int64_t pauses = 1, yields_until = 0;
};

/// What the calling thread tells of itself, if anything. A tool hears of threads as well that come
/// here first.
trace::Track* track_here() {
  if (self == &stranger && trace::listening(trace::kTool))
    me();
  return self->track;
}

/// In a child of fork: what the forking thread was inside of may have been freed.
bool freed_after_fork = false;

/// Of a construct, not a lock: those that nobody holds are released by programs that run elsewhere.
bool ends_construct(trace::MutexKind kind) {
  return (kind == trace::MutexKind::kCritical || kind == trace::MutexKind::kAtomic) &&
         !freed_after_fork;
}

} // namespace

constinit sys::TurnQueue lock_queues[1 << kLockQueueBits];
alignas(sys::kNoSharing) constinit Mutex unnamed_critical;
alignas(sys::kNoSharing) constinit Mutex unnamed_atomic;

void repair_locks_after_fork() {
  freed_after_fork = true;
  new (&unnamed_critical) Mutex;
  new (&unnamed_atomic) Mutex;
  uint32_t era = (lock_queues[0].era + 1) % sys::TurnLock::kEras;
  for (sys::TurnQueue& each : lock_queues)
    (new (&each) sys::TurnQueue)->era = era;
}

void Mutex::lock_contended() {
  Waiter waiter;
  word.acquire(queue_of(this), waiter);
}
void Mutex::unlock_contended() { word.release(queue_of(this), lock_time, kTurn); }
bool Mutex::try_again() { return word.try_acquire(queue_of(this)); }

void Mutex::acquire_slowly(Mutex& mutex, trace::MutexKind kind, const void* codeptr) {
  trace::Track* track = track_here();
  if (track)
    trace::mutex_asked(*track, &mutex, kind, false, codeptr);
  int64_t asked = sys::ticks();
  bool waits = !mutex.try_lock();
  if (waits)
    mutex.lock_contended();
  if (!track)
    return;
  mutex.word.go_slowly();
  trace::mutex_acquired(*track, &mutex, kind, false, codeptr, asked, waits);
}

bool Mutex::try_slowly(trace::MutexKind kind, const void* codeptr) {
  trace::Track* track = track_here();
  if (track)
    trace::mutex_asked(*track, this, kind, true, codeptr);
  if (!try_lock()) {
    if (track)
      trace::mutex_missed(*track);
    return false;
  }
  if (!track)
    return true;
  word.go_slowly();
  trace::mutex_acquired(*track, this, kind, true, codeptr, sys::ticks(), false);
  return true;
}

void Mutex::release_slowly(trace::MutexKind kind, const void* codeptr) {
  if (!word.is_held() && ends_construct(kind)) [[unlikely]]
    sys::fatal("the end of critical or atomic without its beginning");
  unlock_contended();
  if (trace::Track* track = self->track)
    trace::mutex_released(*track, this, kind, codeptr);
}

void NestLock::own_traced(const void* task) {
  // Whoever had it has left neither behind; the mutex is this task's.
  XOMP_ASSERT(mutex.is_held() && count == 0 && !owner.load(std::memory_order_relaxed));
  owner.store(static_cast<const char*>(task) + 1, std::memory_order_relaxed);
  count = kTraced + 1;
}

void NestLock::enter_again(bool tries, const void* codeptr) {
  count++;
  trace::Track* track = self->track;
  if (!track)
    return;
  trace::mutex_asked(*track, &mutex, trace::MutexKind::kNestLock, tries, codeptr);
  trace::lock_entered_again(*track, &mutex, codeptr);
}

void NestLock::lock_slowly(const void* task, const void* codeptr) {
  if (traced_by(task))
    return enter_again(false, codeptr);
  Mutex::acquire_slowly(mutex, trace::MutexKind::kNestLock, codeptr);
  if (self->track)
    return own_traced(task);
  owner.store(task, std::memory_order_relaxed);
  count++;
}

int NestLock::try_slowly(const void* task, const void* codeptr) {
  if (traced_by(task)) {
    enter_again(true, codeptr);
    return count - kTraced;
  }
  if (!mutex.try_slowly(trace::MutexKind::kNestLock, codeptr))
    return 0;
  if (self->track) {
    own_traced(task);
    return 1;
  }
  owner.store(task, std::memory_order_relaxed);
  return ++count;
}

void NestLock::unlock_traced(const void* codeptr) {
  if (count != kTraced) {
    if (self->track)
      trace::lock_left_once(*self->track, &mutex, codeptr);
    return;
  }
  count = 0;
  owner.store(nullptr, std::memory_order_relaxed);
  mutex.release_at(trace::MutexKind::kNestLock, codeptr);
}

} // namespace xomp
