# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What code ran while others were idle, by construct and place; and who made the tasks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xomp.profile.analysing.blame import Blame
from xomp.profile.analysing.graph import Graph
from xomp.profile.analysing.spans import OWNERS, Spans, State, nearest, numbered
from xomp.profile.reading.format import Kind, TaskFlag, is_any

# Constructs that code of a region's threads belongs to.
_CONSTRUCTS = (*OWNERS, Kind.LOOP, Kind.SECTIONS, Kind.SINGLE)
# Their places are return addresses, not those of bodies.
RETURNED = (Kind.LOOP, Kind.SECTIONS, Kind.SINGLE, Kind.CREATE)
BEHIND_ALL = (1 << 64) - 1  # in place of a region's


@dataclass
class Culprit:
    """Code of one construct at one place. Times in seconds."""

    kind: Kind
    place: int
    idle: float  # of others meanwhile, divided among those that ran
    alone: float  # elapsed time in which nobody else was busy
    work: float  # what it took itself, without the time in which threads were kept off
    times: int  # how often the thread that came to it most often did


@dataclass
class Producer:
    """The owner of code that made the most tasks itself."""

    kind: Kind
    place: int
    tasks: int
    share: float  # of all tasks
    seconds: float  # from its first to its last creation
    idle: float  # of all threads in that time
    busy: float  # the part of that time in which it made tasks, and computed what it needs for them
    at_once: float  # the part in which it ran its tasks itself, at once


def constructs_of(spans: Spans) -> np.ndarray:
    """Of each span the construct that its own code is told of: the task, or the innermost loop,
    `single`, sections or region."""
    around = nearest(spans.kind, spans.parent, _CONSTRUCTS)
    return np.where(spans.kind[spans.owner] == Kind.TASK, spans.owner, around)


def culprits(spans: Spans, blame: Blame) -> list[Culprit]:
    """Those that others waited for most come first."""
    rows = np.flatnonzero(spans.exclusive > 0)
    what = constructs_of(spans)[rows]
    what = np.where(spans.kind[rows] == Kind.CREATE, rows, what)
    kinds, places = spans.kind[what], spans.column("place")[what]
    places[kinds == Kind.THREAD] = 0
    groups, index = _groups(kinds, places)
    working = is_any(spans.state[rows], (State.WORK, State.CREATE))
    values = (blame.of_span[rows], blame.alone[rows], blame.executed[rows] * working)
    sums = [np.bincount(index, value, len(groups)) for value in values]
    times = _times(spans, what, index, len(groups))
    found = [
        Culprit(Kind(int(kind)), int(place), *(float(each[number]) for each in sums), times[number])
        for number, (kind, place) in enumerate(groups.tolist())
    ]
    return sorted(found, key=lambda culprit: -culprit.idle)


def _times(spans: Spans, what: np.ndarray, index: np.ndarray, groups: int) -> list[int]:
    """Of each group how often a thread came to one of its constructs, at most."""
    group_of = np.full(len(spans), -1, dtype=np.int32)
    group_of[what] = index
    constructs = np.flatnonzero(group_of >= 0)
    tracks = len(spans.first)
    cells = group_of[constructs] * tracks + spans.track_of(constructs)
    return (
        np.bincount(cells, minlength=groups * tracks)
        .reshape(groups, tracks)
        .max(axis=1, initial=0)
        .tolist()
    )


def _groups(kinds: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different pairs of a kind and a place, and of each pair which it is."""
    places, place_of = numbered(places)
    codes = kinds.astype(np.int64) * len(places) + place_of
    found, index = numbered(codes)
    kinds, numbers = np.divmod(found, max(1, len(places)))
    return np.stack([kinds.astype(np.uint64), places[numbers]], axis=1), index


def producer(spans: Spans, blame: Blame, graph: Graph) -> Producer | None:
    tasks = spans.indices(Kind.TASK)
    creators = graph.creator[tasks]
    known = creators >= 0
    if not known.any():
        return None
    most = int(np.bincount(creators[known]).argmax())
    own = tasks[creators == most]
    begin, end = spans.column("begin"), spans.column("end")
    at_once = spans.column("flags")[own] & TaskFlag.AT_ONCE != 0
    creates = np.flatnonzero(spans.kind == Kind.CREATE)
    creates = creates[spans.owner[creates] == most]
    own_at_once = own[at_once]
    moments = np.concatenate([begin[creates], begin[own_at_once], end[creates], end[own_at_once]])
    if not len(moments):
        return None
    first, last = int(moments.min()), int(moments.max())
    length = max(1, last - first)
    made_at = graph.created_at[own]
    return Producer(
        Kind(int(spans.kind[most])),
        int(spans.column("place")[most]),
        len(own),
        len(own) / len(tasks),
        (last - first) * spans.log.clock.rate / 1e9,
        blame.idle_between(first, last),
        min(1.0, int(made_at.max() - made_at.min()) / length),
        min(1.0, int(spans.duration[own_at_once].sum()) / length),
    )


def shared_out(spans: Spans, place: int) -> float:
    """How the code of a region's implicit tasks is divided: the largest thread's share of it."""
    rows = spans.indices(Kind.IMPLICIT)
    rows = rows[spans.column("place")[rows] == place]
    if not len(rows):
        return 1.0
    by_track = np.bincount(spans.track_of(rows), spans.own_work[rows])
    return float(by_track.max() / max(1.0, by_track.sum()))


def before_regions(spans: Spans, blame: Blame) -> list[tuple[int, float]]:
    """Serial code outside of regions: the body of the region that follows, and seconds. 0: its
    place is not known; BEHIND_ALL: there is none.

    Longest first.
    """
    serial = (spans.kind[spans.piece_span] == Kind.THREAD) & (spans.piece_state == State.WORK)
    serial &= blame.alone_in_piece > 0
    pieces = np.flatnonzero(serial)
    regions = np.append(spans.indices(Kind.REGION), _not_ended(spans))
    regions = regions[np.argsort(spans.column("begin")[regions], kind="stable")]
    at = np.searchsorted(spans.column("begin")[regions], spans.piece_end[pieces])
    places = np.append(spans.column("place")[regions], np.uint64(BEHIND_ALL))[at]
    found, index = numbered(places)
    seconds = np.bincount(index, blame.alone_in_piece[pieces], len(found))
    return sorted(zip(found.tolist(), seconds.tolist(), strict=True), key=lambda pair: -pair[1])


def _not_ended(spans: Spans) -> np.ndarray:
    """The implicit tasks of regions in which the program ended: these have no other record."""
    bodies = spans.indices(Kind.IMPLICIT)
    ended = spans.column("other")[spans.indices(Kind.REGION)]
    return bodies[~np.isin(spans.column("other")[bodies], ended)]
