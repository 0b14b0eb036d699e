/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The lock by turns of runtime/sys/turn_lock.h (table in runtime/sys/README.md): one holder at a time, at most one
 * that looks and one that was called, and nobody sleeps for ever, which would be an invalid end state.
 *
 * Bounded: THREADS threads, ROUNDS rounds each. The word's roles are separate variables that change in one atomic
 * step, as a compare-and-swap changes them. Time and patience are left to chance: a turn may be over at any time. A
 * release at once may look at the queue before its store leaves the processor; a heavy fence waits for that.
 *
 * xomp-model: cc=-DSAFETY pan=-m1000000
 * xomp-model: spin=-DTHREADS=2 spin=-DROUNDS=3 cc=-DSAFETY pan=-m1000000
 * xomp-model: spin=-DNO_LAST_LOOK cc=-DSAFETY pan=-m1000000 fails
 * xomp-model: spin=-DROLE_STAYS cc=-DSAFETY pan=-m1000000 fails
 * xomp-model: spin=-DHANDS_AND_FREES cc=-DSAFETY pan=-m1000000 fails
 * xomp-model: spin=-DNO_FENCE cc=-DSAFETY pan=-m1000000 fails
 * xomp-model: spin=-DNO_SECOND_LOOK cc=-DSAFETY pan=-m1000000 fails
 * xomp-model: spin=-DNO_LOOK_AFTER_FENCE cc=-DSAFETY pan=-m1000000 fails
 */
#ifndef THREADS
#define THREADS 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#define NONE 0
#define CALLED 1
#define HANDED 2

bool held, queued, looking, woken, claimed; /* the word */
bool locked;                         /* the queue's lock */
chan queue = [THREADS] of { byte };
byte news[THREADS];
byte holders;
bool buffered[THREADS]; /* has looked at the queue, and its store is still to come */

#define TAKEABLE (!held && (!claimed || claims))

inline take_roles_off() {
  if
  :: looks -> looking = false; looks = false
  :: else
  fi;
  if
  :: comes -> woken = false; comes = false
  :: else
  fi;
  if
  :: claims -> claimed = false; claims = false
  :: else
  fi
}

active [THREADS] proctype Thread() {
  byte rounds = 0, next, peer, each;
  bool looks, comes, claims, called, slept, hands, first, seen;
  do
  :: rounds == ROUNDS -> break
  :: rounds < ROUNDS ->
     called = false;
     first = false;
  wait:
     do
     :: atomic { !held -> held = true; take_roles_off(); break } /* a claim only makes others hesitate */
     :: atomic { !TAKEABLE && !looks && !comes && !looking -> looking = true; looks = true }
     :: atomic { !TAKEABLE && (looks || comes) && !claimed -> claimed = true; claims = true }
     :: atomic { !TAKEABLE && !locked -> locked = true }
        slept = false;
        next = THREADS;
        atomic { /* TurnLock::sleep: the compare-and-swap, and the queue that its lock protects */
          if
#ifndef NO_LAST_LOOK
          :: TAKEABLE -> locked = false
#endif
          :: 
#ifndef NO_LAST_LOOK
             !TAKEABLE ->
#endif
             if
             :: !looks && !comes && !looking && !woken && queued -> queue?next; woken = true /* changes places */
             :: !looks && !comes && !looking && !woken && len(queue) == 2 -> queue?each; queue?next; queue!each; woken = true /* of this processor */
             :: true
             fi;
#ifndef ROLE_STAYS
             take_roles_off();
#else
             looks = false; comes = false; claims = false;
#endif
             first = !queued;
             queued = true;
             news[_pid] = NONE;
             slept = true;
             if
             :: called && len(queue) > 0 -> /* to the front */
                peer = len(queue);
                queue!_pid;
                do
                :: peer > 0 -> queue?each; queue!each; peer--
                :: else -> break
                od
             :: else -> queue!_pid
             fi
          fi
        }
        if
        :: slept ->
           locked = false;
           if
           :: next < THREADS -> news[next] = CALLED
           :: else
           fi;
           if
           :: first -> /* missed_release */
              first = false;
#ifndef NO_FENCE
              peer = 0;
              do
              :: peer < THREADS && !buffered[peer] -> peer++
              :: peer == THREADS -> break
              od;
#endif
#ifdef NO_LOOK_AFTER_FENCE
              skip
#else
              if
              :: atomic { !held && !locked -> locked = true }
                 atomic {
                   if
                   :: queue??[eval(_pid)] ->
                      queue??eval(_pid);
                      queued = len(queue) > 0;
                      slept = false
                   :: else
                   fi;
                   locked = false
                 }
              :: held
              fi
#endif
           :: else
           fi;
           if
           :: !slept -> goto wait
           :: else
           fi;
           atomic { news[_pid] != NONE ->
             if
             :: news[_pid] == HANDED -> goto holds
             :: else -> comes = true; called = true
             fi
           }
        :: else
        fi
     od;
  holds:
     holders++;
     assert(holders == 1);
     holders--;
     if /* TurnLock::release_at_once */
     :: !queued && !claimed ->
        if
        :: atomic { held = false }
#ifdef NO_SECOND_LOOK
           seen = false
#else
           seen = len(queue) > 0
#endif
        :: atomic { seen = len(queue) > 0; buffered[_pid] = true }
           atomic { held = false; buffered[_pid] = false }
        fi;
        if
        :: !seen -> goto released
        :: else
        fi;
        atomic { !locked -> locked = true }
        atomic { /* takes_back */
          locked = false;
          if
          :: len(queue) == 0 || held || looking || woken -> goto released
          :: else -> held = true
          fi
        }
     :: true
     fi;
     do /* TurnLock::release */
     :: atomic { !queued || looking || woken -> held = false; break }
     :: atomic { queued && !claimed && !locked -> locked = true }
        hands = false;
        next = THREADS;
        atomic {
          if
          :: !queued || claimed -> locked = false
          :: else ->
             if
             :: hands = true /* due */
             :: !looking && !woken -> hands = false
             :: looking || woken -> next = THREADS + 1
             fi;
             if
             :: next == THREADS + 1 -> locked = false; next = THREADS
             :: else ->
                queue?next;
                queued = len(queue) > 0;
                if
                :: hands ->
#ifdef HANDS_AND_FREES
                   held = false
#else
                   skip
#endif
                :: else -> held = false; woken = true
                fi
             fi
          fi
        }
        if
        :: next < THREADS ->
           locked = false;
           news[next] = (hands -> HANDED : CALLED);
           break
        :: else
        fi
     od;
  released:
     seen = false;
     hands = false;
     rounds++
  od
}
