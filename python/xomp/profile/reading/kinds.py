# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kinds of records. Made by tools/make_tables from runtime/trace/kinds.def; change that."""

from enum import IntEnum, IntFlag


class Kind(IntEnum):
    """What a record tells; paper 1, section V, has the first six. CREATE is its GOMP_TASK."""

    THREAD = 1
    TASK = 2
    CREATE = 3
    TASKWAIT = 4
    BARRIER = 5
    STALL = 6
    REGION = 7
    IMPLICIT = 8
    TASKGROUP = 9
    LOOP = 10
    CHUNK = 11
    SINGLE = 12
    MUTEX_WAIT = 13
    MUTEX_HELD = 14
    SECTIONS = 15
    SECTION = 16
    DEPENDENCE = 17
    DOACROSS = 18
    ORDERED = 19
    STEAL = 20
    STEAL_FAILED = 21
    DEPENDENCE_WAIT = 22
    PROCESSOR = 23
    REQUEST = 24
    SUMMARY = 30
    HARDWARE = 31


# Points in time: their `end` says nothing.
POINTS = (
    Kind.DEPENDENCE,
    Kind.STEAL,
    Kind.STEAL_FAILED,
    Kind.PROCESSOR,
    Kind.REQUEST,
    Kind.HARDWARE,
)
# Spans that may end in another one than they began in.
CROSSING = (Kind.MUTEX_HELD,)
# Their place is a function.
BODIES = (
    Kind.TASK,
    Kind.REGION,
    Kind.IMPLICIT,
)
# Their place is where a call returns to.
CALLS = (
    Kind.CREATE,
    Kind.TASKWAIT,
    Kind.BARRIER,
    Kind.TASKGROUP,
    Kind.LOOP,
    Kind.SINGLE,
    Kind.MUTEX_WAIT,
    Kind.MUTEX_HELD,
    Kind.SECTIONS,
    Kind.DOACROSS,
    Kind.ORDERED,
    Kind.DEPENDENCE_WAIT,
    Kind.SUMMARY,
)
# They belong to the construct that they lie in.
PARTS = (
    Kind.STALL,
    Kind.CHUNK,
    Kind.SECTION,
)

# What a thread does where such a span is the innermost: a name of State.
STATES = {
    Kind.THREAD: "OUTSIDE",
    Kind.TASK: "WORK",
    Kind.CREATE: "CREATE",
    Kind.TASKWAIT: "SCHEDULE",
    Kind.BARRIER: "SCHEDULE",
    Kind.STALL: "STALL",
    Kind.REGION: "FORK",
    Kind.IMPLICIT: "WORK",
    Kind.TASKGROUP: "SCHEDULE",
    Kind.LOOP: "WORK",
    Kind.CHUNK: "WORK",
    Kind.SINGLE: "SCHEDULE",
    Kind.MUTEX_WAIT: "MUTEX",
    Kind.SECTIONS: "WORK",
    Kind.SECTION: "WORK",
    Kind.DOACROSS: "ORDER",
    Kind.ORDERED: "ORDER",
    Kind.DEPENDENCE_WAIT: "SCHEDULE",
}
WORDS = {
    Kind.THREAD: "thread",
    Kind.TASK: "task",
    Kind.CREATE: "task creation",
    Kind.TASKWAIT: "taskwait",
    Kind.BARRIER: "barrier",
    Kind.STALL: "idle",
    Kind.REGION: "begin and end of a region",
    Kind.IMPLICIT: "region",
    Kind.TASKGROUP: "taskgroup",
    Kind.LOOP: "loop",
    Kind.CHUNK: "chunk of a loop",
    Kind.SINGLE: "single",
    Kind.MUTEX_WAIT: "wait for a lock",
    Kind.MUTEX_HELD: "lock held",
    Kind.SECTIONS: "sections",
    Kind.SECTION: "section",
    Kind.DEPENDENCE: "dependence",
    Kind.DOACROSS: "doacross wait",
    Kind.ORDERED: "ordered wait",
    Kind.STEAL: "steal",
    Kind.STEAL_FAILED: "failed steal",
    Kind.DEPENDENCE_WAIT: "wait for dependences",
    Kind.PROCESSOR: "processor time",
    Kind.REQUEST: "request",
    Kind.SUMMARY: "tasks summed up",
    Kind.HARDWARE: "hardware counter",
}

# Why a task was run at once, by its number in the flags: a column of tables, and words.
# From runtime/trace/at_once.def.
AT_ONCE_REASONS = (
    ("at_once_said", "if or final says so"),
    ("at_once_outside", "outside of all regions"),
    ("at_once_full", "as many waited as may"),
    ("at_once_bytes", "large arguments waited"),
)

# The flags of records. From runtime/trace/flags.def.


class ThreadFlag(IntFlag):
    OWN = 1  # made by the program
    BEGINS = 2  # the thread was met


class ProcessorFlag(IntFlag):
    FIRST = 1  # first reading of a thread


class TaskFlag(IntFlag):
    AT_ONCE = 1  # run at once
    UNDEFERRED = 2  # undeferred
    UNTIED = 4  # untied
    FINAL = 8  # final
    DEPENDENCES = 16  # has dependences
    DETACHABLE = 32  # detachable
    CANCELLED = 64  # cancelled
    TAKEN = 128  # run by another than its creator


class TaskwaitFlag(IntFlag):
    DEPENDENCES = 1  # with dependences


class BarrierFlag(IntFlag):
    JOIN = 1  # at a region's end
    IMPLICIT = 2  # at a construct's end


class SingleFlag(IntFlag):
    EXECUTED = 1  # executed here


class StallFlag(IntFlag):
    SLEPT = 1  # slept


class MutexFlag(IntFlag):
    CONTENDED = 16  # held by another


class StealFlag(IntFlag):
    REMOTE = 1  # another domain
    GIVEN = 2  # given away
    FULL = 4  # the other's queue was full


class LoopFlag(IntFlag):
    STATIC = 1  # static
    DYNAMIC = 2  # dynamic
    GUIDED = 3  # guided
    ORDERED = 32  # ordered
    DISTRIBUTE = 64  # distribute
