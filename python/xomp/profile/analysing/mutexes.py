# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Critical sections and locks: how long threads waited for each, and where in the source."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xomp.profile.analysing.spans import Spans
from xomp.profile.reading.format import Kind, Mutex, MutexFlag

NAMES = {
    Mutex.CRITICAL: "critical section",
    Mutex.LOCK: "lock",
    Mutex.NEST_LOCK: "nested lock",
    Mutex.ATOMIC: "atomic",
}


@dataclass
class Waits:
    """For one lock from one place. Times in seconds."""

    address: int  # of the lock
    kind: int
    place: int  # the return address of the call that asked for it
    count: int
    waited: float
    longest: float
    contended: int  # times that another held it
    held: float  # by all that asked for it here

    @property
    def name(self) -> str:
        return NAMES.get(self.kind, "lock")


def by_place(spans: Spans) -> list[Waits]:
    """The longest waits first."""
    log = spans.log
    rate = log.clock.rate / 1e9
    found: dict[tuple[int, int, int], Waits] = {}
    for kind in (Kind.MUTEX_WAIT, Kind.MUTEX_HELD):
        rows = log.of(kind)
        if not len(rows):
            continue
        kinds = (rows["flags"] & 15).astype(np.uint64)
        keys = np.stack([rows["other"], kinds, rows["place"]], axis=1)
        groups, index = np.unique(keys, axis=0, return_inverse=True)
        index = index.ravel()
        ends = _until_the_next(rows) if kind == Kind.MUTEX_HELD else rows["end"]
        times = (ends - rows["begin"]) * rate
        counts, sums = np.bincount(index), np.bincount(index, times)
        contended = np.bincount(index, rows["flags"] & MutexFlag.CONTENDED != 0)
        longest = np.zeros(len(groups))
        np.maximum.at(longest, index, times)
        for number, key in enumerate(groups.tolist()):
            waits = found.setdefault(tuple(key), Waits(*key, 0, 0.0, 0.0, 0, 0.0))
            if kind == Kind.MUTEX_WAIT:
                waits.count = int(counts[number])
                waits.waited, waits.longest = float(sums[number]), float(longest[number])
                waits.contended = int(contended[number])
            else:
                waits.held = float(sums[number])
    return sorted(found.values(), key=lambda waits: -waits.waited)


def _until_the_next(rows: np.ndarray) -> np.ndarray:
    """Ends of the times in which locks were held: a thread that wakes the next one may come to
    write that it has let go when that one has long had the lock."""
    ends = rows["end"].copy()
    order = np.lexsort((rows["begin"], rows["other"]))
    same = rows["other"][order[1:]] == rows["other"][order[:-1]]
    earlier, later = order[:-1][same], order[1:][same]
    ends[earlier] = np.minimum(ends[earlier], rows["begin"][later])
    return np.maximum(ends, rows["begin"])
