# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the spans of a log lie in each other, and which one is the innermost at each moment.

Spans of one thread nest: a TASKWAIT lies in the task that waits, the tasks that are run meanwhile
lie in the TASKWAIT. What a thread does at a moment is what the innermost span says.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from itertools import pairwise

import numpy as np

from xomp.profile.reading.format import SingleFlag, ThreadFlag, is_any, looked_up
from xomp.profile.reading.kinds import CROSSING, POINTS, STATES, Kind
from xomp.profile.reading.log import EVENT, Log

# Whose code is executed: the program's in these, and what the spans in them leave free of it.
OWNERS = (Kind.THREAD, Kind.TASK, Kind.IMPLICIT)


class State(IntEnum):
    """What a thread does."""

    WORK = 0  # the program's own code
    CREATE = 1  # GOMP_TASK of paper 1
    SCHEDULE = 2  # looks for tasks, comes to and leaves waits and constructs
    FORK = 3  # begins and ends a region
    MUTEX = 4  # waits for a critical section or a lock
    STALL = 5  # waits, and there is nothing to run
    ORDER = 6  # waits for its turn: ordered, doacross
    OUTSIDE = 7  # a thread of the runtime outside of all regions, or not there yet
    KEPT_OFF = 8  # had something to do, and no processor; no span says so, see processors.py


# These are no spans, or not part of the nest: a lock may be held beyond the task that took it.
_APART = (*POINTS, *CROSSING, Kind.SUMMARY, Kind.THREAD)

WORK = (State.WORK,)
OVERHEAD = (State.CREATE, State.SCHEDULE, State.FORK, State.MUTEX)
IDLE = (State.STALL, State.ORDER, State.OUTSIDE)
BUSY = (*WORK, *OVERHEAD)
_NO_STATE = 255
SOME = 10_000  # of many values, which are mostly all that there are


@dataclass
class Spans:
    """All spans, by track and begin, outer ones before those in them; and the time cut in pieces.

    Each track has one THREAD span, which is made where the log lost it. A piece is a time in which
    one span is the innermost of its thread; the pieces of a track lie one behind the other.
    """

    log: Log
    row: np.ndarray  # of each span in the log's events
    threads: np.ndarray  # of EVENT: the THREAD spans, each the first of its track
    first: np.ndarray  # where these are among the spans
    parent: np.ndarray  # index of the span around; -1: none
    owner: np.ndarray  # index of the nearest span of OWNERS, itself included
    state: np.ndarray  # what the thread does while the span is the innermost
    piece_span: np.ndarray
    piece_begin: np.ndarray  # ticks
    piece_end: np.ndarray
    opening: np.ndarray  # of each span the first piece that does not lie before its begin
    closing: np.ndarray  # and before its end
    begin: int  # of the time that was looked at
    end: int
    _columns: dict[str, np.ndarray] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.row)

    def column(self, name: str) -> np.ndarray:
        """A field of the records."""
        if name not in self._columns:
            # From the records themselves: a column of the log would be kept beside this one.
            values = self.log.events[name][self.row]
            values[self.first] = self.threads[name]
            if name == "end":
                np.minimum(values, self.end, out=values)
            self._columns[name] = values
        return self._columns[name]

    @property
    def kind(self) -> np.ndarray:
        return self.column("kind")

    @cached_property
    def duration(self) -> np.ndarray:
        return self.column("end") - self.column("begin")

    @cached_property
    def piece_ticks(self) -> np.ndarray:
        return self.piece_end - self.piece_begin

    @cached_property
    def piece_state(self) -> np.ndarray:
        return self.state[self.piece_span]

    @cached_property
    def piece_track(self) -> np.ndarray:
        """Index of each piece's track."""
        pieces = np.diff(np.append(self.first_piece, len(self.piece_span)))
        return np.repeat(np.arange(len(self.first), dtype=np.int32), pieces)

    @cached_property
    def first_piece(self) -> np.ndarray:
        """Of each track; that of the next one where it has none."""
        return self.opening[self.first]

    @cached_property
    def exclusive(self) -> np.ndarray:
        """Ticks in which a span is the innermost."""
        return np.bincount(self.piece_span, self.piece_ticks, len(self)).astype(np.int64)

    @cached_property
    def own_work(self) -> np.ndarray:
        """Ticks of the program's code in an owner itself, without the tasks that lie in it."""
        weights = np.where(self.state == State.WORK, self.exclusive, 0)
        return np.bincount(self.owner, weights, len(self)).astype(np.int64)

    def track_of(self, spans: np.ndarray) -> np.ndarray:
        """Index of the track, in the order of `threads`."""
        return np.searchsorted(self.first, spans, side="right") - 1

    def indices(self, *kinds: Kind) -> np.ndarray:
        return np.flatnonzero(is_any(self.kind, kinds))


