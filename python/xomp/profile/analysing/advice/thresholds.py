# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every threshold of the rules: from when on a cause is worth telling, and what counts as small."""

from __future__ import annotations

# A cause that explains less of the threads' time than this is not worth a reader's minute. What
# others took of it does not count, or a busy machine would hide what the program lacks. Two runs of
# the same program differ by a few per cent.
WORTH_TELLING = 0.05
# So does the same work, of which no more than this is worth a word.
SAME_LENGTH = 0.1
# Paper 2, section 5: tasks of O(100k) instructions reach 90 % efficiency on most runtimes.
LARGE_ENOUGH = 100_000  # ticks: such a task is not too fine, whatever else is wrong
# Tasks whose management takes more than a tenth of their own time are too fine.
TOLERABLE_OVERHEAD = 0.1
# What a task costs that runs at once, in ticks: its bookkeeping is some 20 instructions, the call
# and the copies of its arguments as many again. It is part of the work that is recorded.
AT_ONCE_TICKS = 40
# And what its record costs, which is part of its size.
RECORD_TICKS = 40
# Fewer tasks than this for each thread leave nothing to even out differences with.
FEW_TASKS = 2
# So many for each thread are enough for that, if none is larger than the others.
SOME = 10
# Ticks from one task to the next in which a producer computes hardly anything.
BRIEF = 1000
# From this share of all tasks on one creator is the producer.
PRODUCER_SHARE = 0.8
# One that waits for more than this share of the time, for its tasks, is not what others wait for.
PRODUCER_WAITS = 0.5
# A part of the critical path's tasks that is larger than this is a task too coarse, not a chain.
DOMINANT = 0.5
# Where more tasks than this run at once, those are what keeps threads busy.
KEPT = 0.5
# A region whose code is executed to this share by one of its threads is serial there; below it the
# others have parts of it, which are too small.
ONE_THREAD = 0.9
# Data that are elsewhere for less than this share of the tasks' time do not slow a program down.
REMOTE_SHARE = 0.2
# A lock that is held for this share of the time leaves hardly anything to do for a second thread.
MOSTLY_HELD = 0.7
# A region should last long enough for its threads to be woken and gathered, and so should what is
# between two barriers.
SHORT_REGION = 100e-6  # seconds
# From so many records a second on the log itself takes processor time that is worth mentioning.
MANY_RECORDS = 1_000_000
