# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The task graph: how long the program would take with as many threads as it likes.

The critical path is the longest row of code in which each part has to wait for the one before:
code of a task up to where it creates another, that one's code, the code behind the wait for it.
Waits themselves, idle time and the search for tasks take no time on it; the creation of tasks does,
as its creator has to do it. Work over critical path is the average parallelism: more threads
than that cannot be kept busy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xomp.profile.analysing.code import OwnCode
from xomp.profile.analysing.dependences import find_dependences
from xomp.profile.analysing.spans import OWNERS, Spans, look_up
from xomp.profile.analysing.strict import Items, find
from xomp.profile.analysing.walk import NOBODY, Leaves, Path, Step, Steps, walk
from xomp.profile.reading.format import BarrierFlag, Kind, TaskFlag, is_any

_NOTHING = np.zeros(0, dtype=np.int64)


@dataclass
class Graph:
    """Work and critical path, in ticks."""

    work: int
    critical: int
    path: Path
    creator: np.ndarray  # of each span that is a task: the owner of code that made it
    created_at: np.ndarray  # in ticks of the creator's code

    @property
    def parallelism(self) -> float:
        return self.work / self.critical if self.critical else 1.0


def build(spans: Spans) -> Graph:
    if not len(spans):
        return Graph(0, 0, Path(), _NOTHING, _NOTHING)
    steps = _steps(spans)
    critical, path = walk(steps)
    return Graph(int(steps.own.sum()), critical, path, steps.creator, steps.created_at)


def _steps(spans: Spans) -> Steps:
    code = OwnCode(spans)
    kinds, own = spans.kind, code.ticks
    begin, end = spans.column("begin"), spans.column("end")
    region_of, regions = _regions(spans)
    dependences = find_dependences(spans)
    undeferred = (kinds == Kind.TASK) & (spans.column("flags") & TaskFlag.UNDEFERRED != 0)

    # What an owner's code comes to: the creation of a task, a wait, a barrier, a region.
    step, argument = _events(spans, region_of)
    at = np.flatnonzero(step != Step.NONE)  # in the order of time on each track
    around = spans.owner[np.maximum(spans.parent[at], 0)]
    order = np.argsort(around, kind="stable")
    at, owner = at[order], around[order]
    step, argument = step[at], argument[at]
    created = step == Step.START
    late = np.isin(step, (Step.JOIN, Step.JOIN_ALL)) | (kinds[at] == Kind.CREATE)
    time = np.where(late, end[at], begin[at])
    offset = code.offsets(owner, np.where(late, spans.closing[at], spans.opening[at]))
    del code  # as large as the spans
    creator = np.full(len(spans), NOBODY, dtype=np.int32)
    created_at = np.zeros(len(spans), dtype=np.int64)
    creator[argument[created]] = owner[created]
    created_at[argument[created]] = offset[created]

    # Most tasks do nothing but work, or wait for all that they make: of those created between two
    # waits the last end is enough.
    alone = (kinds == Kind.TASK) & ~undeferred
    for linked in (dependences.task, dependences.members):
        alone[linked] = False
    strict = find(Items(owner, created, step == Step.JOIN, argument, offset), alone, own)
    leaf = strict.known
    is_leaf = created & leaf[argument]
    waits = ~created | undeferred[argument]
    ends = np.where(is_leaf, offset + strict.length[argument], NOBODY)
    group, leaves = _group(owner, waits, ends)
    leaves.task, leaves.offset, leaves.group, leaves.strict = argument, offset, group, strict
    made_as = np.full(len(spans), NOBODY, dtype=np.int32)
    made_as[argument[created]] = np.flatnonzero(created)
    tail = np.full(len(spans), NOBODY, dtype=np.int32)  # the leaves behind an owner's last wait
    open_end = np.append(owner[1:] != owner[:-1], True)[: len(owner)] & ~waits
    tail[owner[open_end]] = group[open_end]

    nodes = np.flatnonzero(is_any(kinds, OWNERS) & ~leaf)
    implicit, ready = spans.indices(Kind.IMPLICIT), np.unique(dependences.task)
    columns = (time, step, owner, argument, offset, np.where(waits, group, np.int32(NOBODY)))
    walked = ~is_leaf & ~leaf[owner]
    rows = [  # at the same moment in this order
        _rows(end[nodes], Step.END, nodes, NOBODY, own[nodes], tail[nodes]),
        tuple(column[walked] for column in columns),
    ]
    for begins, ended in ((Step.ARRIVE, Step.LEAVE), (Step.FORK, Step.UNITE)):
        it = step == begins
        rows.append(_rows(end[at[it]], ended, owner[it], argument[it], offset[it]))
    rows.append(_rows(begin[implicit], Step.ENTER, implicit, region_of[implicit]))
    rows.append(_rows(begin[ready], Step.READY, ready))
    joined = [np.concatenate(values) for values in zip(*rows, strict=True)]
    by_time = np.argsort(joined[0], kind="stable")
    return Steps(
        *(column[by_time] for column in joined[1:]),
        leaves=leaves,
        nodes=nodes,
        own=own,
        creator=creator,
        created_at=created_at,
        made_as=made_as,
        is_task=kinds == Kind.TASK,
        undeferred=undeferred,
        regions=regions,
        dependences=dependences,
    )


