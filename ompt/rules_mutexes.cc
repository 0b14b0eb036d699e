// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutual exclusion: a thread asks, has, gives back (19.5.2.14, 19.5.2.15). That two do not have it
// at once cannot be seen from here: giving back is told after it has happened.
#include <cinttypes>
#include <cstdlib>

#include "rules.h"

namespace ompt_check {
namespace {

// ---- locks that are initialized ----

struct Shard {
  BriefLock lock;
  List<Held> list;
};
constexpr size_t kShards = 256;
Shard shards[kShards];

Shard& shard_of(ompt_wait_id_t mutex) {
  return shards[(mutex * 0x9e3779b97f4a7c15) >> 56 & (kShards - 1)];
}

int find(const List<Held>& list, ompt_mutex_t kind, ompt_wait_id_t mutex) {
  for (uint32_t i = list.size; i-- > 0;)
    if (list.items[i].kind == kind && list.items[i].mutex == mutex)
      return static_cast<int>(i);
  return -1;
}

bool initialized(ompt_mutex_t kind, ompt_wait_id_t mutex) {
  Shard& shard = shard_of(mutex);
  Locked locked(shard.lock);
  return find(shard.list, kind, mutex) >= 0;
}

bool is_lock(ompt_mutex_t plain) {
  return plain == ompt_mutex_lock || plain == ompt_mutex_nest_lock;
}

bool is_test(ompt_mutex_t kind) {
  return kind == ompt_mutex_test_lock || kind == ompt_mutex_test_nest_lock;
}

void check_kind(ompt_mutex_t kind) {
  if (kind < ompt_mutex_lock || kind > ompt_mutex_ordered)
    broken(Rule::kArguments, "a mutex of kind %d", kind);
}

void check_lock(ompt_mutex_t kind) {
  if (!is_lock(plain_kind(kind)))
    broken(Rule::kArguments, "%s is no lock", word_for(kind));
}

} // namespace

void lock_made(ompt_mutex_t kind, ompt_wait_id_t mutex, const void* address) {
  check_lock(kind);
  check_address(address, false);
  Shard& shard = shard_of(mutex);
  Locked locked(shard.lock);
  // Twice is allowed: the memory of a lock may be given up without destroying it.
  if (find(shard.list, plain_kind(kind), mutex) < 0)
    shard.list.push({plain_kind(kind), mutex, 0});
}

void lock_destroyed(ompt_mutex_t kind, ompt_wait_id_t mutex, const void* address) {
  check_lock(kind);
  check_address(address, false);
  bool known = false;
  {
    Shard& shard = shard_of(mutex);
    Locked locked(shard.lock);
    int index = find(shard.list, plain_kind(kind), mutex);
    known = index >= 0;
    if (known)
      shard.list.erase(static_cast<uint32_t>(index));
  }
  if (!known)
    broken(Rule::kMutexes, "%s %#" PRIx64 " is destroyed, and was not initialized", word_for(kind),
           mutex);
}

void mutex_asked(Thread& thread, ompt_mutex_t kind, ompt_wait_id_t mutex, const void* address) {
  check_kind(kind);
  check_address(address, false);
  if (is_lock(plain_kind(kind)) && !initialized(plain_kind(kind), mutex))
    broken(Rule::kMutexes, "%s %#" PRIx64 " has not been initialized", word_for(kind), mutex);
  Task* task = thread.current;
  if (task && plain_kind(kind) != ompt_mutex_nest_lock && !is_test(kind) &&
      find(task->held, plain_kind(kind), mutex) >= 0)
    broken(Rule::kMutexes, "task %" PRIu64 " asks for %s %#" PRIx64 ", which it has", task->id,
           word_for(kind), mutex);
  thread.asks = true;
  thread.asked_kind = kind;
  thread.asked_mutex = mutex;
  check_context(thread, Frame::kAny);
}

void mutex_acquired(Thread& thread, ompt_mutex_t kind, ompt_wait_id_t mutex, const void* address) {
  check_kind(kind);
  check_address(address, false);
  if (!thread.asks || thread.asked_mutex != mutex ||
      plain_kind(thread.asked_kind) != plain_kind(kind))
    broken(Rule::kMutexes, "%s %#" PRIx64 " is acquired, and was not asked for", word_for(kind),
           mutex);
  check_context(thread, Frame::kAny);
  thread.asks = false;
  if (!thread.current)
    return;
  if (find(thread.current->held, plain_kind(kind), mutex) >= 0)
    broken(Rule::kMutexes, "task %" PRIu64 " acquires %s %#" PRIx64 ", which it has",
           thread.current->id, word_for(kind), mutex);
  else
    thread.current->held.push({plain_kind(kind), mutex, 1});
}

void mutex_released(Thread& thread, ompt_mutex_t kind, ompt_wait_id_t mutex, const void* address) {
  check_kind(kind);
  check_address(address, false);
  check_context(thread, Frame::kAny);
  if (!thread.current)
    return;
  List<Held>& held = thread.current->held;
  int index = find(held, plain_kind(kind), mutex);
  if (index < 0) {
    broken(Rule::kMutexes, "task %" PRIu64 " gives %s %#" PRIx64 " back, which it does not have",
           thread.current->id, word_for(kind), mutex);
    return;
  }
  if (held.items[index].rounds != 1)
    broken(Rule::kMutexes,
           "task %" PRIu64 " gives %s %#" PRIx64 " back, and %d inner rounds are open",
           thread.current->id, word_for(kind), mutex, held.items[index].rounds - 1);
  held.erase(static_cast<uint32_t>(index));
}

void nest_round(Thread& thread, ompt_scope_endpoint_t endpoint, ompt_wait_id_t mutex,
                const void* address) {
  check_address(address, false);
  if (endpoint != ompt_scope_begin && endpoint != ompt_scope_end)
    broken(Rule::kArguments, "an endpoint of %d", endpoint);
  if (endpoint == ompt_scope_begin && !(thread.asks && thread.asked_mutex == mutex &&
                                        plain_kind(thread.asked_kind) == ompt_mutex_nest_lock))
    broken(Rule::kMutexes, "nest lock %#" PRIx64 " is acquired again, and was not asked for",
           mutex);
  thread.asks = false;
  if (!thread.current)
    return;
  int index = find(thread.current->held, ompt_mutex_nest_lock, mutex);
  if (index < 0) {
    broken(Rule::kMutexes,
           "an inner round of nest lock %#" PRIx64 ", which task %" PRIu64 " does not have", mutex,
           thread.current->id);
    return;
  }
  int& rounds = thread.current->held.items[index].rounds;
  rounds += endpoint == ompt_scope_begin ? 1 : -1;
  if (rounds < 1)
    broken(Rule::kMutexes, "the last round of nest lock %#" PRIx64 " is told as an inner one",
           mutex);
}

void check_not_asking(Thread& thread) {
  if (!thread.asks)
    return;
  thread.asks = false;
  if (!is_test(thread.asked_kind))
    broken(Rule::kMutexes, "it asked for %s %#" PRIx64 ", and has not been told to have it",
           word_for(thread.asked_kind), thread.asked_mutex);
}

} // namespace ompt_check
