// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// trace/pen.h and recorder.cc: two pens, each of which writes extents one after the other, and the helper that prepares
// the next and unmaps those that were written. A pen that finds none ready helps itself under the lock. What the bell's
// fences are for is in bell.pml; here stores are in memory at once. Asserted: no record is written to an extent that is
// not mapped, nobody prepares what is prepared; and a pen that stops finds the next extent ready: the helper does not
// sleep on work.
// xomp-model:
// xomp-model: spin=-DRING_FIRST fails
// xomp-model: spin=-DPUSH_FIRST fails
// xomp-model: spin=-DNO_LOOK fails
// xomp-model: spin=-DNO_LOCK fails

#define PENS 2
#define EXTENTS 2 // that each pen writes
#define SLOTS 8   // mappings in all
#define NONE 255

byte ready[PENS];
bool mapped[SLOTS];
bool pushed[SLOTS]; // `written`
byte made = 0;
bool locked = false;
bool asleep = false; // the bell
byte through = 0;    // pens that have written all

inline lock() {
#ifndef NO_LOCK
  atomic { !locked -> locked = true }
#else
  skip
#endif
}
inline unlock() { locked = false }

inline prepare(pen) {
  if
  :: ready[pen] == NONE ->
     d_step { mine = made; made++; mapped[mine] = true }
     assert(ready[pen] == NONE);
     ready[pen] = mine
  :: else
  fi
}

inline ring() {
  if
  :: asleep -> asleep = false
  :: else
  fi
}

proctype Pen(byte pen) {
  byte extent = NONE, old = NONE, mine;
  byte i = 0;
  do
  :: i < EXTENTS ->
     if
     :: ready[pen] == NONE -> lock(); prepare(pen); unlock()
     :: else
     fi;
     old = extent;
#ifdef RING_FIRST
     ring();
#endif
     atomic { extent = ready[pen]; assert(extent != NONE); ready[pen] = NONE }
#ifdef PUSH_FIRST
     pushed[extent] = true;
#else
     if
     :: old != NONE -> pushed[old] = true
     :: else
     fi;
#endif
#ifndef RING_FIRST
     ring();
#endif
     assert(mapped[extent]); // a record
     assert(mapped[extent]);
     i++
  :: else -> break
  od;
  // It stops here; what it would need next is prepared.
  ready[pen] != NONE;
  through++
}

active proctype Helper() {
  byte i, mine;
end:
  do
  :: lock();
     d_step { // takes the list, and unmaps what is on it
       i = 0;
       do
       :: i < SLOTS ->
          if :: pushed[i] -> pushed[i] = false; mapped[i] = false :: else fi;
          i++
       :: else -> break
       od;
       i = 0
     }
     do
     :: i < PENS -> prepare(i); i++
     :: else -> break
     od;
     unlock();
     asleep = true; // and a fence
#ifndef NO_LOOK
     if
     :: ready[0] == NONE || ready[1] == NONE -> asleep = false
     :: else
     fi;
#endif
end_asleep:
     !asleep
  od
}

init {
  ready[0] = NONE;
  ready[1] = NONE;
  atomic { run Pen(0); run Pen(1) }
  (through == PENS)
}
