/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Dependence edges (runtime/task/depend.cc and depend.h): the creator pushes edges on predecessors that may finish
 * meanwhile; each successor is released exactly once, not before all its predecessors are finished, and nobody reads
 * an edge whose memory (the successor's) may be freed.
 *
 * Bounded: one creator, PREDECESSORS tasks that run already, one worker each, and two successors of all of them;
 * the second one depends on the first as well, so that edges of an edge's owner are in play. Read-modify-writes are
 * one step each; their memory orders are not modelled. A list of edges is the set of its successors: only the
 * creator pushes and only a completer takes, so a set compares like the pointer to its head.
 *
 * xomp-model: cc=-DSAFETY pan=-m1000000
 * xomp-model: spin=-DPREDECESSORS=3 cc=-DSAFETY pan=-m1000000
 * xomp-model: spin=-DCOUNT_EACH cc=-DSAFETY fails
 * xomp-model: spin=-DTWO_STEPS cc=-DSAFETY fails
 * xomp-model: spin=-DNO_CLOSED cc=-DSAFETY fails
 * xomp-model: spin=-DPLAIN_TAKE cc=-DSAFETY fails
 * xomp-model: spin=-DNEXT_LATE cc=-DSAFETY fails
 */
#ifndef PREDECESSORS
#define PREDECESSORS 2
#endif
#define TASKS (PREDECESSORS + 2)
#define FIRST PREDECESSORS        /* the first successor */
#define SECOND (PREDECESSORS + 1) /* the second */
#define CLOSED 128
#define BIT(task) (1 << (task))

byte successors[TASKS];  /* DeferredTask::successors: set of tasks, or CLOSED */
byte predecessors[TASKS]; /* below 0: 255, 254, ... */
byte released[TASKS];
bool finished[TASKS];    /* its effects are there: set before the list is closed */
bool freed[TASKS];

inline release_task(task) {
  d_step {
    released[task]++;
    assert(released[task] == 1);
    i = 0;
    do
    :: i < PREDECESSORS -> assert(finished[i]); i++
    :: else -> break
    od;
    i = 0;
    assert(task == FIRST || finished[FIRST])
  }
}

/* release_successors */
inline complete(task) {
  finished[task] = true;
#ifdef PLAIN_TAKE
  list = successors[task];
  successors[task] = CLOSED;
#else
  d_step { list = successors[task]; successors[task] = CLOSED }
#endif
#ifdef NO_CLOSED
  successors[task] = 0;
#endif
  assert(list != CLOSED);
  do
  :: list == 0 -> break
  :: else ->
     if /* the newest edge first */
     :: list & BIT(SECOND) -> now = SECOND
     :: else -> now = FIRST
     fi;
     assert(!freed[now]);
     list = list & ~BIT(now);
     d_step { predecessors[now]--; last = (predecessors[now] == 0) }
     if
     :: last -> last = false; release_task(now)
     :: else
     fi;
#ifdef NEXT_LATE
     assert(!freed[now]);
#endif
     now = 0
  od
}

/* EdgeMaker::link */
inline push_edge(from, to) {
  head = successors[from];
  do
  :: head == CLOSED -> break
  :: else ->
     if
     :: atomic { successors[from] == head -> successors[from] = head | BIT(to) }
#ifdef COUNT_EACH
        predecessors[to]++;
#else
        made++;
#endif
        break
     :: atomic { successors[from] != head -> head = successors[from] }
     fi
  od;
  head = 0
}

/* A task that is released runs on any worker; its creator frees it when it is done. */
proctype Task(byte me) {
  byte list, now, i;
  bool last;
  if
  :: me >= PREDECESSORS -> released[me] > 0
  :: else
  fi;
  complete(me);
  freed[me] = true
}

inline create(task) {
  predecessors[task] = 0;
  made = 0;
  from = 0;
  do
  :: from < task ->
     if
     :: freed[from] /* done: EdgeMaker::after leaves it out */
     :: else -> push_edge(from, task)
     fi;
     from++
  :: else -> break
  od;
  from = 0;
#ifdef TWO_STEPS
  predecessors[task] = predecessors[task] + made;
  last = (predecessors[task] == 0);
#else
  d_step { predecessors[task] = predecessors[task] + made; last = (predecessors[task] == 0) }
#endif
  if
  :: last -> last = false; release_task(task)
  :: else
  fi
}

init {
  byte from, head, made, i;
  bool last;
  atomic {
    from = 0;
    do
    :: from < TASKS -> run Task(from); from++
    :: else -> break
    od;
    from = 0
  }
  create(FIRST);
  create(SECOND);
  (freed[FIRST] && freed[SECOND]); /* a successor that is never released is a wait for ever */
  assert(released[FIRST] == 1 && released[SECOND] == 1)
}
