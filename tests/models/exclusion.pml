/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Tasks that exclude one another (runtime/task/exclusion.cc): whoever ends the wait for a task's predecessors admits
 * it, holders give their items back when they are complete. No two tasks that share an item overlap, each task is
 * admitted once, none waits for an item that nobody holds, and all end: a task that waits for ever is an invalid end
 * state. A task's memory is freed when it is over, so nobody may touch it after it was blocked and the lock given up.
 *
 * Bounded: three tasks over three items in a ring ({0,1}, {1,2}, {2,0}), with LINE {0,1}, {0}, {0}, {1}, with PAIR
 * {0,1}, {0,1}, {1}; each is admitted by a process of its own at any time. MOVES is kMostMoves. The room's lock makes
 * each of the two operations one step; the variants take it apart.
 *
 * xomp-model: cc=-DSAFETY
 * xomp-model: spin=-DLINE cc=-DSAFETY
 * xomp-model: spin=-DMOVES=0 cc=-DSAFETY
 * xomp-model: spin=-DLINE spin=-DMOVES=0 cc=-DSAFETY
 * xomp-model: spin=-DPAIR cc=-DSAFETY
 * xomp-model: spin=-DPAIR spin=-DMOVES=0 cc=-DSAFETY
 * xomp-model: spin=-DONE_BY_ONE cc=-DSAFETY fails
 * xomp-model: spin=-DNEWEST_ELDER spin=-DPAIR spin=-DMOVES=0 cc=-DSAFETY fails
 * xomp-model: spin=-DPARK_LATE cc=-DSAFETY fails
 * xomp-model: spin=-DLOOK_AT_FIRST spin=-DLINE spin=-DMOVES=2 cc=-DSAFETY fails
 * xomp-model: spin=-DTOUCH_PARKED cc=-DSAFETY fails
 */
#ifdef LINE
#define TASKS 4
#else
#define TASKS 3
#endif
#define ITEMS 3
#ifndef MOVES
#define MOVES 1
#endif
#define NOBODY 255

/* The items of a task, lowest number first: it looks at them in this order. */
#ifdef LINE
#define NAMES(task, item) ((task == 0 && item < 2) || (task > 0 && item == task / 3))
#elif defined(PAIR)
#define NAMES(task, item) (item == 1 || (task < 2 && item == 0))
#else
#define NAMES(task, item) (item == task || item == (task + 1) % ITEMS)
#endif

byte holder[ITEMS] = NOBODY;
chan blocked[ITEMS] = [TASKS] of { byte }; /* under the lock */
chan elders = [TASKS] of { byte };
byte moves[TASKS];
byte admitted[TASKS];
bool inside[TASKS], over[TASKS];
byte locked = NOBODY;

#define LOCK atomic { locked == NOBODY -> locked = _pid }
#define UNLOCK locked = NOBODY

inline take_what_is_free(task) {
  i = 0; all = true;
  do
  :: i == ITEMS -> break
  :: else ->
     if
     :: NAMES(task, i) && holder[i] == NOBODY -> holder[i] = task
     :: NAMES(task, i) && holder[i] != NOBODY && holder[i] != task -> all = false
     :: else
     fi;
     i++
  od;
  i = 0
}

/* busy: an item that somebody holds, or NOBODY. */
inline take_all(task) {
  i = 0; busy = NOBODY;
  do
  :: i == ITEMS -> break
  :: i < ITEMS && NAMES(task, i) && holder[i] != NOBODY -> busy = i; break
#ifdef ONE_BY_ONE
  :: i < ITEMS && NAMES(task, i) && holder[i] == NOBODY -> holder[i] = task; i++
  :: i < ITEMS && !NAMES(task, i) -> i++
#else
  :: i < ITEMS && !(NAMES(task, i) && holder[i] != NOBODY) -> i++
#endif
  od;
#ifndef ONE_BY_ONE
  i = 0;
  do
  :: i == ITEMS || busy != NOBODY -> break
  :: else ->
     if
     :: NAMES(task, i) -> holder[i] = task
     :: else
     fi;
     i++
  od;
#endif
  i = 0
}

inline block(task) {
  assert(!over[task]);
  moves[task]++;
  if
  :: moves[task] <= MOVES -> blocked[busy]!task
  :: else ->
     elders!task;
     if
     :: elders?[eval(task)] -> take_what_is_free(task) /* it is the first */
     :: else
     fi
  fi
}

inline grant(task) {
  assert(!inside[task] && !over[task]);
  admitted[task]++;
  assert(admitted[task] == 1)
}

proctype Task(byte me) {
  admitted[me] > 0;
  inside[me] = true;
  /* complete: what it holds is given back, in one step if the variants do not say otherwise */
  byte i, item, busy, other;
  bool all;
  d_step {
    i = 0;
    do
    :: i == TASKS -> break
    :: else ->
       item = 0;
       do
       :: item == ITEMS -> break
       :: else ->
          assert(!(i != me && inside[i] && NAMES(i, item) && NAMES(me, item)));
          item++
       od;
       i++
    od;
    i = 0; item = 0
  }
  inside[me] = false;
  LOCK;
  d_step {
    item = 0;
    do
    :: item == ITEMS -> break
    :: else ->
       if
       :: holder[item] == me -> holder[item] = NOBODY
       :: else
       fi;
       item++
    od;
    item = 0;
    /* give_to_elders */
#ifdef NEWEST_ELDER
    if
    :: len(elders) > 1 -> elders?other; elders!other
    :: else
    fi;
#endif
    all = true;
    do
    :: !all || len(elders) == 0 -> break
    :: else ->
       elders?<other>;
       take_what_is_free(other);
       if
       :: all -> elders?other; grant(other)
       :: else
       fi
    od;
    /* give_to_blocked */
    item = 0;
    do
    :: item == ITEMS -> break
    :: else ->
       do
       :: NAMES(me, item) && holder[item] == NOBODY && len(blocked[item]) > 0 ->
          blocked[item]?other;
          take_all(other);
          if
          :: busy == NOBODY -> grant(other)
          :: else -> block(other)
          fi;
#ifdef LOOK_AT_FIRST
          break
#endif
       :: else -> break
       od;
       item++
    od;
    /* Whoever is blocked with an item is held up by a holder. */
    item = 0;
    do
    :: item == ITEMS -> break
    :: else -> assert(holder[item] != NOBODY || len(blocked[item]) == 0); item++
    od;
    other = 0; item = 0; busy = 0; all = false
  }
  UNLOCK;
  over[me] = true
}

/* The last predecessor's worker, or the creator. */
proctype Admit(byte me) {
  byte i, busy;
  bool all;
  LOCK;
  d_step { take_all(me) }
  if
  :: busy == NOBODY -> UNLOCK; grant(me)
  :: else ->
#ifdef PARK_LATE
     UNLOCK; LOCK;
#endif
     d_step { block(me) }
     UNLOCK;
#ifdef TOUCH_PARKED
     assert(!over[me])
#endif
  fi
}

init {
  atomic {
    byte task = 0;
    do
    :: task < TASKS -> run Task(task); run Admit(task); task++
    :: else -> break
    od;
    task = 0
  }
  (over[0] && over[1] && over[2] && over[TASKS - 1])
}
