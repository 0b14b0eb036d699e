/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ring for several producers and one consumer (runtime/queue/mpsc_ring.h): a producer takes a place by a
   compare-and-swap of `tail` and writes its slot later. The consumer may take the second entry before the first. Checked:
   nothing overwritten, nothing lost, everything arrives once.

   xomp-model: cc=-DSAFETY pan=-m100000
   xomp-model: spin=-DNO_LOOK cc=-DSAFETY pan=-m100000 fails
   xomp-model: spin=-DLOOK_AT_SLOT cc=-DSAFETY pan=-m100000 fails */

#define SLOTS 2
#define PRODUCERS 3
#define EACH 2
#define TAKEN 255

byte slot[SLOTS]; /* 0: null; TAKEN; else an item's number */
byte tail, head;
bool arrived[PRODUCERS * EACH + 1];
byte count;

proctype producer(byte id) {
  byte item = 0, place;
  do
  :: item < EACH ->
    /* A full ring means "run it now", here: try again. */
    atomic {
      place = tail;
#if defined(NO_LOOK)
      true
#elif defined(LOOK_AT_SLOT)
      slot[place % SLOTS] == 0
#else
      place - head < SLOTS
#endif
    };
    atomic {
      if
      :: tail == place -> tail++
      :: else -> goto again /* the compare-and-swap failed */
      fi
    };
    d_step {
      assert(slot[place % SLOTS] == 0);
      slot[place % SLOTS] = id * EACH + item + 1;
      item++
    };
again: skip
  :: else -> break
  od
}

inline receive(item) {
  assert(!arrived[item]);
  arrived[item] = true;
  count++
}

active proctype consumer() {
  byte at;
  do
  :: count < PRODUCERS * EACH ->
    if
    :: d_step { slot[head % SLOTS] == TAKEN -> slot[head % SLOTS] = 0 }; head++
    :: d_step { slot[head % SLOTS] != 0 && slot[head % SLOTS] != TAKEN ->
         receive(slot[head % SLOTS]); slot[head % SLOTS] = 0 }; head++
    :: d_step { slot[head % SLOTS] != 0 && slot[head % SLOTS] != TAKEN &&
         slot[(head + 1) % SLOTS] != 0 && slot[(head + 1) % SLOTS] != TAKEN -> /* out of the middle */
         at = (head + 1) % SLOTS; receive(slot[at]); slot[at] = TAKEN }
    fi
  :: else -> break
  od
}

init {
  byte id;
  atomic {
    do
    :: id < PRODUCERS -> run producer(id); id++
    :: else -> break
    od
  }
}
