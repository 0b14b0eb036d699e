/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Who wakes whom for a task that any worker can take (runtime/sched/README.md; code in sched/sleepers.h, task/wakeup.cc,
 * task/wait_loop.h), on a machine with store buffers: when nothing moves any more, no worker sleeps while a task lies
 * somewhere. Creators put one task each and wake one sleeper; the wait of worker 0 may end at any time, also after it
 * was woken for a task. With -DREGION that end is the begin of its region: it starts nothing before, and looks once then.
 *
 * Bounded: two creators that never take tasks themselves, two workers, one task each; claiming is one atomic step; the
 * bell, which has a model of its own, is a flag. The bit in the set is a plain store here, weaker than the code's
 * read-modify-write, so that the fence has to do the work.
 *
 * xomp-model: cc=-DSAFETY cc=-O1 pan=-m100000 pan=-w24
 * xomp-model: spin=-DNO_SLEEPER_FENCE cc=-DSAFETY fails
 * xomp-model: spin=-DNO_CREATOR_FENCE cc=-DSAFETY fails
 * xomp-model: spin=-DNO_LAST_LOOK cc=-DSAFETY fails
 * xomp-model: spin=-DNO_HANDING_ON cc=-DSAFETY fails
 * xomp-model: spin=-DREGION cc=-DSAFETY cc=-O1 pan=-m100000 pan=-w24
 * xomp-model: spin=-DREGION spin=-DNO_TAKING_ALONG cc=-DSAFETY fails
 */
#define CREATORS 2
#define WORKERS 2
#define THREADS 4 /* creators, then workers */
#define WORDS 4   /* a creator's task, then a worker's bit */
#define BUFFER 1
#define BIT(worker) (CREATORS + (worker))
#include "store_buffer.inc"

bool claimed[CREATORS];
bool rung[WORKERS];
bool sleeping[WORKERS];
bool over; /* the wait of worker 0 */
#ifdef REGION
#define MAY_START(id) (id != 0)
#else
#define MAY_START(id) true
#endif

/* Sleepers::choose by `me`, and the bell. */
inline wake_one(me) {
  i = 0;
  do
  :: i < WORKERS && LOAD(me, BIT(i)) == 0 -> i++
  :: i < WORKERS && LOAD(me, BIT(i)) != 0 ->
     atomic { /* fetch_and, then the bell */
       DRAINED(me) ->
       if
       :: mem[BIT(i)] == 1 && !pending[OWN(CREATORS + i, BIT(i))] -> mem[BIT(i)] = 0; rung[i] = true; i = WORKERS
       :: else -> i++
       fi
     }
  :: i == WORKERS -> break
  od
}

/* Whether there is a task, which is claimed then. */
inline look(me) {
  found = false;
  t = 0;
  do
  :: t < CREATORS && LOAD(me, t) == 1 ->
     atomic {
       if
       :: !claimed[t] -> claimed[t] = true; found = true; t = CREATORS
       :: else -> t++
       fi
     }
  :: t < CREATORS && LOAD(me, t) == 0 -> t++
  :: t == CREATORS -> break
  od
}

active [CREATORS] proctype Creator() {
  byte me = _pid - THREADS;
  byte i;
  store(me, me, 1);
#ifndef NO_CREATOR_FENCE
  DRAINED(me);
#endif
  wake_one(me)
}

active [WORKERS] proctype Worker() {
  byte me = _pid - THREADS, id = _pid - THREADS - CREATORS;
  byte i, t;
  bool found, woken;
  do
  :: id == 0 && over -> break
  :: else ->
     found = false;
     if
     :: MAY_START(id) -> look(me)
     :: else
     fi;
#ifndef NO_TAKING_ALONG
     if
     :: !MAY_START(id) && woken -> over; break /* wait_quietly */
     :: else
     fi;
#endif
     woken = false;
     if
     :: found /* runs it, and comes back */
     :: else ->
        rung[id] = false; /* Bell::prepare */
        if
        :: id == 0 && over -> break
        :: else
        fi;
        store(me, BIT(id), 1); /* prepare_park */
#ifndef NO_SLEEPER_FENCE
        DRAINED(me);
#endif
#ifndef NO_LAST_LOOK
        if
        :: MAY_START(id) -> look(me)
        :: else
        fi;
#endif
        if
        :: found
        :: else ->
           sleeping[id] = true;
end_asleep: /* when no task is left, for ever */
           (rung[id] || (id == 0 && over));
           sleeping[id] = false
        fi;
        atomic { /* end_park */
          DRAINED(me) ->
          woken = (mem[BIT(id)] == 0);
          mem[BIT(id)] = 0
        }
#ifndef NO_HANDING_ON
        if
        :: woken && found -> DRAINED(me); wake_one(me); woken = false
        :: else
        fi
#endif
     fi
  od;
#ifndef NO_HANDING_ON
  if
  :: woken -> DRAINED(me); wake_one(me)
  :: else
  fi;
#endif
#ifdef REGION
  look(me) /* before it sleeps there */
#endif
}

active proctype Barrier() {
  if
  :: over = true /* and its bell is rung */
#ifndef REGION
  :: skip
#endif
  fi
}

/* When nothing moves any more. */
#define LEFT(creator) (mem[creator] == 1 && !claimed[creator])
active proctype Judge() {
end:
  timeout;
  assert(!((LEFT(0) || LEFT(1)) && (sleeping[0] || sleeping[1])))
}
