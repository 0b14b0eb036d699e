// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sys/event_count.h: two waiters, each for a condition and a channel of its own, and a notifier for each. A store is in
// memory at once or only later (`Later`), unless a fence comes in between. Nobody may sleep for ever: spin reports
// that as an invalid end state. With either fence left out it does.
// xomp-model:
// xomp-model: spin=-DNO_NOTIFIER_FENCE fails
// xomp-model: spin=-DNO_WAITER_FENCE fails

bool condition[2];
byte sleepers, events;
bool asleep[2]; // in the kernel, on this channel

// Stores that are still on their way.
bool condition_pending[2], sleeper_pending[2];

inline drain_condition(i) {
  d_step { if :: condition_pending[i] -> condition[i] = true; condition_pending[i] = false :: else fi }
}
inline drain_sleeper(i) {
  d_step { if :: sleeper_pending[i] -> sleepers++; sleeper_pending[i] = false :: else fi }
}

active proctype Later() {
end:
  do
  :: condition_pending[0] -> drain_condition(0)
  :: condition_pending[1] -> drain_condition(1)
  :: sleeper_pending[0] -> drain_sleeper(0)
  :: sleeper_pending[1] -> drain_sleeper(1)
  od
}

proctype Waiter(byte i) {
  byte seen;
  sleeper_pending[i] = true;
#ifndef NO_WAITER_FENCE
  drain_sleeper(i);
#endif
  do
  :: seen = events;
     if
     :: condition[i] -> break
     :: else
     fi;
     // futex_wait: compares and sleeps in one step.
     atomic { if :: events == seen -> asleep[i] = true :: else fi }
     !asleep[i]
  od;
  drain_sleeper(i);
  d_step { sleepers-- }
}

proctype Notifier(byte i) {
  condition_pending[i] = true;
#ifndef NO_NOTIFIER_FENCE
  drain_condition(i);
#endif
  if
  :: sleepers == 0
  :: else ->
     d_step { drain_condition(i); events++ } // a read-modify-write with release
     asleep[i] = false // futex_wake on the channel
  fi
}

init {
  atomic { run Waiter(0); run Waiter(1); run Notifier(0); run Notifier(1) }
}