def _rows(times, step, owners, arguments=NOBODY, offsets=0, groups=NOBODY) -> tuple:
    """Steps of one sort; what is the same for all is repeated."""
    types = (np.int8, np.int32, np.int32, np.int64, np.int32)
    values = zip((step, owners, arguments, offsets, groups), types, strict=True)
    return times, *(np.broadcast_to(np.asarray(value, kind), times.shape) for value, kind in values)


def _events(spans: Spans, region_of: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By span the step that it stands for, and the task or the region that this concerns."""
    step = np.full(len(spans), Step.NONE, dtype=np.int8)
    argument = region_of.copy()
    tasks = spans.indices(Kind.TASK)
    where = _creations(spans, tasks)
    step[where], argument[where] = Step.START, tasks
    step[spans.kind == Kind.TASKWAIT] = Step.JOIN
    step[spans.kind == Kind.TASKGROUP] = Step.JOIN_ALL
    # The join is what the end of the region stands for.
    joins = spans.column("flags") & BarrierFlag.JOIN != 0
    step[(spans.kind == Kind.BARRIER) & ~joins] = Step.ARRIVE
    step[spans.kind == Kind.REGION] = Step.FORK
    return step, argument


def _creations(spans: Spans, tasks: np.ndarray) -> np.ndarray:
    """The span with which each task begins to exist: its CREATE, or itself if it ran at once."""
    ids, flags = spans.column("task"), spans.column("flags")
    where = tasks.copy()
    at_once = flags[tasks] & (TaskFlag.AT_ONCE | TaskFlag.UNDEFERRED) != 0
    deferred = np.flatnonzero(~at_once)
    found = look_up(ids, spans.indices(Kind.CREATE), ids[tasks[deferred]])
    where[deferred[found >= 0]] = found[found >= 0]
    return where


def _regions(spans: Spans) -> tuple[np.ndarray, int]:
    """By span the number of the region that it names, and how many regions there are."""
    involved = spans.indices(Kind.BARRIER, Kind.REGION, Kind.IMPLICIT)
    ids, index = np.unique(spans.column("other")[involved], return_inverse=True)
    region_of = np.full(len(spans), NOBODY, dtype=np.int32)
    region_of[involved] = index
    return region_of, len(ids)


def _group(owner: np.ndarray, waits: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, Leaves]:
    """Of each item the group of leaves between two waits that it belongs to; NOBODY: no leaves."""
    count = len(owner)
    new = np.ones(count, dtype=bool)
    new[1:] = (owner[1:] != owner[:-1]) | waits[:-1]
    first = np.flatnonzero(new)
    last = np.maximum.reduceat(ends, first) if count else _NOTHING
    number = np.cumsum(new, dtype=np.int32) - 1
    group = np.where(last[number] >= 0, number, np.int32(NOBODY)) if count else _NOTHING
    return group, Leaves(last, np.append(first, count), ends)
