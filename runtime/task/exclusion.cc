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
  XOMP_ASSERT(first && first->room.lock.is_held());
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

/// True: it holds all of its items. False: it is parked where its coming is noticed, since somebody
/// holds `busy` and looks at whoever is parked there.
bool take_or_park(Exclusion& own) {
  XOMP_ASSERT(own.room.lock.is_held() && own.moves <= kMostMoves);
  ExclusiveItem* busy = take_all(own);
  if (!busy)
    return true;
  if (++own.moves <= kMostMoves) {
    push(busy->parked, busy->last_parked, own);
    return false;
  }
  ExclusionRoom& room = own.room;
  push(room.elders, room.last_elder, own);
  if (room.elders == &own)
    take_what_is_free(own);
  return false;
}

struct Admitted {
  Exclusion* first = nullptr;
  Exclusion* last = nullptr;
  void add(Exclusion& own) { push(first, last, own); }
};

void give_to_elders(ExclusionRoom& room, Admitted& admitted) {
  while (room.elders && take_what_is_free(*room.elders))
    admitted.add(pop(room.elders));
}

void give_to_parked(ExclusiveItem& item, Admitted& admitted) {
  // Who does not get all of its items is parked elsewhere: nobody holds this one.
  while (!item.holder && item.parked) {
    Exclusion& own = pop(item.parked);
    if (take_or_park(own))
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

ExclusionRoom& make_room_for_exclusion() {
  auto* room = sys::create<ExclusionRoom>();
  room->refs = 1;
  return *room;
}

void leave_room(ExclusionRoom* room) {
  XOMP_ASSERT(!room || room->refs > 0);
  if (room && --room->refs == 0)
    sys::destroy(room);
}

void exclude(DeferredTask& task, const void* address, DeferredTask* peer, ExclusionRoom& room,
             uint32_t most) {
  if (!task.exclusion) {
    void* memory = sys::allocate(sizeof(Exclusion) + most * sizeof(ExclusiveItem*));
    task.exclusion = ::new (memory) Exclusion{task, room, 0, false};
  }
  Exclusion& own = *task.exclusion;
  if (item_of(task, address)) // listed twice
    return;
  ExclusiveItem* item = peer ? item_of(*peer, address) : nullptr;
  if (!item) {
    item = ::new (sys::allocate(sizeof(ExclusiveItem))) ExclusiveItem{address, room};
    ++room.refs;
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
    XOMP_ASSERT(item->refs > 0 && (item->refs > 1 || (!item->holder && !item->parked)));
    if (--item->refs == 0) {
      leave_room(&item->room);
      sys::destroy(item);
    }
  }
  sys::destroy(own);
  task.exclusion = nullptr;
}

bool admit(DeferredTask& task) {
  Exclusion& own = *task.exclusion;
  own.room.lock.lock();
  bool all = take_or_park(own);
  own.room.lock.unlock();
  // From here on a parked task is its next holder's: it may be over and freed.
  sys::delay();
  return all && !tell_creator(own);
}

Exclusion* give_back(DeferredTask& task) {
  Exclusion& own = *task.exclusion;
  Admitted admitted;
  own.room.lock.lock();
  for (uint32_t i = 0; i < own.count; ++i) {
    XOMP_ASSERT(own.items()[i]->holder == &own);
    own.items()[i]->holder = nullptr;
  }
  give_to_elders(own.room, admitted);
  for (uint32_t i = 0; i < own.count; ++i)
    give_to_parked(*own.items()[i], admitted);
  own.room.lock.unlock();
  sys::delay();
  return admitted.first;
}

bool tell_creator(Exclusion& admitted) {
  if (!admitted.creator_runs)
    return false;
  Worker& creator = *admitted.task.home->owner;
  // Release: the effects of those that held the items before. The task may be over after this.
  admitted.admitted.store(true, std::memory_order_release);
  creator.bell.ring();
  return true;
}

} // namespace xomp
