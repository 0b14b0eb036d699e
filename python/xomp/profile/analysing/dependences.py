# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which tasks had to wait for which, by their `depend` clauses.

The log has the items of each task's clauses in the order in which its parent created the tasks. Of
one item, tasks that may run in any order (readers, members of a set) are a group; each task has to
wait for the group before its own (OpenMP 5.2, section 15.9.5). Groups keep this short: a hundred
readers behind a hundred others would be ten thousand edges.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xomp.profile.analysing.spans import Spans, look_up
from xomp.profile.reading.format import Access, Kind

_NOTHING = np.zeros(0, dtype=np.int64)


@dataclass
class Dependences:
    """Tasks are indices of their spans."""

    task: np.ndarray  # a task, and
    group: np.ndarray  # a group that it waits for
    members: np.ndarray  # the tasks of all groups,
    first: np.ndarray  # and where each group's begin

    def of(self, group: int) -> np.ndarray:
        return self.members[self.first[group] : self.first[group + 1]]


def find_dependences(spans: Spans) -> Dependences:
    points, tasks = spans.log.of(Kind.DEPENDENCE), spans.indices(Kind.TASK)
    span = look_up(spans.column("task"), tasks, points["task"])
    points, span = points[span >= 0], span[span >= 0]
    if not len(points):
        return Dependences(_NOTHING, _NOTHING, _NOTHING, np.zeros(1, dtype=np.int64))
    # Items of one address are the same for children of one task only.
    order = np.lexsort((np.arange(len(points)), points["other"], spans.column("other")[span]))
    points, span = points[order], span[order]
    parent, item, access = spans.column("other")[span], points["other"], points["flags"]
    same = np.zeros(len(points), dtype=bool)
    same[1:] = (parent[1:] == parent[:-1]) & (item[1:] == item[:-1])
    with_before = same.copy()
    with_before[1:] &= (access[1:] == access[:-1]) & (access[1:] != Access.OUT)
    first = np.flatnonzero(~with_before)
    group = np.cumsum(~with_before) - 1
    follows = same[first][group]  # whether another group of the item lies before one's own
    return Dependences(span[follows], group[follows] - 1, span, np.append(first, len(points)))
