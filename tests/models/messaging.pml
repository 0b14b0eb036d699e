/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Thieves ask a victim through its round and request cells, and sleep; the victim closes and thieves open its gate
 * (runtime/sched/papers/messaging.h, thief.h, na_ws.cc; argued in runtime/sched/papers/README.md): no request is handled twice, and no
 * thief sleeps for ever while the victim has something to give and comes to scheduling points. Memory is sequentially
 * consistent here: the fences that make it so are modelled in bell.pml and gate.pml.
 *
 * Bounded: THIEVES thieves; a victim that has plenty of tasks from some moment on, gives one at a time and runs none
 * itself; EMPTY answers that there is nothing; ASKS requests of each thief. A thief that got a task runs it for ever, so
 * each thief has to get one: if one sleeps for ever the search ends in an invalid state.
 *
 * xomp-model: cc=-DSAFETY pan=-m100000
 * xomp-model: spin=-DTHIEVES=3 spin=-DASKS=1 spin=-DEMPTY=0 cc=-DSAFETY cc=-O1 pan=-m100000 pan=-w24
 * xomp-model: spin=-DPAPERS_RULE cc=-DSAFETY pan=-E
 * xomp-model: spin=-DPAPERS_RULE cc=-DSAFETY fails
 * xomp-model: spin=-DSAME_ROUND cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DNO_RING cc=-DSAFETY fails
 * xomp-model: spin=-DGATE_OPENED_TOO_EARLY cc=-DSAFETY fails
 * xomp-model: spin=-DNO_LOOK_AFTER_CLOSING cc=-DSAFETY fails
 */
#ifndef THIEVES
#define THIEVES 2
#endif
#ifndef EMPTY
#define EMPTY 2
#endif
#ifndef ASKS
#define ASKS 2
#endif
#define REQUEST(round, thief) ((round) * 4 + (thief))
#define ROUND(request) ((request) / 4)
#define THIEF(request) ((request) % 4)

byte round = 1;        /* Mailbox::round */
byte request = 0;      /* Mailbox::request */
bool closed;           /* the victim's gate */
bool stocked;          /* the victim has tasks */
bool queue[THIEVES];   /* whether there are tasks in the ring from the victim to the thief */
bool asleep[THIEVES];  /* the thief's bell */
bool sleepers[THIEVES];/* its bit in the set of sleepers */
byte standing[THIEVES];/* ghost: the round of the thief's last request, until it is handled */
byte served;           /* ghost: thieves that have a task */

/* `ask` of thief.h: Alg. 1, then the gate. */
inline ask(me) {
  seen = request;
  now = round;
  if
  :: ROUND(seen) == now
  :: ROUND(seen) != now ->
     d_step { request = REQUEST(now, me); standing[me] = now };
     closed = false
  fi;
  d_step { seen = 0; now = 0 }
}

active [THIEVES] proctype Thief() {
  byte seen, now, asked;
  do
  :: d_step { queue[_pid] -> served++ } break
  :: !queue[_pid] && asked < ASKS -> asked++; ask(_pid)
  :: !queue[_pid] ->
#ifdef GATE_OPENED_TOO_EARLY
     closed = false;
#endif
     asleep[_pid] = true;
     sleepers[_pid] = true; /* prepare_park */
     if
     :: queue[_pid]
     :: !queue[_pid] ->
#ifndef GATE_OPENED_TOO_EARLY
        closed = false;     /* ask_in_sleep */
#endif
        !asleep[_pid]       /* Bell::sleep */
     fi;
     asleep[_pid] = false;
     sleepers[_pid] = false /* end_park */
  od
}

#define SLEEPER(id) atomic { stocked && ROUND(request) != round && sleepers[id] -> sleepers[id] = false; thief = id; give_to_sleeper() }

inline give_to_sleeper() {
  queue[thief] = true;
#ifndef NO_RING
  asleep[thief] = false;
#endif
  thief = 0
}

#ifdef PAPERS_RULE
#define NEWS (ROUND(request) == round)
#elif THIEVES > 2
#define NEWS (ROUND(request) == round || sleepers[0] || sleepers[1] || sleepers[2])
#else
#define NEWS (ROUND(request) == round || sleepers[0] || sleepers[1])
#endif

active proctype Victim() {
  byte thief, said_empty;
  do
  :: served == THIEVES -> break
  :: closed && !stocked -> stocked = true
  :: !closed ->
     /* One scheduling point: a task of its own, the request, a sleeper, or the gate. */
     if
     :: !stocked -> stocked = true
     :: d_step { ROUND(request) == round && stocked -> thief = THIEF(request) }
        queue[thief] = true;
        d_step {
          assert(standing[thief] == round);
          standing[thief] = 0;
#ifndef SAME_ROUND
          round++
#endif
        }
        asleep[thief] = false; /* Bell::ring */
        thief = 0
     :: d_step { ROUND(request) == round && !stocked && said_empty < EMPTY -> thief = THIEF(request) }
        d_step { standing[thief] = 0; said_empty++; thief = 0; round++ }
#ifndef PAPERS_RULE
     :: SLEEPER(0)
     :: SLEEPER(1)
#if THIEVES > 2
     :: SLEEPER(2)
#endif
#endif
     :: !NEWS ->
        closed = true; /* close_gate */
#ifndef NO_LOOK_AFTER_CLOSING
        if
        :: NEWS -> closed = false
        :: else
        fi
#endif
     fi
  od
}
