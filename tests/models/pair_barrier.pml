/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The termination rule of the barrier of two (runtime/team/barrier_pair.cc, argued in runtime/team/README.md): when the
 * first of them leaves a barrier no deferred task is unfinished, the other one leaves it as well whatever the first does
 * next, and both do leave it. All words have one writer and go from release to acquire, so interleaving is enough. Waiting
 * is a blocked step here; that sleepers are woken is bell.pml's job.
 *
 * Bounded and abstracted as tree_barrier.pml, which has the tasks in the same form. With STACK there are tasks on stacks as
 * well: who creates or runs one of its own is not dirty, a theft makes both dirty. VICTIM_CLEAN: the thief alone, which may
 * have reported before, and then creates something that the victim does not count.
 *
 * xomp-model: cc=-DSAFETY pan=-m100000
 * xomp-model: spin=-DBARRIERS=3 spin=-DTASKS=4 cc=-DSAFETY pan=-m100000
 * xomp-model: spin=-DSTACK cc=-DSAFETY pan=-m100000
 * xomp-model: spin=-DSTACK spin=-DVICTIM_CLEAN cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DNOT_SETTLED cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DNEVER_DIRTY cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DOWN_CLEAN_ONLY cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DONE_WORD cc=-DSAFETY fails
 */
#ifndef TASKS
#define TASKS 3
#endif
#ifndef BARRIERS
#define BARRIERS 2
#endif

#define AT(a, b) ((a) * 2 + (b))
#define WORD(round, bit) ((round) * 2 + (bit))
/* Each unclean wave has a member that did something since the wave before. */
#define most_waves (2 * BARRIERS + 2 * TASKS)
#ifdef ONE_WORD
#define PARITY(round) 0
#else
#define PARITY(round) ((round) % 2)
#endif

byte created;           /* deferred tasks so far */
byte ready[4];          /* by creator's worker and target */
byte running[4];        /* by creator's worker and worker that runs them */
byte unfinished[2];     /* by creator's worker */
byte busy[2];           /* tasks on a worker's stack, without the implicit one */
#ifdef STACK
byte on_stack[2];       /* tasks that wait on a worker's own stack */
byte own[2];            /* of these, those that run there */
byte stolen[2];         /* by a worker from the other one, and running: `guests` of that one */
#define ALL_DONE(id) (unfinished[id] == 0 && on_stack[id] == 0 && stolen[1 - (id)] == 0)
#else
#define ALL_DONE(id) (unfinished[id] == 0)
#endif
bool dirty[2];
byte left[BARRIERS + 1]; /* members that have left each barrier */

byte report[4]; /* BarrierNode::reports, by writer and parity */
byte round[2];
bool reported[2], clean[2];

inline create(id) {
  atomic {
    created < TASKS ->
    created++;
    dirty[id] = true;
    unfinished[id]++;
    select(target : 0 .. 1);
    ready[AT(id, target)]++;
    target = 0
  }
}

/* The worker `id` claims a task that `creator` made and that lies in the ring of `target`. */
#define BEGIN(creator, target, id)                                                                                     \
  d_step {                                                                                                             \
    ready[AT(creator, target)] ->                                                                                      \
    ready[AT(creator, target)]--;                                                                                      \
    running[AT(creator, id)]++;                                                                                        \
    busy[id]++;                                                                                                        \
    dirty[id] = true                                                                                                   \
  }
#define FINISH(creator, id)                                                                                            \
  d_step {                                                                                                             \
    running[AT(creator, id)] ->                                                                                        \
    running[AT(creator, id)]--;                                                                                        \
    unfinished[creator]--;                                                                                             \
    busy[id]--                                                                                                         \
  }

#ifdef STACK
#define PUSH(id) d_step { created < TASKS -> created++; on_stack[id]++ }
#define RUN_OWN(id) d_step { on_stack[id] -> on_stack[id]--; own[id]++; busy[id]++ }
#define END_OWN(id) d_step { own[id] -> own[id]--; busy[id]-- }
#ifdef VICTIM_CLEAN
#define SAY_SO(victim)
#else
#define SAY_SO(victim) dirty[victim] = true;
#endif
#define STEAL(id)                                                                                                      \
  d_step {                                                                                                             \
    on_stack[1 - (id)] ->                                                                                              \
    on_stack[1 - (id)]--;                                                                                              \
    stolen[id]++;                                                                                                      \
    busy[id]++;                                                                                                        \
    SAY_SO(1 - (id))                                                                                                   \
    dirty[id] = true                                                                                                   \
  }
#define END_STOLEN(id) d_step { stolen[id] -> stolen[id]--; busy[id]-- }
#endif

#ifdef NOT_SETTLED
#define MAY_REPORT(id) (!reported[id])
#else
#define MAY_REPORT(id) (!reported[id] && ALL_DONE(id))
#endif
#define SEEN(id) (reported[id] && report[AT(1 - (id), PARITY(round[id]))] / 2 == round[id])
#ifdef OWN_CLEAN_ONLY
#define OVER(id) (clean[id])
#else
#define OVER(id) (clean[id] && report[AT(1 - (id), PARITY(round[id]))] % 2)
#endif

active [2] proctype Worker() {
  byte target, barriers = 0;
  do
  :: barriers < BARRIERS ->
     do
     :: create(_pid)
#ifdef STACK
     :: PUSH(_pid)
#endif
     :: break
     od;
     barriers++;
     atomic { round[_pid]++; reported[_pid] = false } /* at_barrier */
     do
     :: atomic { created < TASKS && busy[_pid] -> create(_pid) }
     :: BEGIN(0, _pid, _pid) /* from the own ring */
     :: BEGIN(1, _pid, _pid)
     :: BEGIN(_pid, 0, _pid) /* an own child, wherever its queue entry is */
     :: BEGIN(_pid, 1, _pid)
     :: FINISH(0, _pid)
     :: FINISH(1, _pid)
#ifdef STACK
     :: atomic { created < TASKS && busy[_pid] -> PUSH(_pid) }
     :: RUN_OWN(_pid)
     :: END_OWN(_pid)
     :: STEAL(_pid)
     :: END_STOLEN(_pid)
#endif
     :: atomic { !busy[_pid] && MAY_REPORT(_pid) ->
          clean[_pid] = !dirty[_pid];
#ifdef NEVER_DIRTY
          clean[_pid] = true;
#endif
          dirty[_pid] = false;
          reported[_pid] = true }
        report[AT(_pid, PARITY(round[_pid]))] = WORD(round[_pid], clean[_pid])
     :: atomic { !busy[_pid] && SEEN(_pid) && OVER(_pid) ->
          assert(left[barriers] > 0 || (ALL_DONE(0) && ALL_DONE(1)));
          left[barriers]++;
          break }
     :: atomic { !busy[_pid] && SEEN(_pid) && !OVER(_pid) ->
          round[_pid]++;
          assert(round[_pid] <= most_waves);
          reported[_pid] = false }
     od
  :: else -> break
  od
}
