/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Who wakes whom where workers sleep inside tasks, and may start descendants of these only (runtime/sched/README.md;
 * code in task/wakeup.cc, task/wait_loop.h): when nothing moves any more, no worker sleeps that could start a task that
 * lies somewhere. sleepers.pml has those that could start anything; one of these may be here as well. A worker that has
 * a task never comes back: what it leaves lying stays there. A worker that did not get the task for which it was called
 * forwards the wake-up, unless it got another child of the same full frame.
 *
 * Waiter 0 waits in the outermost task, 1 in a child of it, 2 in a child of that or, with STRANGER, in a barrier; task
 * t is a child of the task of waiter HOME(t). UNKNOWN: who creates tasks does not know the full frame (wake_any). ENDS: the
 * wait of one waiter may end at any time. Memory is sequentially consistent; store buffers are in
 * sleepers.pml, the C++ memory model in tests/orders/wakeup.cc.
 *
 * xomp-model: cc=-DSAFETY pan=-m1000000
 * xomp-model: spin=-DENDS cc=-DSAFETY pan=-m1000000
 * xomp-model: spin=-DTASKS=3 cc=-DSAFETY cc=-O1 pan=-m1000000 pan=-w24
 * xomp-model: spin=-DSTRANGER cc=-DSAFETY pan=-m1000000
 * xomp-model: spin=-DUNKNOWN cc=-DSAFETY pan=-m1000000
 * xomp-model: spin=-DSTRANGER spin=-DUNKNOWN cc=-DSAFETY pan=-m1000000
 * xomp-model: spin=-DTWO_CALLS_TO_ONE cc=-DSAFETY fails
 * xomp-model: spin=-DKEEPS_THE_CALL cc=-DSAFETY fails
 * xomp-model: spin=-DENDS spin=-DENDS_SILENTLY cc=-DSAFETY fails
 * xomp-model: spin=-DTASKS=3 spin=-DLAST_LOOK_MEANS_IT cc=-DSAFETY fails
 * xomp-model: spin=-DNO_LAST_LOOK cc=-DSAFETY fails
 */
#ifndef TASKS
#define TASKS 2
#endif
#define WORKERS 3
#ifdef STRANGER
#define WAITERS 2 /* the last worker could start anything */
#else
#define WAITERS 3
#endif
/* Whose child: the first is deep, the others lie higher. */
#define HOME(task) ((task) == 0 -> WAITERS - 1 : WAITERS - 2)
#define MAY(worker, task) ((worker) >= WAITERS || (worker) <= HOME(task))

#define STARTS(worker, task) (there[task] && !taken[task] && MAY(worker, task))

#define AWAKE 0
#define ASLEEP 1    /* and to be called */
#define ALL 2       /* everybody was called */
#define FOR(task) (3 + (task))
#define OF(home) (6 + (home))
#define NOTHING 255

bool there[TASKS], taken[TASKS];
byte word[WORKERS]; /* Worker::wake_word; of the stranger also its bit among the sleepers */
bool rung[WORKERS];
bool blocked[WORKERS];

inline ring(worker) { rung[worker] = true }

/* The compare-and-swap of `wake_word`, and the bell. */
inline try_call(worker, what) {
  atomic {
    if
    :: word[worker] == ASLEEP -> word[worker] = what; called = true; ring(worker)
    :: else
    fi
  }
}

/* wake_any */
inline wake_any(what) {
  called = false;
#ifdef STRANGER
  try_call(WAITERS, what);
#endif
  n = 0;
  do
  :: !called && n < WAITERS ->
     atomic {
       if
       :: word[n] == ASLEEP -> word[n] = ALL; ring(n)
       :: else
       fi;
       n++
     }
  :: else -> break
  od;
  n = 0;
  called = false
}

inline wake_for(home) {
  called = false;
#ifdef STRANGER
  try_call(WAITERS, OF(home));
#endif
  n = home + 1;
  do
  :: !called && n > 0 ->
#ifdef TWO_CALLS_TO_ONE
     atomic {
       if
       :: word[n - 1] != AWAKE -> word[n - 1] = OF(home); called = true; ring(n - 1)
       :: else
       fi
     }
#else
     try_call(n - 1, OF(home));
#endif
     n--
  :: else -> break
  od;
  n = 0;
  called = false
}

/* Claims a task that the worker may start, whichever comes first. */
inline look(me) {
  found = NOTHING;
  if
  :: atomic { STARTS(me, 0) -> taken[0] = true; found = 0 }
  :: atomic { STARTS(me, 1) -> taken[1] = true; found = 1 }
#if TASKS > 2
  :: atomic { STARTS(me, 2) -> taken[2] = true; found = 2 }
#endif
  :: atomic { !STARTS(me, 0) && !STARTS(me, 1) && !(TASKS > 2 && STARTS(me, TASKS - 1)) -> skip }
  fi
}

#define MEANT (call == ALL || call == FOR(found) || call == OF(HOME(found)))
#ifdef UNKNOWN
#define WAKE(task) wake_any(FOR(task))
#else
#define WAKE(task) wake_for(HOME(task))
#endif

active [TASKS] proctype Creator() {
  byte n;
  bool called;
  there[_pid] = true;
  WAKE(_pid)
}

bool over; /* the wait of waiter 1 or 2 */
byte ends;

active [WORKERS] proctype Worker() {
  byte me = _pid - TASKS;
  byte n, call, found = NOTHING;
  bool called;
  do
  :: over && ends == me -> break
  :: else ->
     call = AWAKE;
     rung[me] = false; /* Bell::prepare */
     if
     :: over && ends == me -> break
     :: else
     fi;
     word[me] = ASLEEP; /* prepare_park */
#ifndef NO_LAST_LOOK
     look(me);
#endif
     if
     :: found == NOTHING ->
        blocked[me] = true;
end_asleep:
        rung[me] || (over && ends == me);
        blocked[me] = false
     :: else
     fi;
     atomic { call = (word[me] == ASLEEP -> AWAKE : word[me]); word[me] = AWAKE } /* end_park */
     if
     :: found != NOTHING ->
#ifdef LAST_LOOK_MEANS_IT
        if
        :: MEANT -> call = AWAKE
        :: else
        fi;
#endif
        break
     :: else
     fi;
     if
     :: over && ends == me -> break
     :: else
     fi;
     look(me); /* with the call */
     if
     :: found != NOTHING ->
#ifdef KEEPS_THE_CALL
        call = AWAKE;
#else
        if
        :: MEANT -> call = AWAKE
        :: else
        fi;
#endif
        break
     :: else -> call = AWAKE
     fi
  od;
#ifdef ENDS_SILENTLY
  if
  :: found == NOTHING -> call = AWAKE
  :: else
  fi;
#endif
  if
  :: call != AWAKE -> wake_any(call)
  :: else
  fi
}

#ifdef ENDS
active proctype End() {
  if
  :: atomic { ends = 1; over = true }
  :: atomic { ends = 2; over = true }
  :: skip
  fi
}
#endif

#define ANY_LIES(worker) (blocked[worker] && (STARTS(worker, 0) || STARTS(worker, 1) || (TASKS > 2 && STARTS(worker, TASKS - 1))))
active proctype Judge() {
end:
  timeout;
  assert(!ANY_LIES(0) && !ANY_LIES(1) && !ANY_LIES(2))
}
