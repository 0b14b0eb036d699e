// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records that an ompt_data_t can name: by a number made of the record's place and of how often
// that place was given out. A number whose record is gone, or that was never one, is known as such.
#pragma once
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <sched.h>

#include "omp-tools.h"

namespace ompt_check {

class BriefLock {
public:
  void lock() {
    // Its owner may have lost its processor.
    for (int tries = 0; flag.test_and_set(std::memory_order_acquire); ++tries)
      if (tries > 100)
        sched_yield();
  }
  void unlock() { flag.clear(std::memory_order_release); }

private:
  std::atomic_flag flag = ATOMIC_FLAG_INIT;
};

class Locked {
public:
  explicit Locked(BriefLock& lock) : lock(lock) { lock.lock(); }
  ~Locked() { lock.unlock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

private:
  BriefLock& lock;
};

/// What every record begins with.
struct Record {
  /// Of its number; changes when the record is given back. Release and acquire: who finds a number
  /// again sees what was written before the number was handed out.
  std::atomic<uint32_t> generation{1};
  uint32_t place = 0;
  /// 1 for itself until it is over, and 1 for each record that refers to it.
  std::atomic<uint32_t> users{0};
  Record* next_free = nullptr;
};

/// Never gives memory back: a stale number then leads to a record of another generation.
template <class T, uint8_t kTag> class Pool {
public:
  T& take() {
    T* record = static_cast<T*>(from_free());
    if (!record)
      record = fresh();
    record->users.store(1, std::memory_order_relaxed);
    return *record;
  }

  static void use(T& record) { record.users.fetch_add(1, std::memory_order_relaxed); }

  void drop(T& record) {
    if (last_use(record))
      give_back(record);
  }

  /// Acquire and release: the last one sees what all others did with it.
  static bool last_use(T& record) {
    return record.users.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

  void give_back(T& record) {
    record.release();
    record.generation.fetch_add(1, std::memory_order_release);
    Locked locked(lock);
    record.next_free = free;
    free = &record;
  }

  static ompt_data_t number(const T& record) {
    uint64_t generation = record.generation.load(std::memory_order_relaxed) & kGenerations;
    return {.value = uint64_t{kTag} << 56 | generation << 32 | record.place};
  }

  static bool is_number(uint64_t value) { return value >> 56 == kTag; }

  /// Null: there is no such record now.
  T* find(uint64_t value) const {
    auto place = static_cast<uint32_t>(value);
    if (!is_number(value) || place >= made.load(std::memory_order_acquire))
      return nullptr;
    T* record = &chunks[place / kChunk].load(std::memory_order_acquire)[place % kChunk];
    uint64_t generation = record->generation.load(std::memory_order_acquire) & kGenerations;
    return generation == (value >> 32 & kGenerations) ? record : nullptr;
  }

  /// Whether there is such a record now, and `property` holds for it. The record may be given back
  /// and be taken anew between the two: then its number is no longer found, if `property` loads
  /// with acquire what the taker has stored with release.
  template <class F> bool holds(uint64_t value, F&& property) const {
    const T* record = find(value);
    return record && property(*record) && find(value) == record;
  }

  template <class F> void for_each(F&& function) const {
    for (uint32_t i = 0; i < made.load(std::memory_order_acquire); ++i)
      function(chunks[i / kChunk].load(std::memory_order_relaxed)[i % kChunk]);
  }

private:
  static constexpr uint32_t kChunk = 1024, kChunks = 65536;
  static constexpr uint64_t kGenerations = 0xffffff;

  Record* from_free() {
    Locked locked(lock);
    Record* record = free;
    if (record)
      free = record->next_free;
    return record;
  }

  T* fresh() {
    Locked locked(lock);
    uint32_t place = made.load(std::memory_order_relaxed);
    std::atomic<T*>& chunk = chunks[place / kChunk % kChunks];
    T* records = chunk.load(std::memory_order_relaxed);
    if (!records) {
      records = static_cast<T*>(calloc(kChunk, sizeof(T)));
      if (!records)
        abort();
      for (uint32_t i = 0; i < kChunk; ++i)
        new (&records[i]) T;
      chunk.store(records, std::memory_order_release);
    }
    T* record = &records[place % kChunk];
    record->place = place;
    made.store(place + 1, std::memory_order_release);
    return record;
  }

  std::atomic<T*> chunks[kChunks];
  std::atomic<uint32_t> made{0};
  BriefLock lock;
  Record* free = nullptr;
};

} // namespace ompt_check
