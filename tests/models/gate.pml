/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The gate of runtime/sched/policy.h (close_gate, open_gate) on a machine with store buffers: when everything has
 * come to rest, a closed gate means that there is no room anywhere; so no worker runs its tasks at once for ever
 * while others starve.
 *
 * Bounded: one producer that creates TASKS tasks, CONSUMERS rings of one slot, each with a consumer that takes what
 * it finds until it loses interest. The gate is not the whole of has_room (slb.cc): here the producer looks at all
 * rings at one creation, which is what its count of refusals adds up to.
 *
 * xomp-model: cc=-DSAFETY pan=-m1000000
 * xomp-model: spin=-DCONSUMERS=1 spin=-DTASKS=6 cc=-DSAFETY pan=-m1000000
 * xomp-model: spin=-DNO_FENCE cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DNO_SECOND_LOOK cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DNO_CONSUMER_FENCE cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DOPEN_BEFORE_ROOM cc=-DSAFETY pan=-E fails
 */
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef TASKS
#define TASKS 4
#endif

#define THREADS (CONSUMERS + 1)
#define WORDS (CONSUMERS + 1)
#define BUFFER 2
#define PRODUCER CONSUMERS /* consumer i is thread i; word i is its slot: 1 full, 0 free */
#define GATE CONSUMERS
#define CLOSED 1
#define OPEN 0
#include "store_buffer.inc"


inline find_room(where) {
  where = 0;
  do
  :: where < CONSUMERS && LOAD(PRODUCER, where) == 1 -> where++
  :: where < CONSUMERS && LOAD(PRODUCER, where) == 0 -> break
  :: where == CONSUMERS -> break
  od
}

active proctype Producer() {
  byte created = 0, where;
  do
  :: created < TASKS ->
     created++;
     where = 0;
     if
     :: LOAD(PRODUCER, GATE) == CLOSED -> goto next /* run at once */
     :: LOAD(PRODUCER, GATE) == OPEN
     fi;
     find_room(where);
     if
     :: where < CONSUMERS -> store(PRODUCER, where, 1)
     :: else -> /* close_gate */
        store(PRODUCER, GATE, CLOSED);
#ifndef NO_FENCE
        DRAINED(PRODUCER);
#endif
#ifndef NO_SECOND_LOOK
        find_room(where);
        if
        :: where < CONSUMERS -> store(PRODUCER, GATE, OPEN)
        :: else
        fi
#endif
     fi;
next: skip
  :: else -> break
  od
}

active [CONSUMERS] proctype Consumer() {
  byte me = _pid - THREADS - 1;
end:
  do
  :: LOAD(me, me) == 1 ->
#ifdef OPEN_BEFORE_ROOM
     store(me, GATE, OPEN);
     store(me, me, 0)
#else
     store(me, me, 0); /* SpscRing::pop */
#ifndef NO_CONSUMER_FENCE
     DRAINED(me);
#endif
     if /* open_gate */
     :: LOAD(me, GATE) == CLOSED -> store(me, GATE, OPEN)
     :: LOAD(me, GATE) == OPEN
     fi
#endif
  :: break
  od
}

/* A consumer that still waits for tasks has found its slot free, so it is at rest as well. */
active proctype Observer() {
  byte i = 0;
  timeout;
  do
  :: i < CONSUMERS -> assert(mem[GATE] == OPEN || mem[i] == 1); i++
  :: else -> break
  od
}
