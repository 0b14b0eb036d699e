/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * One slot of the split stack (runtime/queue/split_stack.h) on a machine with store buffers: its owner pushes a task and
 * claims it without a fence, thieves make it public and take it under the lock. Every task is run once. Behind each task is
 * a barrier: its owner reports when no theft is under way (`guests`), and if it was stolen from since its last report it
 * says so (`dirty`, which the thief has made true; what a barrier makes of that is pair_barrier.pml's job).
 *
 * Bounded: ROUNDS tasks, one after the other in the same slot, THIEVES thieves that look TRIES times each.
 *
 * xomp-model: cc=-DSAFETY pan=-m1000000
 * xomp-model: spin=-DTHIEVES=2 spin=-DTRIES=1 spin=-DROUNDS=1 cc=-DSAFETY pan=-m1000000
 * xomp-model: spin=-DNO_HEAVY_FENCE cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DNO_LOOK_AT_BODY cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DNO_COMPARE_AND_SWAP cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DNO_LOOK_AT_SPLIT cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DNEVER_DIRTY cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DDIRTY_LATE cc=-DSAFETY pan=-E fails
 */
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef TRIES
#define TRIES 2
#endif
#ifndef THIEVES
#define THIEVES 1
#endif

#define THREADS (THIEVES + 1)
#define WORDS 5
#define BUFFER 2
#define OWNER 0
#define LINK 0 /* what the slot is */
#define FRAME 0
#define PENDING 1
#define GONE 2
#define SPLIT 1 /* 1: the slot is public (`split` and `claim_from`, which change together but for asks that only send the owner to the lock) */
#define BODY 2  /* 0: taken by a thief */
#define GUESTS 3
#define DIRTY 4
#include "store_buffer.inc"

bit locked = 0;
bit stolen = 0; /* the task was, since its owner's last report */
byte ran = 0, ended = 0;

/* A locked instruction, and the store that unlocks: on x86-64 stores leave the buffer in order, so what was written
 * before is in memory when the lock is seen to be free. */
inline lock(thread) {
  atomic { !locked && DRAINED(thread) -> locked = 1 }
}
inline unlock(thread) {
  atomic { DRAINED(thread) -> locked = 0 }
}

inline make_dirty(thread) {
  if
  :: LOAD(thread, DIRTY) == 0 -> store(thread, DIRTY, 1)
  :: else
  fi
}

active proctype Owner() {
  byte round = 0, link;
  do
  :: round < ROUNDS ->
     round++;
     store(OWNER, BODY, 1); /* push */
     store(OWNER, LINK, PENDING);
     link = LOAD(OWNER, LINK); /* claim */
     if
     :: link == PENDING ->
        store(OWNER, LINK, FRAME);
#ifndef NO_LOOK_AT_SPLIT
        if
        :: LOAD(OWNER, SPLIT) == 1 -> goto slowly
        :: else
        fi;
#endif
        ran++;
        goto next
     :: else
     fi;
slowly: /* claim_slowly */
     lock(OWNER);
#ifdef NO_LOOK_AT_BODY
     if
     :: LOAD(OWNER, LINK) == FRAME -> ran++
     :: else
     fi;
#else
     if
     :: LOAD(OWNER, BODY) == 1 -> ran++
     :: else
     fi;
#endif
     store(OWNER, SPLIT, 0);
     unlock(OWNER);
next: /* the barrier: settled, was_dirty */
     LOAD(OWNER, GUESTS) == 0;
     if
     :: LOAD(OWNER, DIRTY) == 1 -> store(OWNER, DIRTY, 0)
     :: else -> assert(!stolen)
     fi;
     stolen = 0
  :: else -> break
  od;
  ended++
}

active [THIEVES] proctype Thief() {
  byte me = _pid - THREADS, tries = 0;
  bit mine;
  do
  :: tries < TRIES ->
     tries++;
     lock(me);
     store(me, SPLIT, 1); /* force */
     DRAINED(me);
#ifndef NO_HEAVY_FENCE
     DRAINED(OWNER); /* membarrier: the owner passes a fence at some moment from now on */
#endif
     mine = 0;
     if
     :: LOAD(me, LINK) == PENDING ->
#ifdef NO_COMPARE_AND_SWAP
        /* What it was is read again when it is copied. */
        mine = (LOAD(me, LINK) == PENDING);
        store(me, LINK, GONE);
        store(me, BODY, 0)
#else
        atomic {
          DRAINED(me);
          if
          :: mem[LINK] == PENDING -> mem[LINK] = GONE; mine = 1
          :: else
          fi
        };
        if
        :: mine -> store(me, BODY, 0)
        :: else
        fi
#endif
     :: else
     fi;
     if
     :: mine ->
        stolen = 1;
        atomic { DRAINED(me) -> mem[GUESTS] = mem[GUESTS] + 1 };
#if !defined(NEVER_DIRTY) && !defined(DIRTY_LATE)
        make_dirty(me);
#endif
        unlock(me);
        ran++;
        atomic { DRAINED(me) -> mem[GUESTS] = mem[GUESTS] - 1 };
#ifdef DIRTY_LATE
        make_dirty(me)
#endif
     :: else -> unlock(me)
     fi
  :: else -> break
  od;
  ended++
}

active proctype End() {
  ended == THIEVES + 1;
  assert(ran == ROUNDS)
}
