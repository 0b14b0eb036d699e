/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The sleeping protocol of runtime/sys/bell.h (table in runtime/sys/README.md) on a machine with store buffers:
 * no wake-up is lost. A lost one is an end state in which the sleeper sleeps: spin's check for invalid end states.
 *
 * Bounded: one sleeper, POSTERS posters that post NEWS news each; the kernel's futex is one atomic step to compare
 * and queue and one to wake; every wait of the sleeper has the form of task/wait_loop.h. Spurious wake-ups are left
 * out, they can only help.
 *
 * xomp-model: cc=-DSAFETY pan=-m100000
 * xomp-model: spin=-DNEWS=2 cc=-DSAFETY pan=-m1000000
 * xomp-model: spin=-DNO_SLEEPER_FENCE cc=-DSAFETY fails
 * xomp-model: spin=-DNO_POSTER_FENCE cc=-DSAFETY fails
 * xomp-model: spin=-DNO_SECOND_LOOK cc=-DSAFETY fails
 * xomp-model: spin=-DRING_BEFORE_NEWS cc=-DSAFETY fails
 */
#ifndef POSTERS
#define POSTERS 2
#endif
#ifndef NEWS
#define NEWS 1
#endif

#define THREADS (POSTERS + 1)
#define WORDS (POSTERS + 1)
#define BUFFER 2
#define SLEEPER POSTERS /* posters are threads 0 .. POSTERS-1 and write the words of these numbers */
#define ASLEEP POSTERS
#include "store_buffer.inc"

bool queued; /* the sleeper is in the kernel's queue */

#define ALL_NEWS (LOAD(SLEEPER, 0) == NEWS && LOAD(SLEEPER, POSTERS - 1) == NEWS)

inline ring(me) {
#ifndef NO_POSTER_FENCE
  DRAINED(me); /* Bell::ring: the fence */
#endif
  if
  :: LOAD(me, ASLEEP) == 0
  :: LOAD(me, ASLEEP) != 0 -> /* Bell::wake: an exchange, which is a fence too, and then the system call */
     atomic {
       DRAINED(me) -> sleeping = mem[ASLEEP];
       mem[ASLEEP] = 0
     }
     if
     :: sleeping -> sleeping = 0; queued = false
     :: else
     fi
  fi
}

active [POSTERS] proctype Poster() {
  byte me = _pid - THREADS, i = 1;
  byte sleeping;
  do
  :: i <= NEWS ->
#ifdef RING_BEFORE_NEWS
     ring(me);
     store(me, me, i);
#else
     store(me, me, i);
     ring(me);
#endif
     i++
  :: else -> break
  od
}

active proctype Sleeper() {
  do
  :: ALL_NEWS -> break
  :: else ->
     store(SLEEPER, ASLEEP, 1); /* Bell::prepare */
#ifndef NO_SLEEPER_FENCE
     DRAINED(SLEEPER);
#endif
#ifndef NO_SECOND_LOOK
     if
     :: ALL_NEWS -> store(SLEEPER, ASLEEP, 0); break /* Bell::cancel */
     :: else
     fi;
#endif
     do /* Bell::sleep */
     :: LOAD(SLEEPER, ASLEEP) == 0 -> break
     :: LOAD(SLEEPER, ASLEEP) != 0 ->
        atomic { /* futex_wait; the kernel's lock is a fence */
          DRAINED(SLEEPER) ->
          if
          :: mem[ASLEEP] == 1 -> queued = true
          :: else
          fi
        }
        !queued
     od
  od
}
