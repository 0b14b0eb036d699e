// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// team/loop_steal.cc: each member takes chunks from the front of its own range; one whose range is empty steals the
// upper half of another's. Each chunk is executed exactly once; no member gives up while a range holds a chunk or one is
// on its way from one range to another; the loop's last chunk, which is in no range, comes after all others. STORE: the
// thief shortens the range by a store instead of a compare-and-swap, and a chunk is executed twice. NO_MOVES: a
// member gives up when it found all ranges empty, and chunks that a thief has in its hands are left to that thief alone.
// xomp-model: pan=-m1000000
// xomp-model: spin=-DMEMBERS=3 spin=-DCHUNKS=2 pan=-m1000000
// xomp-model: spin=-DSTORE pan=-m1000000 fails
// xomp-model: spin=-DMEMBERS=3 spin=-DCHUNKS=3 spin=-DNO_MOVES pan=-m1000000 fails

#ifndef MEMBERS
#define MEMBERS 2
#endif
#ifndef CHUNKS
#define CHUNKS 6
#endif

byte first[MEMBERS], end[MEMBERS]; // the two halves of a word
byte executed[CHUNKS + 1];
bool last_taken;
byte open_moves, ended_moves;
byte in_hands; // chunks that a thief has taken and not yet laid into its range

inline execute(chunk) {
  executed[chunk]++;
  assert(executed[chunk] == 1)
}

// One step for each access to a shared word.
proctype Member(byte me) {
  byte f, e, mid, victim, before_open, before_ended, i;
  bool mine;
own:
  skip;
  d_step { f = first[me]; e = end[me]; first[me]++ } // fetch-and-add
  if
  :: f < e -> execute(f); goto own
  :: else
  fi;
again:
  skip;
  d_step { before_open = open_moves; before_ended = ended_moves }
  victim = me;
  do
  :: victim = (victim + 1) % MEMBERS;
     if
     :: victim == me -> break
     :: else
     fi;
     d_step { f = first[victim]; e = end[victim] }
     if
     :: f < e ->
        open_moves++;
        do
        :: f >= e -> break
        :: else ->
           mid = f + (e - f) / 2;
#ifdef STORE
           mine = true;
           d_step { end[victim] = mid; in_hands = in_hands + (e - mid) }
#else
           d_step { // compare-and-swap
             mine = (first[victim] == f && end[victim] == e);
             if
             :: mine -> end[victim] = mid; in_hands = in_hands + (e - mid)
             :: else -> f = first[victim]; e = end[victim]
             fi
           }
#endif
           if
           :: mine -> break
           :: else
           fi
        od;
        if
        :: mine ->
           d_step { first[me] = mid + 1; end[me] = e; in_hands = in_hands - (e - mid) }
        :: else
        fi;
        d_step { open_moves--; ended_moves++ }
        if
        :: mine -> mine = false; execute(mid); goto own
        :: else
        fi
     :: else
     fi
  od;
#ifndef NO_MOVES
  if
  :: before_open == 0 && open_moves == 0 && ended_moves == before_ended
  :: else -> goto again
  fi;
#endif
  assert(in_hands == 0);
  for (i : 0 .. MEMBERS - 1) {
    assert(first[i] >= end[i])
  }
  // The loop's last chunk goes to one of those who found nothing else.
  atomic { mine = !last_taken; last_taken = true }
  if
  :: mine -> execute(CHUNKS)
  :: else
  fi
}

init {
  byte i;
  atomic {
    for (i : 0 .. MEMBERS - 1) {
      first[i] = CHUNKS * i / MEMBERS;
      end[i] = CHUNKS * (i + 1) / MEMBERS
    }
    for (i : 0 .. MEMBERS - 1) { run Member(i) }
  }
  _nr_pr == 1;
  for (i : 0 .. CHUNKS) {
    assert(executed[i] == 1)
  }
}
