# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tasks that wait for all that they make, as all below them do: how long each is, without a walk.

Whatever else happens, such a task ends as long after its begin as its own code and its waits take
with as many threads as it likes; and a wait takes what the latest of the tasks made since the last
one lacks. So lengths are found from the leaves upwards, all tasks of a height at once. The walk,
which takes its steps one by one, then knows such tasks by their lengths alone. (Computations in
which all tasks are so are called fully strict: Blumofe and Leiserson, Scheduling Multithreaded
Computations by Work Stealing, section 2.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xomp.profile.analysing.spans import starts

FEW = 64  # tasks of a height: so few are as soon walked


@dataclass
class Items:
    """What owners' code comes to, in rows by owner and time."""

    owner: np.ndarray
    creates: np.ndarray  # whether a task is created
    joins: np.ndarray  # or waited for all children
    task: np.ndarray  # that is created
    offset: np.ndarray  # ticks of the owner's own code before it


@dataclass
class Strict:
    length: np.ndarray  # by span, in ticks; of others their own code's
    known: np.ndarray  # by span, whether it is such a task
    first: np.ndarray  # by span the first of its items; the next span's is their end
    longer: np.ndarray  # the items, in their order, that raise such a task's length: waits

    def last_wait(self, task: int, before: int) -> int:
        """The item of the task's last wait that took time, of those before an item; -1: none."""
        at = int(np.searchsorted(self.longer, before)) - 1
        return int(self.longer[at]) if at >= 0 and self.longer[at] >= self.first[task] else -1


def find(items: Items, candidates: np.ndarray, own: np.ndarray, few: int | None = None) -> Strict:
    """`candidates` are the spans that may be such tasks as far as others are concerned."""
    count, few = len(candidates), FEW if few is None else few
    first = starts(items.owner, count)
    possible = candidates.copy()
    possible[items.owner[~(items.joins | items.creates & candidates[items.task])]] = False
    last = np.flatnonzero(np.append(items.owner[1:] != items.owner[:-1], True)[: len(items.owner)])
    possible[items.owner[last[~items.joins[last]]]] = False  # it leaves tasks behind
    made_by = np.full(count, -1, dtype=np.int32)
    made_by[items.task[items.creates]] = items.owner[items.creates]
    pending = np.bincount(items.owner[items.creates], minlength=count)
    length, longer = own.copy(), []
    known = possible & (pending == 0)
    fresh = np.flatnonzero(known)
    while len(fresh) >= max(1, few):
        above = made_by[fresh]
        above = above[above >= 0]
        above = above[possible[above]]
        np.subtract.at(pending, above, 1)
        fresh = np.sort(above[pending[above] == 0])
        fresh = fresh[np.diff(fresh, prepend=-1) != 0]
        longer.append(_lengthen(items, first, fresh, length))
        known[fresh] = True
    found = np.sort(np.concatenate(longer)) if longer else np.zeros(0, dtype=np.int64)
    return Strict(length, known, first, found)


def _lengthen(items: Items, first: np.ndarray, tasks: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Adds to the tasks' lengths what their waits take; the items of those that take some."""
    sizes = first[tasks + 1] - first[tasks]
    tasks, sizes = tasks[sizes > 0], sizes[sizes > 0]
    if not len(tasks):
        return np.zeros(0, dtype=np.int64)
    rows = np.repeat(first[tasks] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    ends = items.offset[rows]
    made = items.creates[rows]
    ends[made] += length[items.task[rows[made]]]
    # Each row of creations ends with a wait, whose own moment is the least that it lasts to.
    waits = np.flatnonzero(~made)
    latest = np.maximum.reduceat(ends, np.append(0, waits[:-1] + 1))
    took = latest - items.offset[rows[waits]]
    np.add.at(length, items.owner[rows[waits]], took)
    return rows[waits[took > 0]]
