/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When the tree barrier is over (runtime/team/README.md, runtime/team/barrier_tree.cc). Every worker creates tasks before
   and, by running tasks, inside two barriers in a row; a task lies in the queue of any worker, is started by that
   worker or by its creator's, and may create others. Checked: the root ends a barrier only when no task is left, and
   every barrier ends.

   Variants that spin refutes: the paper's rule (section III.B: release when all were idle once), a wave that does not
   count running as doing something, a member that does not wait for the tasks it created.

   Three tasks and two barriers at once were verified as well: 12 million states, 700 MB.

   xomp-model: spin=-DWORKERS=3 spin=-DTASKS=3 spin=-DBARRIERS=1 cc=-DCOLLAPSE pan=-m200000 pan=-w22
   xomp-model: spin=-DWORKERS=3 spin=-DTASKS=2 cc=-DCOLLAPSE pan=-m200000 pan=-w22
   xomp-model: spin=-DWORKERS=4 spin=-DTASKS=2 spin=-DBARRIERS=1 cc=-DCOLLAPSE pan=-m200000 pan=-w22
   xomp-model: spin=-DWORKERS=3 spin=-DTASKS=3 spin=-DPAPER cc=-DCOLLAPSE pan=-m200000 fails
   xomp-model: spin=-DWORKERS=3 spin=-DTASKS=3 spin=-DRUNNING_IS_CLEAN cc=-DCOLLAPSE pan=-m200000 fails
   xomp-model: spin=-DWORKERS=3 spin=-DTASKS=3 spin=-DNEVER_SETTLED cc=-DCOLLAPSE pan=-m200000 fails */

#ifndef BARRIERS
#define BARRIERS 2
#endif

#define PARENT(w) ((w - 1) / 2)
#define SIDE(w) ((w - 1) % 2)
#define CHILD(w, side) (2 * w + 1 + side)

/* Tasks: who created it, in whose queue it is. */
byte creator[TASKS], queue[TASKS];
bit queued[TASKS];
byte created, unfinished;
byte unfinished_of[WORKERS];

/* Seats: round << 1 | bit, as in the code. 15 rounds are more than these tasks can cause. */
byte from_child[WORKERS * 2];
byte release[WORKERS];
bit dirty[WORKERS];

/* The guard of every use: created < TASKS, in the same atomic step. */
inline create_task(w) {
    creator[created] = w;
    select(where : 0 .. WORKERS - 1);
    queue[created] = where;
    queued[created] = 1;
    created++;
    unfinished++;
    unfinished_of[w]++;
#ifdef RUNNING_IS_CLEAN
    skip
#else
    dirty[w] = 1
#endif
}

inline pass_down(w, word) {
  if
  :: CHILD(w, 0) < WORKERS -> release[CHILD(w, 0)] = word
  :: else
  fi;
  if
  :: CHILD(w, 1) < WORKERS -> release[CHILD(w, 1)] = word
  :: else
  fi
}

#define GATHERED(w, side) (CHILD(w, side) >= WORKERS || (from_child[w * 2 + side] >> 1) == round)
#define CLEAN(w, side) (CHILD(w, side) >= WORKERS || (from_child[w * 2 + side] & 1))
#ifdef NEVER_SETTLED
#define SETTLED(w) true
#else
#define SETTLED(w) (unfinished_of[w] == 0)
#endif

/* In its queue, or one that it created itself (its family). */
#define MAY_TAKE(w, t) (t < created && queued[t] && (queue[t] == w || creator[t] == w))

inline run_task(w, t) {
  queued[t] = 0; /* the claim */
#ifndef RUNNING_IS_CLEAN
  dirty[w] = 1;
#endif
  do
  :: atomic { created < TASKS -> create_task(w) }
  :: break
  od;
  atomic { unfinished_of[creator[t]]--; unfinished-- }
}

proctype worker(byte me) {
  byte round = 0, barriers = 0, where;
  bit reported, clean, over;
  do
  :: barriers < BARRIERS ->
    /* The region's body. */
    do
    :: atomic { created < TASKS -> create_task(me) }
    :: break
    od;
    round++;
    reported = 0;
    over = 0;
    do
    :: over -> break
    :: atomic { !over && MAY_TAKE(me, 0) -> queued[0] = 0 } run_task(me, 0)
#if TASKS > 1
    :: atomic { !over && MAY_TAKE(me, 1) -> queued[1] = 0 } run_task(me, 1)
#endif
#if TASKS > 2
    :: atomic { !over && MAY_TAKE(me, 2) -> queued[2] = 0 } run_task(me, 2)
#endif
    :: !over && me != 0 && release[me] == (round << 1 | 1) ->
      pass_down(me, round << 1 | 1);
      over = 1
    :: !over && me != 0 && release[me] == (round + 1) << 1 ->
      round++;
      reported = 0;
      pass_down(me, round << 1)
    :: !over && !reported && GATHERED(me, 0) && GATHERED(me, 1) && SETTLED(me) ->
      d_step { clean = CLEAN(me, 0) && CLEAN(me, 1) && !dirty[me]; dirty[me] = 0 }
#ifdef PAPER
      clean = 1;
#endif
      if
      :: me != 0 ->
        reported = 1;
        from_child[PARENT(me) * 2 + SIDE(me)] = round << 1 | clean
      :: me == 0 && clean ->
        assert(unfinished == 0);
        pass_down(me, round << 1 | 1);
        over = 1
      :: else ->
        round++;
        pass_down(me, round << 1)
      fi
    od;
    barriers++
  :: else -> break
  od
}

init {
  byte w;
  atomic {
    for (w : 0 .. WORKERS - 1) { run worker(w) }
  }
}
