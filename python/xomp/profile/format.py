# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bytes of a log, version 2: header, chunks, records. What they mean is in log.py."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum, IntFlag

import numpy as np

MAGIC = b"XOMPLOG1"
VERSION = 2
HEADER_BYTES = 4096
CHUNK_BYTES = 65536
CHUNK_HEADER_BYTES = 64
RECORD_BYTES = 48
RECORDS_IN_CHUNK = (CHUNK_BYTES - CHUNK_HEADER_BYTES) // RECORD_BYTES
SUFFIX = ".xomplog"

HEADER = np.dtype(
    [
        ("magic", "S8"),
        ("version", "<u4"),
        ("header_bytes", "<u4"),
        ("chunk_bytes", "<u4"),
        ("record_bytes", "<u4"),
        ("pid", "<u8"),
    ]
)

CHUNK_MAGIC = 0x4B484358  # XCHK; 0: prepared and never used
CHUNK_OF_RECORDS, CHUNK_OF_TEXT = 1, 2

RECORD = np.dtype(
    [
        ("begin", "<i8"),  # ticks
        ("end", "<i8"),
        ("task", "<u8"),
        ("other", "<u8"),
        ("place", "<u8"),
        ("kind", "u1"),  # 0: the chunk's records end here
        ("flags", "u1"),
        ("creator_domain", "u1"),
        ("data_domain", "u1"),
        ("worker", "<u4"),
    ]
)

CHUNK = np.dtype(
    [
        ("magic", "<u4"),
        ("kind", "<u2"),
        ("zero", "<u2"),
        ("track", "<u4"),
        ("sequence", "<u4"),
        ("domain", "<i4"),  # of the thread; -1: unknown
        ("thread", "<u4"),  # the kernel's number of it
        ("rest", "V40"),
        ("records", RECORD, RECORDS_IN_CHUNK),
    ]
)

CHUNK_HEAD = ["magic", "kind", "track", "sequence", "domain", "thread"]

NO_DOMAIN = 255  # creator_domain, data_domain


class Kind(IntEnum):
    """What a record tells; paper 1, section V, has the first six."""

    THREAD = 1
    TASK = 2
    CREATE = 3  # GOMP_TASK of the paper
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
    SUMMARY = 30
    HARDWARE = 31


# Points in time: their `end` says nothing.
POINTS = (Kind.DEPENDENCE, Kind.STEAL, Kind.STEAL_FAILED, Kind.HARDWARE, Kind.PROCESSOR)


def is_any(codes: np.ndarray, kinds: Iterable[int]) -> np.ndarray:
    """Which of the one-byte codes are among the kinds."""
    table = np.zeros(256, dtype=bool)
    table[list(kinds)] = True
    return table[codes]


class TaskFlag(IntFlag):
    AT_ONCE = 1  # run by its creator inside the construct
    UNDEFERRED = 2
    UNTIED = 4
    FINAL = 8
    DEPENDENCES = 16
    DETACHABLE = 32
    CANCELLED = 64
    TAKEN = 128  # by another worker than its creator's


class ThreadFlag(IntFlag):
    OWN = 1  # made by the program
    BEGINS = 2  # a point: the thread was met


class ProcessorFlag(IntFlag):
    FIRST = 1  # of a thread


class StallFlag(IntFlag):
    SLEPT = 1


class BarrierFlag(IntFlag):
    JOIN = 1  # at a region's end
    IMPLICIT = 2  # at a construct's end


class SingleFlag(IntFlag):
    EXECUTED = 1


class Access(IntEnum):
    """What a DEPENDENCE record's flags say of its item."""

    IN = 0
    OUT = 1  # and inout
    IN_OUT_SET = 2
    MUTEX_IN_OUT_SET = 3


class StealFlag(IntFlag):
    REMOTE = 1
    GIVEN = 2  # by this thread, to another that had asked


class Mutex(IntEnum):
    """The lower four bits of a MUTEX record's flags."""

    CRITICAL = 1
    LOCK = 2
    NEST_LOCK = 3
    ATOMIC = 4


MUTEX_CONTENDED = 16
