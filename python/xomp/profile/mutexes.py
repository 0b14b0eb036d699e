# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Critical sections and locks: how long threads waited for each, and where in the source."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xomp.profile.format import MUTEX_CONTENDED, Kind, Mutex
from xomp.profile.spans import Spans

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
        times = (rows["end"] - rows["begin"]) * rate
        counts, sums = np.bincount(index), np.bincount(index, times)
        contended = np.bincount(index, rows["flags"] & MUTEX_CONTENDED != 0)
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
