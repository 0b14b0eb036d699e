/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The rule of the flat barrier (runtime/team/barrier_flat.cc, argued in runtime/team/README.md): when all members are counted as
 * settled no deferred task that was created before is unfinished, nobody is left behind or counted twice, and it does end.
 * The count is one atomic word, and what a member relies on it has acquired with its task, so interleaving is enough. Waiting is
 * a blocked step here. A member may sleep once it is counted, until somebody rings its bell or it has a task; that a ring is not
 * lost is bell.pml's job.
 *
 * Bounded and abstracted as tree_barrier.pml, which has the tasks in the same form. With JOIN the barrier is a region's
 * end: member 0 alone leaves, then calls the others, who go on helping until they see it.
 *
 * xomp-model: cc=-DSAFETY cc=-O1 pan=-m100000 pan=-w24
 * xomp-model: spin=-DJOIN cc=-DSAFETY cc=-O1 pan=-m100000 pan=-w24
 * xomp-model: spin=-DBARRIERS=1 spin=-DTASKS=4 cc=-DSAFETY cc=-O1 pan=-m100000 pan=-w24
 * xomp-model: spin=-DWORKERS=4 spin=-DBARRIERS=1 spin=-DTASKS=2 cc=-DSAFETY cc=-O1 pan=-m100000 pan=-w24
 * xomp-model: spin=-DNOT_SETTLED cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DSTAYS_COUNTED cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DWITHDRAWS_AFTER_TASK cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DWITHDRAWS_FROM_ANY cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DRESET_LATE cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DNOBODY_RINGS cc=-DSAFETY fails
 */
#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef TASKS
#define TASKS 3
#endif
#ifndef BARRIERS
#define BARRIERS 2
#endif

#define PAIR(a, b) ((a) * WORKERS + (b))

byte created;                     /* deferred tasks so far */
byte ready[WORKERS * WORKERS];    /* by creator's worker and target */
byte running[WORKERS * WORKERS];  /* by creator's worker and worker that runs them */
byte unfinished[WORKERS];         /* by creator's worker */
byte busy[WORKERS];               /* tasks on a worker's stack, without the implicit one */

byte settled;          /* SharedBarrier::arrived */
byte over;             /* SharedBarrier::over */
byte mine[WORKERS];    /* BarrierNode::round */
bool counted[WORKERS]; /* Worker::settled_in */
bool asleep[WORKERS];
#ifdef JOIN
byte region; /* Member::go of everybody but member 0 */
#endif

inline create(id) {
  atomic {
    created < TASKS ->
    created++;
    unfinished[id]++;
    select(other : 0 .. WORKERS - 1);
    ready[PAIR(id, other)]++;
    other = 0
  }
}

/* make_busy */
inline withdraw(id) {
  if
  :: counted[id] ->
     counted[id] = false;
     if
#ifdef WITHDRAWS_FROM_ANY
     :: true ->
#else
     :: over < mine[id] ->
#endif
        atomic { assert(settled > 0 && settled < WORKERS); settled-- }
#ifndef WITHDRAWS_FROM_ANY
     :: else
#endif
     fi
  :: else
  fi
}

/* The worker `id` claims a task that `creator` made and that lies in the ring of `target`. */
#define CLAIM(creator, target, id)                                                                                     \
  d_step {                                                                                                             \
    ready[PAIR(creator, target)] ->                                                                                    \
    ready[PAIR(creator, target)]--;                                                                                    \
    running[PAIR(creator, id)]++;                                                                                      \
    asleep[id] = false;                                                                                                \
    busy[id]++                                                                                                         \
  }
#if defined(STAYS_COUNTED) || defined(WITHDRAWS_AFTER_TASK)
#define BEGIN(creator, target, id) CLAIM(creator, target, id)
#else
#define BEGIN(creator, target, id) CLAIM(creator, target, id); withdraw(id)
#endif
#define END(creator, id)                                                                                               \
  d_step {                                                                                                             \
    running[PAIR(creator, id)] ->                                                                                      \
    running[PAIR(creator, id)]--;                                                                                      \
    unfinished[creator]--;                                                                                             \
    busy[id]--                                                                                                         \
  }
#ifdef WITHDRAWS_AFTER_TASK
#define FINISH(creator, id) END(creator, id); withdraw(id)
#else
#define FINISH(creator, id) END(creator, id)
#endif

#ifdef NOT_SETTLED
#define MAY_COUNT(id) (!counted[id])
#else
#define MAY_COUNT(id) (!counted[id] && unfinished[id] == 0)
#endif

inline ring_others(id) {
#ifdef NOBODY_RINGS
  skip
#else
  d_step {
    other = 0;
    do
    :: other < WORKERS -> asleep[other] = asleep[other] && other == id; other++
    :: else -> break
    od;
    other = 0
  }
#endif
}

active [WORKERS] proctype Worker() {
  byte other, barriers = 0;
  bool last;
  do
  :: barriers < BARRIERS ->
     do
     :: create(_pid)
     :: break
     od;
     barriers++;
     mine[_pid]++; /* at_barrier */
     do
     :: atomic { created < TASKS && busy[_pid] -> create(_pid) }
     :: BEGIN(0, _pid, _pid) /* from the own ring */
     :: BEGIN(1, _pid, _pid)
     :: BEGIN(2, _pid, _pid)
     :: BEGIN(_pid, 0, _pid) /* an own child, wherever its queue entry is */
     :: BEGIN(_pid, 1, _pid)
     :: BEGIN(_pid, 2, _pid)
     :: FINISH(0, _pid)
     :: FINISH(1, _pid)
     :: FINISH(2, _pid)
#if WORKERS > 3
     :: BEGIN(3, _pid, _pid)
     :: BEGIN(_pid, 3, _pid)
     :: FINISH(3, _pid)
#endif
#ifdef JOIN
     :: atomic { !busy[_pid] && _pid && !asleep[_pid] && region == barriers -> break }
     :: atomic { !busy[_pid] && !_pid && !asleep[_pid] && over == mine[_pid] -> region = barriers }
        ring_others(_pid);
        break
#else
     :: atomic { !busy[_pid] && !asleep[_pid] && over == mine[_pid] -> break }
#endif
     :: atomic { counted[_pid] && !busy[_pid] && over != mine[_pid] -> asleep[_pid] = true }
     :: atomic { !busy[_pid] && !asleep[_pid] && over != mine[_pid] && MAY_COUNT(_pid) -> counted[_pid] = true }
        atomic { /* the fetch-and-add */
          settled++;
          assert(settled <= WORKERS);
          last = settled == WORKERS }
        if
        :: last ->
           d_step {
             other = 0;
             do
             :: other < WORKERS -> assert(unfinished[other] == 0 && mine[other] == mine[_pid]); other++
             :: else -> break
             od;
             other = 0;
             last = false
           }
#ifndef RESET_LATE
           settled = 0;
#endif
           over = mine[_pid];
#ifdef RESET_LATE
           settled = 0;
#endif
#ifdef JOIN
           asleep[0] = false
#else
           ring_others(_pid)
#endif
        :: else
        fi
     od;
     counted[_pid] = false /* the wait is over */
  :: else -> break
  od
}
