/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The state word of one deferred task (runtime/task/README.md, "The life of a deferred task"; code in task/full_frame.cc,
 * task/run.cc and task/complete.cc): whoever answers for it always starts it, nobody runs it twice, and its memory is
 * not freed while a queue or a list of ready successors names it. Nobody touches it after giving up the bit that
 * protects his pointer.
 *
 * Five workers can get at it: its creator, the consumer of the ring in which the creator put an entry, the worker
 * that made it ready (released its last predecessor), the consumer of the ring in which that one put an entry, and
 * whoever finds it on the team's overflow list, to which a consumer that may not start it moves the entry, and where a
 * ready successor goes that no ring has room for. The creator's worker waits for its children, or ends the parent and
 * sweeps later, or both.
 *
 * Bounded: one task, one ring entry; consumers may keep the entry (not theirs by the task scheduling constraint), and
 * may stop looking at any time, as a worker inside a long task does. Steps on the state word are atomic; memory orders
 * are not modelled.
 *
 * xomp-model: cc=-DSAFETY pan=-m100000
 * xomp-model: spin=-DPLAIN_CLAIM cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DFREE_WHEN_DONE cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DENTRY_AFTER_PUT cc=-DSAFETY pan=-E fails
 * xomp-model: spin=-DPLAIN_DROP cc=-DSAFETY fails
 * xomp-model: spin=-DNO_READY_LIST cc=-DSAFETY fails
 * xomp-model: spin=-DEND_WITHOUT_CLAIM cc=-DSAFETY fails
 * xomp-model: spin=-DPOST_GIVES_UP cc=-DSAFETY pan=-E fails
 */
#define WAITING 0
#define READY 1
#define RUNNING 2
#define DONE 3
#define PHASE 3
#define IN_QUEUE 4
#define IN_READY_LIST 8

byte state = WAITING;
byte runs;
bool freed;
bool linked;        /* the full frame's list of children has it: the creator may sweep */
bool predecessor;   /* it has one, which another worker finishes */
bool in_ring;       /* a ring holds the pointer */
bool in_overflow;      /* the team's overflow list has it */
bool consumer_sees; /* the ring is the consumer's, not the creator's own or the releaser's own */

#define CHECK assert(!freed)
#ifdef FREE_WHEN_DONE
#define CAN_FREE ((state & PHASE) == DONE)
#else
#define CAN_FREE (state == DONE)
#endif

/* try_claim: `taken` says whether the caller has it now. */
inline try_claim(held) {
  taken = false;
#ifdef PLAIN_CLAIM
  seen = state;
  if
  :: (seen & PHASE) == READY -> state = (seen & ~(PHASE | held)) | RUNNING; taken = true
  :: else
  fi;
#else
  d_step {
    CHECK;
    if
    :: (state & PHASE) == READY -> state = (state & ~(PHASE | held)) | RUNNING; taken = true
    :: else
    fi
  }
#endif
}

/* fetch_and(~pointer) */
inline give_up(pointer) {
#ifdef PLAIN_DROP
  CHECK;
  seen = state;
  state = seen & ~pointer
#else
  d_step { CHECK; state = state & ~pointer }
#endif
}

inline execute() {
  d_step { CHECK; runs++; assert(runs == 1) }
  d_step { CHECK; state = state | DONE } /* complete: fetch_or */
}

/* The consumer's side of a ring: take_from and judge. */
inline take() {
  d_step { CHECK; seen = state & PHASE }
  if
  :: seen == READY /* kKeep */
  :: seen == READY -> /* post_kept, then the entry is removed */
#ifdef POST_GIVES_UP
     give_up(IN_QUEUE);
#endif
     in_overflow = true;
     in_ring = false
  :: seen == READY ->
     try_claim(IN_QUEUE);
     if
     :: taken -> in_ring = false; execute()
     :: else -> give_up(IN_QUEUE); in_ring = false
     fi
  :: seen != READY -> give_up(IN_QUEUE); in_ring = false
  fi;
  seen = 0;
  taken = false
}

