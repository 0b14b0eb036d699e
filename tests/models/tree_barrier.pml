/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The termination rule of the tree barrier (runtime/team/barrier_tree.cc, argued in runtime/team/README.md): when the
 * root ends a barrier no deferred task is unfinished, and it does end. All words have one writer and go from release
 * to acquire, so interleaving is enough. Waiting is a blocked step here; that sleepers are woken is bell.pml's job.
 *
 * Bounded: WORKERS members, BARRIERS barriers in a row, TASKS deferred tasks in all. Tasks have no identity, only
 * counts by creator's worker and by the worker in whose ring the queue entry lies. Any running task, and any implicit one
 * before its barrier, creates a task with a queue entry to any worker; the target or the creator's worker claims it, at
 * once or never, whether the creating task still runs or has ended (an orphan), inside other tasks or not. This allows
 * more than the runtime does. No transition can be repeated for ever (waves are counted, see `most_waves`), so a search
 * without invalid end states says that the barriers end.
 *
 * xomp-model: cc=-DSAFETY pan=-m100000
 * xomp-model: spin=-DBARRIERS=1 spin=-DTASKS=4 cc=-DSAFETY pan=-m100000
 * xomp-model: spin=-DWORKERS=4 spin=-DBARRIERS=1 spin=-DTASKS=3 cc=-DSAFETY cc=-O1 pan=-m100000 pan=-w24
 * xomp-model: spin=-DPAPER_RULE cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DNOT_SETTLED cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DNEVER_DIRTY cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DOWN_CLEAN_ONLY cc=-DSAFETY pan=-E fails
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
#define LEFT(id) (2 * (id) + 1)
#define RIGHT(id) (2 * (id) + 2)
#define PARENT(id) (((id) - 1) / 2)
#define WORD(round, bit) ((round) * 2 + (bit))
/* Each unclean wave has a member that did something since the wave before. */
#define most_waves (2 * BARRIERS + 2 * TASKS)

byte created;                     /* deferred tasks so far */
byte ready[WORKERS * WORKERS];    /* by creator's worker and target */
byte running[WORKERS * WORKERS];  /* by creator's worker and worker that runs them */
byte unfinished[WORKERS];         /* by creator's worker */
byte busy[WORKERS];               /* tasks on a worker's stack, without the implicit one */
bool dirty[WORKERS];

byte report[WORKERS];  /* BarrierNode::reports: two words in the code, for even and odd rounds */
byte release[WORKERS]; /* BarrierNode::release: for all children of that member */
byte round[WORKERS];
bool reported[WORKERS];

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

#ifdef MOVES
byte moves;            /* so far */
byte carried[WORKERS]; /* tasks on their way between two queues, by creator's worker */

/* The worker moves a queue entry from a ring of its own to another's. */
#define MOVE(creator)                                                                                                  \
  d_step {                                                                                                             \
    moves < MOVES && ready[PAIR(creator, _pid)] ->                                                                     \
    moves++;                                                                                                           \
    ready[PAIR(creator, _pid)]--;                                                                                      \
    carried[creator]++                                                                                                 \
  }                                                                                                                    \
  atomic {                                                                                                             \
    if                                                                                                                 \
    :: carried[creator] ->                                                                                             \
       select(other : 0 .. WORKERS - 1);                                                                               \
       carried[creator]--;                                                                                             \
       ready[PAIR(creator, other)]++;                                                                                  \
       other = 0                                                                                                       \
    :: !carried[creator] /* its creator's worker has claimed it */                                                     \
    fi                                                                                                                 \
  }
#define BEGIN_ON_ITS_WAY(id)                                                                                           \
  d_step {                                                                                                             \
    carried[id] ->                                                                                                     \
    carried[id]--;                                                                                                     \
    running[PAIR(id, id)]++;                                                                                           \
    busy[id]++;                                                                                                        \
    dirty[id] = true                                                                                                   \
  }
#endif

