/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * How members are called off (runtime/team/pool.cc: call_off, park, leave; runtime/team/README.md): while the master
 * changes a team's arrays no member looks at them, none takes that call for a region, nobody touches a team that is
 * freed, and the master does not sleep when all have left.
 *
 * Bounded: MEMBERS members besides the master, REGIONS regions, after each of which the team may be parked. Bells
 * (bell.pml) and the join (tree_barrier.pml) are conditions; the futex on which the end of a team waits is two atomic
 * steps, to compare and queue, and to wake. Memory is sequentially consistent: that `leaving` comes before `go` is its
 * release order.
 *
 * xomp-model: cc=-DSAFETY
 * xomp-model: spin=-DMEMBERS=3 cc=-DSAFETY pan=-m100000
 * xomp-model: spin=-DGO_FIRST cc=-DSAFETY fails
 * xomp-model: spin=-DNO_WAIT cc=-DSAFETY fails
 * xomp-model: spin=-DOUT_BEFORE_LAST_LOOK cc=-DSAFETY fails
 * xomp-model: spin=-DLAST_DOES_NOT_WAKE cc=-DSAFETY fails
 * xomp-model: spin=-DSLEEPS_UNCOMPARED cc=-DSAFETY fails
 */
#ifndef MEMBERS
#define MEMBERS 2
#endif
#define REGIONS 2

byte go[MEMBERS];      /* Start::go */
byte leaving;          /* Team::leaving */
bool ends;             /* Start::body is null */
bool called;           /* the last number was given to a region */
byte reported;         /* to the join */
bool looking[MEMBERS]; /* between two looks at what the team has */
bool freed;
bool asleep;           /* the master, on the futex `leaving` */

inline call_all() {
  number++;
  i = 0;
  do
  :: i < MEMBERS -> go[i] = number; i++
  :: else -> break
  od
}

inline call_off() {
#ifdef GO_FIRST
  call_all();
  leaving = MEMBERS
#else
  leaving = MEMBERS;
  call_all()
#endif
}

inline nobody_looks() {
  d_step {
    i = 0;
    do
    :: i < MEMBERS -> assert(!looking[i]); i++
    :: else -> break
    od
  }
}

inline park_team() {
  call_off();
#ifndef NO_WAIT
  leaving == 0;
#endif
  nobody_looks() /* it changes the arrays here */
}

/* see_off_members */
inline see_off() {
  do
  :: left = leaving;
     if
     :: left == 0 -> break
     :: else
     fi;
     atomic { /* futex_wait */
       if
#ifdef SLEEPS_UNCOMPARED
       :: true -> asleep = true
#else
       :: leaving == left -> asleep = true
       :: else
#endif
       fi
     }
     !asleep
  od
}

active proctype Master() {
  byte number, i, left, region;
  do
  :: region < REGIONS ->
     reported = 0;
     called = true;
     call_all();
     reported == MEMBERS;
     called = false;
     region++;
     if
     :: park_team()
     :: true /* the next one is as large */
     fi
  :: else -> break
  od;
  ends = true;
  call_off();
  see_off();
  nobody_looks();
  freed = true
}

active [MEMBERS] proctype Member() {
  byte me = _pid - 1, seen, before;
  go[me] != seen; /* wait_apart */
  do
  :: seen = go[me];
     if
     :: leaving != 0 ->
        if
        :: ends -> break
        :: else
        fi;
#ifdef OUT_BEFORE_LAST_LOOK
        leaving--;
        looking[me] = false;
#else
        looking[me] = false;
        leaving--;
#endif
        go[me] != seen /* wait_apart */
     :: else ->
        assert(called && !freed);
        looking[me] = true;
        reported++;
        go[me] != seen /* wait_for_region: it looks all the time */
     fi
  od;
  looking[me] = false;
  assert(!freed);
  d_step { before = leaving; leaving-- };
#ifndef LAST_DOES_NOT_WAKE
  if
  :: before == 1 -> asleep = false /* of the team the address alone is used */
  :: else
  fi
#endif
}
