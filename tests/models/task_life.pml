/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The life of deferred tasks (runtime/task/README.md): a predecessor A and its successor B, created by `owner`; `consumer`
   has a queue in which the owner and the finisher put adverts, and may not start B at times (it waits in another
   task). Whoever finishes A makes B ready, keeps it in its foster list, perhaps puts an advert, and starts it if nobody
   else did. The owner claims what is ready while it waits for its children, and frees what is done.

   Checked: every task runs exactly once, nobody touches a task that was freed, the owner's wait ends and both are freed.

   xomp-model:
   xomp-model: spin=-DCLAIM_WITHOUT_CAS fails
   xomp-model: spin=-DFREE_WHEN_DONE fails
   xomp-model: spin=-DADVERT_COUNTED_LATE fails
   xomp-model: spin=-DONLY_THE_QUEUE fails */

#define A 0
#define B 1
#define WAITING 0
#define READY 1
#define RUNNING 2
#define DONE 3

/* DeferredTask::state, and what would be undefined behaviour. */
byte phase[2];
bit advert[2], foster[2];
bit freed[2];
byte ran[2];

bit b_follows_a;         /* the edge was there before A ended */
byte predecessors_of_b = 1;
bit successors_closed;   /* of A */

chan queue = [2] of { byte }; /* the consumer's */
bit restricted;          /* the consumer waits in a task of which ours are no descendants */
bit released[2];         /* the one who made it ready has offered it */
bit owner_done;

inline touch(t) { assert(!freed[t]) }

/* try_claim: one compare-and-swap, that gives up the caller's own pointer in the same step. */
inline try_claim(t, was_advert, was_foster, got) {
#ifdef CLAIM_WITHOUT_CAS
  touch(t);
  got = (phase[t] == READY);
  if
  :: got -> d_step { phase[t] = RUNNING; advert[t] = advert[t] && !was_advert; foster[t] = foster[t] && !was_foster }
  :: else
  fi
#else
  d_step {
    touch(t);
    got = (phase[t] == READY);
    if
    :: got ->
      phase[t] = RUNNING;
      if :: was_advert -> advert[t] = 0 :: else fi;
      if :: was_foster -> foster[t] = 0 :: else fi
    :: else
    fi
  }
#endif
}

/* An offer to the queue; the advert is counted before the queue holds it. */
inline put_advert(t) {
#ifdef ADVERT_COUNTED_LATE
  if
  :: nfull(queue) -> queue ! t; touch(t); advert[t] = 1
  :: skip
  fi
#else
  if
  :: nfull(queue) -> queue ! t
  :: d_step { touch(t); advert[t] = 0 } /* no room */
  fi
#endif
}

#ifdef ADVERT_COUNTED_LATE
#define MAKE_READY(t, f) d_step { touch(t); phase[t] = READY; foster[t] = f }
#else
#define MAKE_READY(t, f) d_step { touch(t); phase[t] = READY; advert[t] = 1; foster[t] = f }
#endif

/* execute, finish, complete. Finishing A releases B. */
inline run_task(t) {
  touch(t);
  ran[t]++;
  assert(ran[t] == 1);
  mine = 0;
  if
  :: t == A ->
    d_step { touch(A); successors_closed = 1; found = b_follows_a }
    if
    :: found ->
      d_step { touch(B); predecessors_of_b--; found = (predecessors_of_b == 0) }
      if
      :: found -> /* foster: first of its successors, so it need not be advertised; here it may be */
        if
        :: d_step { touch(B); phase[B] = READY; foster[B] = 1 }
        :: MAKE_READY(B, 1); put_advert(B)
        fi;
        mine = 1
      :: else
      fi
    :: else
    fi
  :: else
  fi;
  d_step { touch(t); phase[t] = DONE };
  /* Directly after it: what it made ready, if nobody else began it. */
#ifndef ONLY_THE_QUEUE
  if
  :: mine ->
    mine = 0;
    try_claim(B, 0, 1, got);
    if
    :: got -> touch(B); ran[B]++; assert(ran[B] == 1); d_step { touch(B); phase[B] = DONE }
    :: else -> d_step { touch(B); foster[B] = 0 }
    fi
  :: else
  fi
#else
  if
  :: mine -> d_step { touch(B); foster[B] = 0 }
  :: else
  fi
#endif
}

#ifdef FREE_WHEN_DONE
#define CAN_FREE(t) (!freed[t] && phase[t] == DONE)
#else
#define CAN_FREE(t) (!freed[t] && phase[t] == DONE && !advert[t] && !foster[t])
#endif

active proctype owner() {
  bit got, mine, found;
  /* A is ready at once: offered, or run when there is no room. */
  MAKE_READY(A, 0);
  put_advert(A);
  /* B: enter_dependences; `predecessors` is 1 for the creator. */
  atomic {
    touch(A); /* the dependence table keeps it */
    if
    :: !successors_closed -> predecessors_of_b++; b_follows_a = 1
    :: else
    fi
  }
  d_step { predecessors_of_b--; found = (predecessors_of_b == 0) }
  if
  :: found -> MAKE_READY(B, 0); put_advert(B)
  :: else
  fi;
  /* taskwait: claims its children, until none is unfinished. */
  do
#ifndef ONLY_THE_QUEUE
  :: phase[A] == READY -> try_claim(A, 0, 0, got); if :: got -> run_task(A) :: else fi
  :: phase[B] == READY -> try_claim(B, 0, 0, got); if :: got -> run_task(B) :: else fi
#endif
  :: phase[A] == DONE && phase[B] == DONE -> break
  od;
  owner_done = 1;
  /* Sweeps, then or later. */
  do
  :: atomic { CAN_FREE(A) -> freed[A] = 1 }
  :: atomic { CAN_FREE(B) -> freed[B] = 1 }
  :: freed[A] && freed[B] -> break
  od
}

active proctype consumer() {
  bit got, mine, found;
  byte t;
end:
  do
  :: queue ? [t] ->
    queue ? <t>;
    touch(t);
    if
    :: phase[t] == READY && restricted && !owner_done -> /* kKeep: not here, not now */
      phase[t] != READY || !restricted || owner_done
    :: phase[t] == READY && !restricted ->
      try_claim(t, 1, 0, got);
      if
      :: got -> queue ? _; run_task(t)
      :: else -> queue ? _; d_step { touch(t); advert[t] = 0 }
      fi
    :: phase[t] != READY || owner_done -> queue ? _; d_step { touch(t); advert[t] = 0 } /* stale */
    fi
  :: !restricted && !owner_done -> restricted = 1 /* ends only when the owner's wait has ended */
  od
}
