// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// team/workshare.cc: members pass the same constructs with nowait through a ring of slots. Each construct is made once,
// nobody is inside a slot when it is made for another construct, and no member waits for ever, also with the rule that
// who has come round the ring waits for half of it. FIRST_RECYCLES, the naive version, frees a slot too early.
// CANCEL: any member may cancel the region between two constructs and go to its end; those that wait for a slot
// then make their construct alone. With WAITS_ON they go on waiting, and spin finds the hang.
// xomp-model:
// xomp-model: spin=-DMEMBERS=2 spin=-DRING=2 spin=-DCONSTRUCTS=7
// xomp-model: spin=-DFIRST_RECYCLES fails
// xomp-model: spin=-DCANCEL spin=-DRING=2 spin=-DCONSTRUCTS=4
// xomp-model: spin=-DCANCEL spin=-DMEMBERS=2
// xomp-model: spin=-DCANCEL spin=-DMEMBERS=2 spin=-DWAITS_ON fails

#ifndef MEMBERS
#define MEMBERS 3
#endif
#ifndef RING
#define RING 4
#endif
#ifndef CONSTRUCTS
#define CONSTRUCTS 7
#endif

mtype = { Free, Making, Open };

byte number[RING]; // of the slot's construct
mtype phase[RING];
bool cancelled;
byte gone[RING], inside[RING], made[CONSTRUCTS];

inline make() {
  made[c]++;
  assert(made[c] == 1);
  assert(inside[c % RING] == 0);
  phase[c % RING] = Open
}

inline leave() {
  d_step { inside[c % RING]--; gone[c % RING]++; all = gone[c % RING] }
  if
#ifdef FIRST_RECYCLES
  :: all == 1 ->
#else
  :: all == MEMBERS ->
#endif
     gone[c % RING] = 0;
     d_step { number[c % RING] = number[c % RING] + RING; phase[c % RING] = Free }
  :: else
  fi
}

proctype Member() {
  byte c = 0, all = 0;
  bool mine, alone;
  do
#ifdef CANCEL
  :: c < CONSTRUCTS -> cancelled = true; break
#endif
  :: c < CONSTRUCTS ->
     alone = false;
     do
     :: number[c % RING] == c && phase[c % RING] == Open -> break
     :: number[c % RING] == c && phase[c % RING] == Free ->
        d_step { // compare-and-swap
          mine = (number[c % RING] == c && phase[c % RING] == Free);
          if :: mine -> phase[c % RING] = Making :: else fi
        }
        if :: mine -> make(); break :: else fi
     :: number[c % RING] < c -> // round the ring: wait until half of it is free
#ifdef WAITS_ON
        number[(c - RING / 2) % RING] > c - RING / 2
#else
        (number[(c - RING / 2) % RING] > c - RING / 2 || cancelled);
        if
        :: number[c % RING] < c && cancelled -> alone = true; break
        :: else
        fi
#endif
     :: number[c % RING] == c && phase[c % RING] == Making ->
        phase[c % RING] != Making || number[c % RING] != c
     od;
     if
     :: alone
     :: else ->
        inside[c % RING]++;
        assert(number[c % RING] == c && phase[c % RING] == Open);
        leave()
     fi;
     c++
  :: else -> break
  od
}

init {
  byte i;
  atomic {
    for (i : 0 .. RING - 1) { number[i] = i; phase[i] = Free }
    for (i : 1 .. MEMBERS) { run Member() }
  }
}
