// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutual exclusion: the futex mutex under omp_lock_t, `critical` and `atomic`, and the nestable
// locks. The objects lie in the program's memory, so their layouts are ABI; all zeros means free.
#pragma once
#include <atomic>
#include <cstdint>

namespace xomp {

/// Sleeping mutex on one 32-bit word (Drepper, "Futexes Are Tricky", mutex 2): free, held, or held
/// with sleepers. May be released by another thread than the one that acquired it, as OpenMP's
/// task-owned locks need.
class Mutex {
public:
  bool try_lock() {
    uint32_t expected = kFree;
    // Acquire pairs with the release in unlock: what the last holder wrote is visible to the next.
    return word.compare_exchange_strong(expected, kHeld, std::memory_order_acquire,
                                        std::memory_order_relaxed);
  }
  void lock() {
    if (!try_lock()) [[unlikely]]
      lock_contended();
  }
  void unlock() {
    if (word.exchange(kFree, std::memory_order_release) == kContended) [[unlikely]]
      wake_one();
  }

private:
  enum : uint32_t { kFree = 0, kHeld = 1, kContended = 2 };

  void lock_contended();
  void wake_one();

  std::atomic<uint32_t> word{kFree};
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
  void lock(const void* task);
  void unlock();
  int try_lock(const void* task); ///< the new nesting count; 0 when another task holds it

private:
  /// Only the owner can find itself here, so a relaxed read decides "is it me".
  bool held_by(const void* task) const { return owner.load(std::memory_order_relaxed) == task; }

  Mutex mutex;
  int32_t count = 0;
  std::atomic<const void*> owner{nullptr};
};

/// omp_nest_lock_t of OpenMP 2.5: owned by a thread, known by its kernel id.
class ThreadNestLock {
public:
  void lock();
  void unlock();
  int try_lock();

private:
  std::atomic<uint32_t> owner{0};
  int32_t count = 0;
};

static_assert(sizeof(Mutex) == 4 && alignof(Mutex) == 4, "omp_lock_t");
static_assert(sizeof(NestLock) == 8 + sizeof(void*) && alignof(NestLock) == alignof(void*),
              "omp_nest_lock_t");
static_assert(sizeof(ThreadNestLock) == 8 && alignof(ThreadNestLock) == 4, "OMP_1.0's nest lock");

extern Mutex unnamed_critical; ///< `critical` without a name
extern Mutex unnamed_atomic;   ///< `atomic` on operands that the processor has no instruction for

/// Frees both in a child of fork: their holder may be a thread that the child does not have.
void free_process_locks();

} // namespace xomp
