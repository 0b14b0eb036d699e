# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Critical sections and locks: how long threads waited for each, and where in the source."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xomp.profile.format import Kind, Mutex
from xomp.profile.spans import Spans

NAMES = {
    Mutex.CRITICAL: "critical section",
    Mutex.LOCK: "lock",
    Mutex.NEST_LOCK: "nested lock",
    Mutex.ATOMIC: "atomic",
    Mutex.ORDERED: "ordered section",
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
    held: float  # by all that asked for it here

    @property
    def name(self) -> str:
        return NAMES.get(self.kind, "lock")


def by_place(spans: Spans) -> list[Waits]:
    """The longest waits first."""
    rate = spans.log.clock.rate / 1e9
    found: dict[tuple[int, int, int], Waits] = {}
    for kind in (Kind.MUTEX_WAIT, Kind.MUTEX_HELD):
        rows = spans.indices(kind)
        if not len(rows):
            continue
        names = ("other", "flags", "place")
        keys = np.stack([spans.column(name)[rows].astype(np.uint64) for name in names], axis=1)
        groups, index = np.unique(keys, axis=0, return_inverse=True)
        index = index.ravel()
        times = spans.duration[rows] * rate
        counts, sums = np.bincount(index), np.bincount(index, times)
        longest = np.zeros(len(groups))
        np.maximum.at(longest, index, times)
        for number, key in enumerate(groups.tolist()):
            waits = found.setdefault(tuple(key), Waits(*key, 0, 0.0, 0.0, 0.0))
            if kind == Kind.MUTEX_WAIT:
                waits.count = int(counts[number])
                waits.waited, waits.longest = float(sums[number]), float(longest[number])
            else:
                waits.held = float(sums[number])
    return sorted(found.values(), key=lambda waits: -waits.waited)