/* Policy::put, into a ring of anybody's; `accepted` false: it was full. */
inline put() {
  if
  :: atomic { accepted = true; in_ring = true; consumer_sees = true }
  :: atomic { accepted = true; in_ring = true } /* the own master ring */
  :: accepted = false
  fi
}

/* claim_child on the only child */
inline claim_child() {
  if
  :: linked ->
     if
     :: atomic { CAN_FREE -> freed = true; linked = false }
     :: atomic { !CAN_FREE -> seen = state & PHASE }
        if
        :: seen == READY ->
           try_claim(0);
           if
           :: taken -> execute()
           :: else
           fi
        :: else
        fi
     fi
  :: else
  fi;
  seen = 0;
  taken = false
}

active proctype Creator() {
  byte seen;
  bool taken, accepted;
  linked = true;
  if
  :: predecessor = true; goto parent /* the rest is the releaser's */
  :: skip
  fi;
  if /* offer */
  :: state = RUNNING; execute(); goto parent /* nobody else can have it */
  :: state = READY; goto parent /* left for later: in no queue at all */
  :: skip
  fi;
#ifdef ENTRY_AFTER_PUT
  state = READY;
  put();
  if
  :: accepted -> d_step { CHECK; state = state | IN_QUEUE }
  :: else -> try_claim(0)
  fi;
#else
  state = READY | IN_QUEUE;
  put();
  if
  :: accepted
  :: else -> give_up(IN_QUEUE); try_claim(0)
  fi;
#endif
  if
  :: taken -> execute()
  :: else
  fi;
  taken = false;
  accepted = false;
  seen = 0;
parent:
  do /* the parent: taskwaits, looks into its ring, creates others (sweep) */
  :: linked -> claim_child()
  :: in_ring && !consumer_sees && !predecessor -> take()
  :: break
  od;
#ifndef END_WITHOUT_CLAIM
  do /* end of the parent: until no child is ready */
  :: linked && (state & PHASE) == READY -> claim_child()
  :: else -> break
  od;
#endif
end: /* barriers: the own ring is looked at, what ended tasks left is swept */
  do
  :: atomic { linked && CAN_FREE -> freed = true; linked = false }
  :: in_ring && !consumer_sees && !predecessor -> take()
  od
}

/* The worker that finishes the predecessor: add_ready_successor, then claim_left_behind. */
active proctype Releaser() {
  byte seen;
  bool taken, accepted;
end:
  predecessor;
#ifdef NO_READY_LIST
  state = READY | IN_QUEUE;
  put();
  if
  :: accepted
  :: else -> give_up(IN_QUEUE)
  fi
#else
  if
  :: state = READY | IN_READY_LIST /* the first one released: not shown to others */
  :: state = READY | IN_QUEUE | IN_READY_LIST;
     put();
     if
     :: accepted
     :: else -> in_overflow = true /* post */
     fi
  fi;
  accepted = false;
  d_step { CHECK; seen = state & PHASE } /* claim_listed */
  if
  :: seen == READY -> try_claim(IN_READY_LIST)
  :: else
  fi;
  if
  :: taken -> execute()
  :: else -> give_up(IN_READY_LIST)
  fi;
  seen = 0;
  taken = false;
  do
  :: in_ring && !consumer_sees -> take()
  :: break
  od
#endif
}

active proctype Consumer() {
  byte seen;
  bool taken;
end:
  do
  :: in_ring && consumer_sees -> take()
  :: break
  od
}

/* claim_posted, by a worker that may start it; the list is under a lock. */
active proctype Idle() {
  byte seen;
  bool taken;
end:
  do
  :: in_overflow ->
     d_step { CHECK; seen = state & PHASE; in_overflow = false }
     if
     :: seen == READY -> try_claim(IN_QUEUE)
     :: else
     fi;
     if
     :: taken -> execute()
     :: else -> give_up(IN_QUEUE)
     fi;
     seen = 0;
     taken = false
  od
}

/* When nobody does anything any more, the task has run and nothing but an entry in a ring that nobody looks at keeps
   its memory. */
active proctype Observer() {
  timeout;
  assert(runs == 1);
  assert(freed || (in_ring && state == (DONE | IN_QUEUE)))
}