#define HAS(id, child) ((child) < WORKERS)
#define REPORTED(id, child) (!HAS(id, child) || report[child] / 2 == round[id])
#define CLEAN(id, child) (!HAS(id, child) || (report[child] & 1))

/* What has been reported stays so until the next wave, and what is settled until the worker does something. */
#ifdef QUEUES_EMPTY
#define MAY_REPORT(id)                                                                                                 \
  (!reported[id] && REPORTED(id, LEFT(id)) && REPORTED(id, RIGHT(id)) &&                                               \
   ready[PAIR(0, id)] + ready[PAIR(1, id)] + ready[PAIR(2, id)] == 0)
#elif defined(NOT_SETTLED)
#define MAY_REPORT(id) (!reported[id] && REPORTED(id, LEFT(id)) && REPORTED(id, RIGHT(id)))
#else
#define MAY_REPORT(id) (!reported[id] && REPORTED(id, LEFT(id)) && REPORTED(id, RIGHT(id)) && unfinished[id] == 0)
#endif

inline pass_down(id, word) {
  if
  :: HAS(id, LEFT(id)) -> release[id] = word
  :: else
  fi
}

active [WORKERS] proctype Worker() {
  byte other, barriers = 0;
  bool clean;
  do
  :: barriers < BARRIERS ->
     do
     :: create(_pid)
     :: break
     od;
     barriers++;
     atomic { round[_pid]++; reported[_pid] = false } /* at_barrier */
     do
     :: atomic { created < TASKS && busy[_pid] -> create(_pid) }
     :: BEGIN(0, _pid, _pid) /* from the own ring */
     :: BEGIN(1, _pid, _pid)
     :: BEGIN(2, _pid, _pid)
     :: BEGIN(_pid, 0, _pid) /* an own child, wherever its queue entry is */
     :: BEGIN(_pid, 1, _pid)
     :: BEGIN(_pid, 2, _pid)
#ifdef MOVES
     :: MOVE(0)
     :: MOVE(1)
     :: MOVE(2)
     :: BEGIN_ON_ITS_WAY(_pid)
#endif
     :: FINISH(0, _pid)
     :: FINISH(1, _pid)
     :: FINISH(2, _pid)
#if WORKERS > 3
     :: BEGIN(3, _pid, _pid)
     :: BEGIN(_pid, 3, _pid)
     :: FINISH(3, _pid)
#endif
     :: atomic { !busy[_pid] && _pid && release[PARENT(_pid)] == WORD(round[_pid], 1) -> clean = false }
        pass_down(_pid, WORD(round[_pid], 1));
        break
     :: atomic { !busy[_pid] && _pid && release[PARENT(_pid)] == WORD(round[_pid] + 1, 0) ->
          round[_pid]++;
          reported[_pid] = false }
        pass_down(_pid, WORD(round[_pid], 0))
     :: atomic { !busy[_pid] && MAY_REPORT(_pid) ->
          clean = CLEAN(_pid, LEFT(_pid)) && CLEAN(_pid, RIGHT(_pid)) && !dirty[_pid];
#ifdef OWN_CLEAN_ONLY
          clean = !dirty[_pid];
#endif
#ifdef NEVER_DIRTY
          clean = round[_pid] > 1;
#endif
#ifdef PAPER_RULE
          clean = true;
#endif
          dirty[_pid] = false }
        if
        :: _pid ->
           atomic { report[_pid] = WORD(round[_pid], clean); reported[_pid] = true; clean = false }
        :: !_pid && clean ->
           d_step {
             clean = false;
             other = 0;
             do
             :: other < WORKERS -> assert(unfinished[other] == 0); other++
             :: else -> break
             od;
             other = 0
           }
           pass_down(_pid, WORD(round[_pid], 1));
           break
        :: !_pid && !clean ->
           round[_pid]++;
           assert(round[_pid] <= most_waves);
           pass_down(_pid, WORD(round[_pid], 0))
        fi
     od
  :: else -> break
  od
}
