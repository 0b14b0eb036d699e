// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutual exclusion: the futex mutex under omp_lock_t, `critical` and `atomic`, and the nestable
// locks. The objects lie in the program's memory, so their layouts are ABI; all zeros means free.
#pragma once
#include <atomic>
#include <cstdint>
#include <new>

#include "events/events.h"
#include "sys/cpu.h"
#include "sys/memory.h"
#include "sys/turn_lock.h"

namespace xomp {

/// Locks whose addresses agree in some bits share a queue.
inline constexpr int kLockQueueBits = 6;
[[gnu::visibility("hidden")]] extern sys::TurnQueue lock_queues[1 << kLockQueueBits];
inline sys::TurnQueue& queue_of(const void* lock) {
  constexpr uint64_t kGolden = 0x9e3779b97f4a7c15; // Knuth, "Sorting and Searching", 6.4
  return lock_queues[reinterpret_cast<uintptr_t>(lock) * kGolden >> (64 - kLockQueueBits)];
}

/// Sleeping mutex on one 32-bit word, used by turns (sys/turn_lock.h). May be released by another
/// thread than the one that acquired it, as OpenMP's task-owned locks need.
///
/// Of those that are the program's listeners are told: while there are any, `acquire` goes the slow
/// way, which takes the mutex so that `release` comes to its own slow path.
class Mutex {
public:
  // The program's. `known`: see trace::NothingKnown.
  template <class Known = trace::NothingKnown>
  [[gnu::always_inline]] void acquire(trace::MutexKind kind, Known known = {}) {
    if (acquires_at_once()) [[likely]]
      return;
    const void* codeptr = __builtin_return_address(0);
    known.template call<acquire_slowly>(codeptr, *this, kind, codeptr);
  }
  [[gnu::always_inline]] bool acquires_at_once() {
    if (trace::anybody_listens()) [[unlikely]]
      return false;
    return word.try_at_once();
  }
  static void acquire_slowly(Mutex& mutex, trace::MutexKind kind, const void* codeptr);
  bool try_slowly(trace::MutexKind kind, const void* codeptr);
  [[gnu::always_inline]] void release(trace::MutexKind kind) {
    if (!word.release_at_once(queue_of(this))) [[unlikely]]
      release_slowly(kind, __builtin_return_address(0));
  }
  /// As part of something whose place is known.
  void release_at(trace::MutexKind kind, const void* codeptr) {
    if (!word.release_at_once(queue_of(this)))
      release_slowly(kind, codeptr);
  }
  [[gnu::always_inline]] bool try_acquire(trace::MutexKind kind) {
    if (acquires_at_once()) [[likely]]
      return true;
    return try_slowly(kind, __builtin_return_address(0));
  }

  /// For assertions of whoever has it.
  bool is_held() const { return word.is_held(); }

  // The runtime's own.
  bool try_lock() { return word.try_at_once() || try_again(); }
  void lock() {
    if (!word.try_at_once()) [[unlikely]]
      lock_contended();
  }
  void unlock() {
    if (!word.release_at_once(queue_of(this))) [[unlikely]]
      unlock_contended();
  }

private:
  void release_slowly(trace::MutexKind kind, const void* codeptr);
  bool try_again();
  void lock_contended();
  void unlock_contended();

  sys::TurnLock word;
};

/// Holds a mutex for a scope.
class MutexGuard {
public:
  explicit MutexGuard(Mutex& held) : mutex(held) { mutex.lock(); }
  ~MutexGuard() { mutex.unlock(); }
  MutexGuard(const MutexGuard&) = delete;

private:
  Mutex& mutex;
};

/// omp_nest_lock_t since OpenMP 3.0: owned by a task.
class NestLock {
public:
  [[gnu::always_inline]] void lock(const void* task) {
    if (!held_by(task)) {
      if (!mutex.acquires_at_once()) [[unlikely]]
        return lock_slowly(task, __builtin_return_address(0));
      owner.store(task, std::memory_order_relaxed);
    }
    count++;
  }
  [[gnu::always_inline]] void unlock() {
    if (--count != 0) {
      if (count < 0) [[unlikely]]
        unlock_traced(__builtin_return_address(0));
      return;
    }
    owner.store(nullptr, std::memory_order_relaxed);
    mutex.release(trace::MutexKind::kNestLock);
  }
  /// The new nesting count; 0 when another task holds it.
  [[gnu::always_inline]] int try_lock(const void* task) {
    if (!held_by(task)) {
      if (!mutex.acquires_at_once()) [[unlikely]]
        return try_slowly(task, __builtin_return_address(0));
      owner.store(task, std::memory_order_relaxed);
    }
    return ++count;
  }

private:
  // For listeners: a lock that was acquired while somebody listened has another owner than the
  // task, and another count, so that each round comes here.
  void lock_slowly(const void* task, const void* codeptr);
  int try_slowly(const void* task, const void* codeptr);
  void unlock_traced(const void* codeptr);
  void own_traced(const void* task);
  void enter_again(bool tries, const void* codeptr);
  bool traced_by(const void* task) const { return held_by(static_cast<const char*>(task) + 1); }
  static constexpr int32_t kTraced = INT32_MIN; ///< and how often it is held

  /// Only the owner can find itself here, so a relaxed read decides "is it me".
  bool held_by(const void* task) const { return owner.load(std::memory_order_relaxed) == task; }

  Mutex mutex;
  int32_t count = 0;
  std::atomic<const void*> owner{nullptr};
};

/// omp_nest_lock_t where the program's variable has eight bytes, in LLVM's headers and in OpenMP
/// 2.5: the lock lies behind a pointer, and belongs to a thread.
class [[gnu::packed, gnu::aligned(4)]] ThreadNestLock {
public:
  /// To be called first; returns the lock.
  NestLock* make() {
    behind = static_cast<NestLock*>(sys::allocate(sizeof(NestLock), alignof(NestLock)));
    return new (behind) NestLock;
  }
  NestLock* get() { return behind; }
  void end() { sys::destroy(behind); }

  [[gnu::always_inline]] void lock() { behind->lock(this_thread()); }
  [[gnu::always_inline]] void unlock() { behind->unlock(); }
  [[gnu::always_inline]] int try_lock() { return behind->try_lock(this_thread()); }

private:
  static const void* this_thread() { return __builtin_thread_pointer(); }

  NestLock* behind;
};

static_assert(sizeof(Mutex) == 4 && alignof(Mutex) == 4, "omp_lock_t");
static_assert(sizeof(NestLock) == 8 + sizeof(void*) && alignof(NestLock) == alignof(void*),
              "omp_nest_lock_t");
static_assert(sizeof(ThreadNestLock) == 8 && alignof(ThreadNestLock) == 4, "LLVM's nest lock");

/// `critical` without a name, and `atomic` on operands that the processor has no instruction for:
/// each in a line of its own.
alignas(sys::kNoSharing) extern Mutex unnamed_critical;
alignas(sys::kNoSharing) extern Mutex unnamed_atomic;

/// In a child of fork: frees both, whose holder may be a thread that the child does not have, and
/// forgets which threads waited for any lock.
void repair_locks_after_fork();

} // namespace xomp
