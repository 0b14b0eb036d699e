# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bytes of a log, version 2: header, chunks, records. What they mean stands beside it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

import numpy as np

from xomp.profile.reading.kinds import POINTS as POINTS
from xomp.profile.reading.kinds import BarrierFlag as BarrierFlag
from xomp.profile.reading.kinds import Kind as Kind
from xomp.profile.reading.kinds import MutexFlag as MutexFlag
from xomp.profile.reading.kinds import ProcessorFlag as ProcessorFlag
from xomp.profile.reading.kinds import SingleFlag as SingleFlag
from xomp.profile.reading.kinds import StallFlag as StallFlag
from xomp.profile.reading.kinds import StealFlag as StealFlag
from xomp.profile.reading.kinds import TaskFlag as TaskFlag
from xomp.profile.reading.kinds import ThreadFlag as ThreadFlag

MAGIC = b"XOMPLOG1"
VERSION = 2
HEADER_BYTES = 4096
CHUNK_BYTES = 65536
CHUNK_HEADER_BYTES = 64
RECORD_BYTES = 48
RECORDS_IN_CHUNK = (CHUNK_BYTES - CHUNK_HEADER_BYTES) // RECORD_BYTES
SUFFIX = ".xomplog"
SERIAL = "serial"  # the folder, in that of a run, with the logs of the run on one thread

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
CHUNK_OF_RECORDS, CHUNK_OF_TEXT, CHUNK_OF_SLOTS = 1, 2, 3

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
        ("begin", "<i8"),  # of slots: from which on packed records count
        ("place", "<u8"),
        ("rest", "V24"),
        ("records", RECORD, RECORDS_IN_CHUNK),
    ]
)

CHUNK_HEAD = ["magic", "kind", "track", "sequence", "domain", "thread", "begin", "place"]

# A slot is a packed record, or half of one that is not; the last of its words is the label.
SLOT_WORDS = 3
SLOTS_IN_CHUNK = RECORDS_IN_CHUNK * RECORD_BYTES // (8 * SLOT_WORDS)
PACKED = 128  # in the kind of a packed record
OWN_TASKS = 40  # where the track stands in the number of a task

NO_DOMAIN = 255  # creator_domain, data_domain


def is_any(codes: np.ndarray, kinds: Iterable[int]) -> np.ndarray:
    """Which of the one-byte codes are among the kinds."""
    table = np.zeros(256, dtype=bool)
    table[list(kinds)] = True
    return looked_up(table, codes)


def looked_up(table: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """What a table of 256 bytes has for each one-byte code: ten times as quick as an index."""
    found = bytearray(codes.tobytes()).translate(table.tobytes())
    return np.frombuffer(found, dtype=table.dtype).reshape(codes.shape)


def unpacked(records: np.ndarray, head: np.void, page: bool) -> np.ndarray:
    """The records of a chunk of slots. One that is no page and not full is cut off, and its last
    record may lack its second slot."""
    slots = np.ascontiguousarray(records).view("<u8").reshape(-1, SLOT_WORDS)
    labels = slots[:, -1]
    firsts = _first_slots(labels)
    cut = not page and len(firsts) and firsts[-1] < len(slots) - 3
    if cut and not labels[firsts[-1]] & np.uint64(PACKED):
        firsts = firsts[:-1]
    first, second, label = slots.take(firsts, axis=0).T
    found = np.zeros(len(firsts), RECORD)
    words = found.view("<u8").reshape(-1, RECORD_BYTES // 8)
    begin, end, task, other, place, word = words.T
    low, high = np.uint64(0xFFFFFFFF), np.uint64(32)
    own = np.uint64(int(head["track"]) << OWN_TASKS & (1 << 64) - 1)
    # As if all were packed; those that are not are fewer, and put right below.
    np.add(first & low, head["begin"].view("<u8"), out=begin)
    np.add(first >> high, begin, out=end)
    np.bitwise_or(second & low, own, out=task)
    np.bitwise_or(second >> high, own, out=other)
    np.add(label >> high, head["place"], out=place)
    np.bitwise_and(label, np.uint64(0xFFFFFFFF ^ PACKED), out=word)
    found["worker"] = head["track"]
    whole = np.flatnonzero(label & np.uint64(PACKED) == 0)
    at = firsts[whole]
    words[whole, :2] = slots[at, :2]
    words[whole, 2:5] = slots[np.minimum(at + 1, len(slots) - 1)]
    words[whole, 5] = labels[at]
    return found


def _first_slots(labels: np.ndarray) -> np.ndarray:
    """The slots in which the records of a chunk begin, up to the first that was not written."""
    numbers = np.arange(len(labels), dtype=np.int16)
    kinds = labels.astype(np.uint8)
    # Of slots in a row that would be the first of two, if they are no second ones, every other is.
    pairs = (kinds != 0) & (kinds < PACKED)
    row = np.maximum.accumulate(np.where(pairs, np.int16(-1), numbers))
    begins = ~pairs | ((numbers - row) & 1 != 0)
    after = np.flatnonzero(~pairs[1:] & pairs[:-1]) + 1
    begins[after] = ~begins[after - 1]
    end = np.flatnonzero(begins & (kinds == 0))
    firsts = np.flatnonzero(begins[: end[0]] if len(end) else begins)
    if len(firsts) and firsts[-1] == len(labels) - 1 and pairs[-1]:
        return firsts[:-1]  # damaged: its second one is missing
    return firsts


_REASON_SHIFT = 6  # of the two last flags, in one that was run at once


def reasons_of(flags: np.ndarray) -> np.ndarray:
    """Why tasks were run at once, as numbers of `AT_ONCE_REASONS`; -1: they were not, or the log is
    of a version that does not say."""
    numbers = (flags >> _REASON_SHIFT).astype(np.int8)
    said = flags & TaskFlag.UNDEFERRED != 0
    return np.where((flags & TaskFlag.AT_ONCE != 0) & ((numbers > 0) | said), numbers, np.int8(-1))


def was_taken(flags: np.ndarray) -> np.ndarray:
    return flags & (TaskFlag.TAKEN | TaskFlag.AT_ONCE) == TaskFlag.TAKEN


class Access(IntEnum):
    """What a DEPENDENCE record's flags say of its item."""

    IN = 0
    OUT = 1  # and inout
    IN_OUT_SET = 2
    MUTEX_IN_OUT_SET = 3


class Mutex(IntEnum):
    """The lower four bits of a MUTEX record's flags."""

    CRITICAL = 1
    LOCK = 2
    NEST_LOCK = 3
    ATOMIC = 4
