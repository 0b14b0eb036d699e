// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/exclusion.h"

#include "sys/assert.h"
#include "sys/delay.h"
#include "sys/memory.h"
#include "task/worker.h"

namespace xomp {
namespace {

/// Lists in which a task waits before it is kept from nothing any more: bounds the steps that all
/// others take for it, and how many may overtake it.
constexpr uint32_t kMostMoves = 16;

void push(Exclusion*& first, Exclusion*& last, Exclusion& own) {
  own.next = nullptr;
  (first ? last->next : first) = &own;
  last = &own;
}

Exclusion& pop(Exclusion*& first) {
  XOMP_ASSERT(first && first->arbiter.lock.is_held());
  Exclusion& own = *first;
  first = own.next;
  return own;
}

/// An item that somebody holds; null if there is none, and the task holds all of them now.
ExclusiveItem* take_all(Exclusion& own) {
  for (uint32_t i = 0; i < own.count; ++i) {
    if (own.items()[i]->holder)
      return own.items()[i];
  }
  for (uint32_t i = 0; i < own.count; ++i)
    own.items()[i]->holder = &own;
  return nullptr;
}

/// For an elder. True: it holds all of its items now.
bool take_what_is_free(Exclusion& own) {
  bool all = true;
  for (uint32_t i = 0; i < own.count; ++i) {
    ExclusiveItem& item = *own.items()[i];
    if (!item.holder)
      item.holder = &own;
    all = all && item.holder == &own;
  }
  return all;
}

/// True: it holds all of its items. False: it is blocked where its coming is noticed, since
/// somebody holds `busy` and looks at whoever is blocked there.
bool take_or_block(Exclusion& own) {
  XOMP_ASSERT(own.arbiter.lock.is_held() && own.moves <= kMostMoves);
  ExclusiveItem* busy = take_all(own);
  if (!busy)
    return true;
  if (++own.moves <= kMostMoves) {
    push(busy->blocked, busy->last_blocked, own);
    return false;
  }
  ExclusionArbiter& arbiter = own.arbiter;
  push(arbiter.elders, arbiter.last_elder, own);
  if (arbiter.elders == &own)
    take_what_is_free(own);
  return false;
}

struct Admitted {
  Exclusion* first = nullptr;
  Exclusion* last = nullptr;
  void add(Exclusion& own) { push(first, last, own); }
};

void give_to_elders(ExclusionArbiter& arbiter, Admitted& admitted) {
  while (arbiter.elders && take_what_is_free(*arbiter.elders))
    admitted.add(pop(arbiter.elders));
}

void give_to_blocked(ExclusiveItem& item, Admitted& admitted) {
  // A task that does not get all of its items is blocked elsewhere: nobody holds this one.
  while (!item.holder && item.blocked) {
    Exclusion& own = pop(item.blocked);
    if (take_or_block(own))
      admitted.add(own);
  }
}

ExclusiveItem* item_of(DeferredTask& task, const void* address) {
  Exclusion& own = *task.exclusion;
  for (uint32_t i = 0; i < own.count; ++i) {
    if (own.items()[i]->address == address)
      return own.items()[i];
  }
  return nullptr;
}

} // namespace

ExclusionArbiter& make_arbiter(sys::BriefLock& lock) {
  return *sys::create<ExclusionArbiter>(1u, lock);
}

void release_arbiter(ExclusionArbiter* arbiter) {
  XOMP_ASSERT(!arbiter || arbiter->refs > 0);
  if (arbiter && --arbiter->refs == 0)
    sys::destroy(arbiter);
}

void exclude(DeferredTask& task, const void* address, DeferredTask* peer, ExclusionArbiter& arbiter,
             uint32_t most) {
  if (!task.exclusion) {
    void* memory = sys::allocate(sizeof(Exclusion) + most * sizeof(ExclusiveItem*));
    task.exclusion = ::new (memory) Exclusion{task, arbiter, 0, false};
  }
  Exclusion& own = *task.exclusion;
  if (item_of(task, address)) // listed twice
    return;
  ExclusiveItem* item = peer ? item_of(*peer, address) : nullptr;
  if (!item) {
    item = ::new (sys::allocate(sizeof(ExclusiveItem))) ExclusiveItem{address, arbiter};
    ++arbiter.refs;
  }
  ++item->refs;
  XOMP_ASSERT(own.count < most);
  own.items()[own.count++] = item;
}

void free_exclusion(DeferredTask& task) {
  Exclusion* own = task.exclusion;
  if (!own)
    return;
  for (uint32_t i = 0; i < own->count; ++i) {
    ExclusiveItem* item = own->items()[i];
    XOMP_ASSERT(item->refs > 0 && (item->refs > 1 || (!item->holder && !item->blocked)));
    if (--item->refs == 0) {
      release_arbiter(&item->arbiter);
      sys::destroy(item);
    }
  }
  sys::destroy(own);
  task.exclusion = nullptr;
}

bool admit(DeferredTask& task) {
  Exclusion& own = *task.exclusion;
  own.arbiter.lock.lock();
  bool all = take_or_block(own);
  own.arbiter.lock.unlock();
  // From here on a blocked task is its next holder's: it may be over and freed.
  sys::delay();
  return all && !notify_creator(own);
}

Exclusion* release_items(DeferredTask& task) {
  Exclusion& own = *task.exclusion;
  Admitted admitted;
  own.arbiter.lock.lock();
  for (uint32_t i = 0; i < own.count; ++i) {
    XOMP_ASSERT(own.items()[i]->holder == &own);
    own.items()[i]->holder = nullptr;
  }
  give_to_elders(own.arbiter, admitted);
  for (uint32_t i = 0; i < own.count; ++i)
    give_to_blocked(*own.items()[i], admitted);
  own.arbiter.lock.unlock();
  sys::delay();
  return admitted.first;
}

bool notify_creator(Exclusion& admitted) {
  if (!admitted.creator_runs)
    return false;
  Worker& creator = *admitted.task.parent->owner;
  // Release: the effects of those that held the items before. The task may be over after this.
  admitted.admitted.store(true, std::memory_order_release);
  creator.bell.ring();
  return true;
}

} // namespace xomp