def build(log: Log) -> Spans:
    """The spans of a log. What came after the log was full is not looked at."""
    end = log.until
    found = [_one_track(log, where, end) for where in _tracks(log.column("track"))]
    found = [track for track in found if track is not None]
    sizes = [len(track.row) for track in found]
    first = np.cumsum([0, *sizes], dtype=np.int32)

    pieces = np.cumsum([0, *(len(track.piece_span) for track in found)], dtype=np.int32)

    def joined(name: str, starts: np.ndarray | None = None) -> np.ndarray:
        parts = [getattr(track, name) for track in found] or [np.zeros(0, np.int32)]
        if starts is not None:  # numbers within the track become numbers of all
            parts = [part + at for part, at in zip(parts, starts, strict=False)]
        return np.concatenate(parts)

    row, parent = joined("row"), joined("parent", first)
    parent[first[:-1]] = -1
    threads = np.concatenate([np.zeros(0, EVENT), *(track.thread for track in found)])
    kinds = log.column("kind")[row]
    kinds[first[:-1]] = Kind.THREAD
    return Spans(
        log,
        row,
        threads,
        first[:-1],
        parent,
        nearest(kinds, parent, OWNERS),
        _states(log, row, kinds, parent, threads, first[:-1]),
        joined("piece_span", first),
        joined("piece_begin"),
        joined("piece_end"),
        joined("opening", pieces),
        joined("closing", pieces),
        log.begin,
        end,
    )


@dataclass
class _Track:
    row: np.ndarray
    thread: np.ndarray
    parent: np.ndarray
    piece_span: np.ndarray
    piece_begin: np.ndarray
    piece_end: np.ndarray
    opening: np.ndarray
    closing: np.ndarray


def _tracks(numbers: np.ndarray) -> list[slice]:
    cuts = np.flatnonzero(numbers[1:] != numbers[:-1]) + 1
    return [slice(a, b) for a, b in pairwise([0, *cuts.tolist(), len(numbers)]) if a < b]


def _one_track(log: Log, where: slice, end: int) -> _Track | None:
    events, kinds = log.events[where], log.column("kind")[where]
    begins, ends = (np.ascontiguousarray(events[name]) for name in ("begin", "end"))
    inner = ~is_any(kinds, _APART)
    inner &= ends > begins
    # The initial task of a thread: what is in no region is its THREAD's.
    inner &= (kinds != Kind.IMPLICIT) | (events["other"] != 0)
    inner &= begins < end
    written = np.flatnonzero(inner)
    begins, ends = begins[written], np.minimum(ends[written], end)
    thread = _thread(log, where, begins, ends, end)
    if thread["end"] <= thread["begin"] or (not len(written) and Kind.THREAD not in kinds):
        return None  # it came when the log was full, or has nothing to be looked at
    # A span is written when it ends: read backwards, the outer of two comes first.
    count = len(written)
    order = count - 1 - np.argsort(begins[::-1], kind="stable")
    place = np.empty(count, dtype=np.int32)  # of what was written, among the spans
    place[order] = np.arange(1, count + 1, dtype=np.int32)
    by_end = np.argsort(ends, kind="stable")
    rows = np.append(where.start, where.start + written[order]).astype(np.int32)
    begins = np.append(thread["begin"], begins[order])
    ends = np.append(ends[by_end], thread["end"])
    parent, *pieces = _nest(begins, ends, np.append(place[by_end], np.int32(0)))
    return _Track(rows, thread, parent, *pieces)


def _thread(log: Log, where: slice, begins: np.ndarray, ends: np.ndarray, end: int) -> np.ndarray:
    """The THREAD span around all that a track has, also where it was not written any more."""
    written = log.events[where]
    kinds = log.column("kind")[where]
    span = np.zeros(1, EVENT)
    span["kind"], span["track"], span["domain"] = Kind.THREAD, *written[-1][["track", "domain"]]
    found = written[kinds == Kind.THREAD]
    # A thread that begins regions, or came first, is the program's own.
    first = where.start == 0
    own = bool((found["flags"] & ThreadFlag.OWN).any())
    if own or (not len(found) and (first or Kind.REGION in kinds)):
        span["flags"] = ThreadFlag.OWN
    span["begin"] = log.begin if first and not len(found) else begins.min(initial=end)
    span["end"] = end
    if len(found):
        span["worker"] = found["worker"][-1]
        span["begin"] = min(span["begin"][0], found["begin"].min())
        met = found["flags"] & ThreadFlag.BEGINS != 0
        ended = found["end"].max(where=~met, initial=0)
        if ended and ended >= found["begin"].max(where=met, initial=0):
            span["end"] = min(end, max(ended, ends.max(initial=0)))
    return span


