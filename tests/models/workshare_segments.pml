// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// worksharing/workshare.cc: members pass the same constructs with nowait through a ring of segments of two slots. Each construct
// is made once, all members meet in it, nobody is in a slot or segment that is used again, and a member that is ahead
// never waits for ever, although here the last member comes only when another one has passed everything. The time that
// one gives to those behind is over at any moment. FIRST_GIVES_BACK: who leaves a segment first gives it back.
// TWO_FOLLOW: two members may each take a segment. WAITS_FOR_SLOWER: with two segments in use a member waits for the
// slower ones: the ring does not grow. AT_ANY_TIME: the last member comes when it likes, so segments
// are used again. CLAIMS_STAY: who takes one leaves the marks of those who came to its slots. STAYS_OPEN: who gives one
// back leaves its slots open. HOLDS: the constructs hold something, which the last member to leave frees.
// CANCEL: any member may cancel the region between two constructs and go to its end; who would need another segment
// then makes its constructs alone.
// xomp-model:
// xomp-model: spin=-DMEMBERS=2 spin=-DCONSTRUCTS=8
// xomp-model: spin=-DFIRST_GIVES_BACK fails
// xomp-model: spin=-DTWO_FOLLOW fails
// xomp-model: spin=-DMEMBERS=2 spin=-DWAITS_FOR_SLOWER fails
// xomp-model: spin=-DMEMBERS=2 spin=-DCONSTRUCTS=8 spin=-DAT_ANY_TIME
// xomp-model: spin=-DMEMBERS=2 spin=-DCONSTRUCTS=8 spin=-DAT_ANY_TIME spin=-DCLAIMS_STAY fails
// xomp-model: spin=-DMEMBERS=2 spin=-DCONSTRUCTS=8 spin=-DAT_ANY_TIME spin=-DSTAYS_OPEN fails
// xomp-model: spin=-DMEMBERS=2 spin=-DCONSTRUCTS=8 spin=-DAT_ANY_TIME spin=-DHOLDS
// xomp-model: spin=-DCANCEL

#ifndef MEMBERS
#define MEMBERS 3
#endif
#ifndef CONSTRUCTS
#define CONSTRUCTS 6
#endif
#define SLOTS 2
#define SEGMENTS (CONSTRUCTS / SLOTS)
#define NUMBER (c / SLOTS + 1)

bool claimed[CONSTRUCTS], open[CONSTRUCTS]; // slot s of segment g: g * SLOTS + s
byte lives[CONSTRUCTS];  // which construct was made there last
#ifdef HOLDS
byte holds[CONSTRUCTS];  // of which construct, from 1 on; 0: nothing
#endif
byte gone[CONSTRUCTS], inside[CONSTRUCTS], made[CONSTRUCTS];
byte next[SEGMENTS], left[SEGMENTS], users[SEGMENTS];
byte number[SEGMENTS]; // 0: free
byte allocated = 1, in_use = 1;
bool cancelled, passed;

#define AT (segment * SLOTS + c % SLOTS)

// Under the lock: one step.
inline take_segment() {
  atomic {
    follows = next[segment];
    if
#ifndef TWO_FOLLOW
    :: number[follows] == NUMBER
#endif
    :: number[follows] == 0 ->
       assert(users[follows] == 0 && !open[follows * SLOTS] && !open[follows * SLOTS + 1]);
#ifndef CLAIMS_STAY
       claimed[follows * SLOTS] = false; claimed[follows * SLOTS + 1] = false;
#endif
       number[follows] = NUMBER; in_use++
#ifdef TWO_FOLLOW
    :: number[follows] != 0 && allocated < SEGMENTS ->
#else
    :: number[follows] != 0 && number[follows] != NUMBER ->
#endif
       assert(allocated < SEGMENTS && allocated == NUMBER - number[follows]); // all are taken
       next[segment] = allocated;
       next[allocated] = follows;
       number[allocated] = NUMBER;
       follows = allocated;
       allocated++; in_use++
    fi
  }
}

proctype Member(bool comes_last) {
  byte c = 0, segment = 0, follows = 0, all = 0;
  bool mine, alone = false;
#ifndef AT_ANY_TIME
  if
  :: comes_last -> (passed || cancelled)
  :: else
  fi;
#endif
  do
#ifdef CANCEL
  :: c < CONSTRUCTS -> cancelled = true; break
#endif
  :: c < CONSTRUCTS ->
     if
     :: c % SLOTS == 0 && c > 0 && !alone ->
        follows = next[segment];
        if
        :: number[follows] == NUMBER
        :: number[follows] != NUMBER && cancelled -> alone = true
        :: number[follows] != NUMBER && !cancelled ->
#ifdef WAITS_FOR_SLOWER
           (in_use < 2 || number[next[segment]] == NUMBER || cancelled);
#endif
           take_segment()
        fi;
        if
        :: !alone ->
           atomic { users[follows]++; users[segment]--; left[segment]++; all = left[segment] };
           if
#ifdef FIRST_GIVES_BACK
           :: all == 1 && !cancelled ->
#else
           :: all == MEMBERS && !cancelled ->
#endif
#ifndef STAYS_OPEN
              open[segment * SLOTS] = false; open[segment * SLOTS + 1] = false;
#endif
              left[segment] = 0;
              d_step { number[segment] = 0; in_use-- }
           :: else
           fi;
           segment = follows
        :: else
        fi
     :: else
     fi;
     if
     :: alone
     :: else ->
        mine = false;
        if
        :: open[AT]
        :: else -> d_step { mine = !claimed[AT]; claimed[AT] = true } // fetch-or
        fi;
        if
        :: mine ->
           made[c]++;
           assert(made[c] == 1 && inside[AT] == 0);
           lives[AT] = c;
#ifdef HOLDS
           assert(holds[AT] == 0);
           holds[AT] = c + 1;
#endif
           open[AT] = true
        :: else -> open[AT]
        fi;
        inside[AT]++;
        assert(open[AT] && lives[AT] == c);
#ifdef HOLDS
        assert(holds[AT] == c + 1);
        d_step { inside[AT]--; gone[AT]++; all = gone[AT] };
        if
        :: all == MEMBERS -> assert(holds[AT] == c + 1); gone[AT] = 0; holds[AT] = 0
        :: else
        fi
#else
        inside[AT]--
#endif
     fi;
     c++
  :: else -> passed = true; break
  od
}

init {
  byte i;
  atomic {
    number[0] = 1;
    users[0] = MEMBERS;
    for (i : 1 .. MEMBERS) { run Member(i == MEMBERS) }
  }
}
