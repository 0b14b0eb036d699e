/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The termination rule of the flat barrier (runtime/team/barrier_flat.cc, argued in runtime/team/README.md): when the last
 * report of a wave ends a barrier no deferred task is unfinished, nobody is left behind or counted twice, and it does end.
 * The count is one atomic word, and the wave is written by the last to report only, so interleaving is enough. Waiting is a
 * blocked step here. A member may sleep after its report, until somebody rings its bell; that a ring is not lost is bell.pml's job.
 *
 * Bounded and abstracted as tree_barrier.pml, which has the tasks in the same form. With JOIN the barrier is a region's
 * end: member 0 alone leaves, then calls the others, who go on helping until they see it.
 *
 * xomp-model: cc=-DSAFETY cc=-O1 pan=-m100000 pan=-w24
 * xomp-model: spin=-DJOIN cc=-DSAFETY cc=-O1 pan=-m100000 pan=-w24
 * xomp-model: spin=-DBARRIERS=1 spin=-DTASKS=4 cc=-DSAFETY cc=-O1 pan=-m100000 pan=-w24
 * xomp-model: spin=-DWORKERS=4 spin=-DBARRIERS=1 spin=-DTASKS=2 cc=-DSAFETY cc=-O1 pan=-m100000 pan=-w24
 * xomp-model: spin=-DNOT_SETTLED cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DNEVER_DIRTY cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DLAST_CLEAN_ONLY cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DRESET_LATE cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DSLEEPS_AFTER_OWN_WAVE cc=-DSAFETY fails
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
#define WORD(round, bit) ((round) * 2 + (bit))
/* Each unclean wave has a member that did something since the wave before. */
#define most_waves (2 * BARRIERS + 2 * TASKS)

byte created;                     /* deferred tasks so far */
byte ready[WORKERS * WORKERS];    /* by creator's worker and target */
byte running[WORKERS * WORKERS];  /* by creator's worker and worker that runs them */
byte unfinished[WORKERS];         /* by creator's worker */
byte busy[WORKERS];               /* tasks on a worker's stack, without the implicit one */
bool dirty[WORKERS];

byte reports, unclean; /* SharedBarrier::arrived, both halves: always together */
byte wave;             /* SharedBarrier::wave */
byte mine[WORKERS];    /* BarrierNode::round */
bool reported[WORKERS];
bool asleep[WORKERS];
#ifdef JOIN
byte region; /* Member::go of everybody but member 0 */
#endif

inline create(id) {
  atomic {
    created < TASKS ->
    created++;
    dirty[id] = true;
    unfinished[id]++;
    select(other : 0 .. WORKERS - 1);
    ready[PAIR(id, other)]++;
    other = 0
  }
}

/* The worker `id` claims a task that `creator` made and that lies in the ring of `target`. */
#define BEGIN(creator, target, id)                                                                                     \
  d_step {                                                                                                             \
    ready[PAIR(creator, target)] ->                                                                                    \
    ready[PAIR(creator, target)]--;                                                                                    \
    running[PAIR(creator, id)]++;                                                                                      \
    busy[id]++;                                                                                                        \
    dirty[id] = true                                                                                                   \
  }
#define FINISH(creator, id)                                                                                            \
  d_step {                                                                                                             \
    running[PAIR(creator, id)] ->                                                                                      \
    running[PAIR(creator, id)]--;                                                                                      \
    unfinished[creator]--;                                                                                             \
    busy[id]--                                                                                                         \
  }

#ifdef NOT_SETTLED
#define MAY_REPORT(id) (!reported[id])
#else
#define MAY_REPORT(id) (!reported[id] && unfinished[id] == 0)
#endif

inline ring_others(id) {
  d_step {
    other = 0;
    do
    :: other < WORKERS -> asleep[other] = asleep[other] && other == id; other++
    :: else -> break
    od;
    other = 0
  }
}

active [WORKERS] proctype Worker() {
  byte other, barriers = 0;
  bool clean, last;
  do
  :: barriers < BARRIERS ->
     do
     :: create(_pid)
     :: break
     od;
     barriers++;
     atomic { mine[_pid]++; reported[_pid] = false } /* at_barrier */
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
     :: atomic { !busy[_pid] && !_pid && !asleep[_pid] && wave == WORD(mine[_pid], 1) -> region = barriers }
        ring_others(_pid);
        break
#else
     :: atomic { !busy[_pid] && !asleep[_pid] && wave == WORD(mine[_pid], 1) -> break }
#endif
     :: atomic { !busy[_pid] && !asleep[_pid] && wave == WORD(mine[_pid], 0) ->
          mine[_pid]++;
          assert(mine[_pid] <= most_waves + 1);
          reported[_pid] = false }
     :: atomic { !busy[_pid] && MAY_REPORT(_pid) ->
          assert(wave / 2 < mine[_pid]);
          clean = !dirty[_pid];
#ifdef NEVER_DIRTY
          clean = true;
#endif
          dirty[_pid] = false;
          reported[_pid] = true;
          if
          :: asleep[_pid] = true
          :: true
          fi }
        atomic { /* the fetch-and-add */
          reports++;
          unclean = unclean + (1 - clean);
          assert(reports <= WORKERS);
          last = reports == WORKERS;
#ifdef LAST_CLEAN_ONLY
          if :: last && clean -> unclean = 0 :: else fi;
#endif
          clean = last && unclean == 0 }
        if
        :: last ->
           d_step {
             other = 0;
             do
             :: other < WORKERS && clean -> assert(unfinished[other] == 0); other++
             :: else -> break
             od;
             other = 0;
             last = false
           }
#ifndef RESET_LATE
           atomic { reports = 0; unclean = 0 }
#endif
           wave = WORD(mine[_pid], clean);
#ifdef RESET_LATE
           atomic { reports = 0; unclean = 0 }
#endif
#ifdef JOIN
           if
           :: clean -> asleep[0] = false
           :: else -> ring_others(_pid)
           fi;
#else
           ring_others(_pid);
#endif
#ifndef SLEEPS_AFTER_OWN_WAVE
           asleep[_pid] = false;
#endif
           clean = false
        :: else -> clean = false
        fi
     od
  :: else -> break
  od
}