def _nest(begins: np.ndarray, ends: np.ndarray, ending: np.ndarray) -> tuple[np.ndarray, ...]:
    """Parents; the pieces: span, begin, end; the pieces at each span's begin and end.

    `ends` are sorted; `ending` says whose they are.
    Begins and ends are merged into one row of boundaries; at the same moment ends come first.
    """
    count = len(begins)
    numbers = np.arange(count, dtype=np.int32)
    ended = np.searchsorted(ends, begins, side="right").astype(np.int32)
    depth = numbers + 1 - ended
    parent = _parents(depth)
    times = np.empty(2 * count, dtype=np.int64)
    innermost = np.empty(2 * count, dtype=np.int32)
    opened = numbers + ended
    closed = numbers + np.searchsorted(begins, ends, side="left").astype(np.int32)
    times[opened], times[closed] = begins, ends
    innermost[opened], innermost[closed] = numbers, parent[ending]
    real = np.zeros(2 * count, dtype=bool)
    real[:-1] = (times[1:] > times[:-1]) & (innermost[:-1] >= 0)
    before = np.cumsum(real, dtype=np.int32) - real
    closing = np.empty(count, dtype=np.int32)
    closing[ending] = before[closed]
    at = np.flatnonzero(real)
    return parent, innermost[at], times[at], times[at + 1], before[opened], closing


def _parents(depth: np.ndarray) -> np.ndarray:
    """The span around is the last one before that lies one level higher."""
    count = len(depth)
    order = np.argsort(depth, kind="stable").astype(np.int32)  # by depth, then in their order
    keys = depth[order] * np.int64(count)
    highest = np.searchsorted(keys, 2 * count)
    keys += order
    # What is looked for is in order as well, which finds it in half the time.
    found = np.searchsorted(keys, keys - count)
    parent = np.empty(count, dtype=np.int32)
    parent[order] = order[np.maximum(found - 1, 0)]
    parent[order[:highest]] = -1
    return parent


def nearest(kinds: np.ndarray, parent: np.ndarray, wanted: Iterable[Kind]) -> np.ndarray:
    """Of each span itself or the nearest one around it that is of a wanted kind."""
    right = is_any(kinds, wanted)
    found = np.where(right, np.arange(len(kinds), dtype=np.int32), parent)
    while True:
        others = np.flatnonzero(~right[found])
        if not len(others):
            return found
        found[others] = parent[found[others]]


def numbered(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As np.unique with `return_inverse`, where few values are different: without a sort of all."""
    found = np.unique(values[:SOME])
    while True:
        at = np.minimum(np.searchsorted(found, values), max(0, len(found) - 1))
        others = values[found[at] != values] if len(values) else values
        if not len(others):
            return found, at
        found = np.union1d(found, others)


def starts(numbers: np.ndarray, count: int) -> np.ndarray:
    """Where the rows of each number from 0 on begin when they are sorted by it, and their end."""
    return np.concatenate([[0], np.cumsum(np.bincount(numbers, minlength=count))])


def look_up(column: np.ndarray, where: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The element of `where` whose value in the column is wanted; -1: none."""
    if not len(where) or not len(wanted):
        return np.full(len(wanted), -1, dtype=np.int64)
    values = column[where]
    order = np.argsort(values, kind="stable")
    at = np.minimum(np.searchsorted(values, wanted, sorter=order), len(where) - 1)
    found = where[order[at]]
    return np.where(column[found] == wanted, found, -1)


def _states(
    log: Log,
    row: np.ndarray,
    kinds: np.ndarray,
    parent: np.ndarray,
    threads: np.ndarray,
    first: np.ndarray,
) -> np.ndarray:
    table = np.full(256, _NO_STATE, dtype=np.uint8)
    for kind, name in STATES.items():
        table[kind] = State[name]
    states = looked_up(table, kinds)
    if (states == _NO_STATE).any():
        strange = int(kinds[states == _NO_STATE][0])
        raise ValueError(f"nothing says what a thread does in a span of kind {strange}")
    singles = np.flatnonzero(kinds == Kind.SINGLE)
    executed = log.events["flags"][row[singles]] & SingleFlag.EXECUTED != 0
    states[singles[executed]] = State.WORK
    states[first[threads["flags"] & ThreadFlag.OWN != 0]] = State.WORK
    # A loop whose chunks are recorded does its work in them.
    around = np.unique(parent[is_any(kinds, (Kind.CHUNK, Kind.SECTION))])
    shared = around[is_any(kinds[around], (Kind.LOOP, Kind.SECTIONS))]
    states[shared] = State.SCHEDULE
    return states
