# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For how long threads were ready to go on and had no processor, because others had all of them.

The kernel counts, for each thread, how long it had a processor and how long it was ready without
one, and the log has both counts now and then. Who waits sleeps or yields, so that the processor's
time between two readings is taken to be that of the work between them; what the work lacks to its
length, as far as the thread was ready without a processor, is laid on it in proportion; before
that on what the runtime does in microseconds and what took much longer. What is left is time in
which the thread should have gone on already, to a region that has begun or from a barrier that all
have reached, and could not. Who sleeps wants no processor.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xomp.profile.analysing.spans import BUSY, OVERHEAD, Spans, State, look_up
from xomp.profile.reading.format import Kind, ProcessorFlag, is_any
from xomp.profile.reading.log import OPEN_REGION

# What the runtime does between two parts of the program's code takes less than this.
RUNTIME_AT_MOST = 200e-6  # seconds
AT_A_TIME = 1 << 18  # pieces that something is laid on: more would need new memory


@dataclass
class Counts:
    """Ticks of each piece."""

    kept_off: np.ndarray  # of those in which the thread had something to do; the last ones of waits
    asleep: np.ndarray  # of those in which it had something to do, but for locks: it slept


def counts(spans: Spans) -> Counts | None:
    """None: the kernel does not count."""
    rows = spans.log.of(Kind.PROCESSOR)
    if not len(rows):
        return None
    track, rows = _by_thread(spans, rows)
    counted = rows["other"][1:] >= rows["other"][:-1]  # a smaller one is another thread's
    counted &= (track[1:] == track[:-1]) & (rows["flags"][1:] & ProcessorFlag.FIRST == 0)
    locks, long = np.flatnonzero(spans.piece_state == State.MUTEX), _too_long(spans)
    busy = np.flatnonzero(is_any(spans.piece_state, BUSY))
    busy_ticks = spans.piece_ticks[busy]
    busy_ticks[np.searchsorted(busy, long[0])] -= long[1]
    readings = _Readings(spans, track, rows["begin"])
    worked, in_runtime, came_late, in_locks = (
        _Measure(spans, *pieces, readings)
        for pieces in ((busy, busy_ticks), long, _late(spans), (locks, spans.piece_ticks[locks]))
    )
    rate = spans.log.clock.rate
    ran, ready = ((rows[name][1:] - rows[name][:-1]) / rate for name in ("task", "other"))
    ready = np.where(counted, ready, 0.0)
    missing = np.where(counted, np.maximum(worked.between + in_runtime.between - ran, 0), 0.0)
    of_work = np.minimum(missing, ready)
    of_waits = np.minimum(ready - of_work, came_late.between)
    of_runtime = np.minimum(of_work, in_runtime.between)
    kept_off, asleep = (np.zeros(len(spans.piece_span)) for _ in range(2))
    in_runtime.lay(of_runtime, kept_off)
    worked.lay(of_work - of_runtime, kept_off)
    came_late.lay(of_waits, kept_off)
    # Who waits for a lock may sleep; what is more than these waits is the program's own sleep.
    worked.lay(np.maximum(missing - of_work - in_locks.between, 0), asleep)
    return Counts(kept_off, asleep)


def _too_long(spans: Spans) -> tuple[np.ndarray, np.ndarray]:
    """Pieces in the runtime, but for locks, and their ticks beyond what it takes there."""
    most = round(RUNTIME_AT_MOST * 1e9 / spans.log.clock.rate)
    long = np.flatnonzero(spans.piece_ticks > most)
    states = spans.piece_state[long]
    long = long[is_any(states, OVERHEAD) & (states != State.MUTEX)]
    return long, spans.piece_ticks[long] - most


def _by_thread(spans: Spans, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The readings in their order, and the index of each one's track."""
    numbers = spans.threads["track"]
    track = np.searchsorted(numbers, rows["track"])
    known = np.append(numbers.astype(np.int64), -1)[track] == rows["track"]
    order = np.lexsort((rows["begin"][known], track[known]))
    return track[known][order], rows[known][order]


class _Readings:
    """Where the readings of the kernel's counts lie among the pieces, which are in one row by track
    and time."""

    def __init__(self, spans: Spans, track: np.ndarray, moment: np.ndarray) -> None:
        self.moment = moment
        self.same_track = track[1:] == track[:-1]
        edges = np.append(spans.first_piece, len(spans.piece_span))
        self.first = edges[track]  # piece of the track
        self.last = np.empty(len(track), dtype=np.int64)  # piece that has begun
        for number in np.unique(track).tolist():
            begins = spans.piece_begin[edges[number] : edges[number + 1]]
            mine = track == number
            found = np.searchsorted(begins, moment[mine], side="right")
            self.last[mine] = edges[number] + found - 1
        self.within = self.last >= self.first
        np.maximum(self.last, 0, out=self.last)


class _Measure:
    """The last ticks of some pieces, as many as are told, in one row; and how many of them lie
    between each two readings."""

    def __init__(
        self, spans: Spans, pieces: np.ndarray, ticks: np.ndarray, readings: _Readings
    ) -> None:
        self._pieces = pieces
        self._passed = np.zeros(len(pieces) + 1, dtype=np.int64)  # before each, and in all
        np.cumsum(ticks, out=self._passed[1:])
        first, last = readings.first, readings.last
        before, after = self._passed_before(last), self._passed_before(last + 1)
        part = np.clip(readings.moment - spans.piece_end[last] + after - before, 0, after - before)
        at = np.where(readings.within, before + part, self._passed_before(first))
        self._before, self._after = at[:-1], at[1:]
        self.between = np.where(readings.same_track, self._after - self._before, 0)

    def _passed_before(self, pieces: np.ndarray) -> np.ndarray:
        return self._passed[np.searchsorted(self._pieces, pieces)]

    def lay(self, ticks: np.ndarray, laid: np.ndarray) -> None:
        """Adds to each piece what it has of ticks between readings, in proportion."""
        some = ticks > 0
        if not some.any():
            return
        edges = np.stack([self._before[some], self._after[some]], axis=1).ravel()
        total = np.cumsum(ticks[some])
        values = np.stack([total - ticks[some], total], axis=1).ravel()
        for at in range(0, len(self._pieces), AT_A_TIME):
            pieces = self._pieces[at : at + AT_A_TIME]
            passed = self._passed[at : at + len(pieces) + 1]
            laid[pieces] += np.diff(np.interp(passed, edges, values))


def _late(spans: Spans) -> tuple[np.ndarray, np.ndarray]:
    """Pieces in which threads wait, and their last ticks in which these need not wait any more."""
    both = zip(_called(spans), _released(spans), strict=True)
    pieces, since = (np.concatenate(values) for values in both)
    order = np.argsort(pieces, kind="stable")
    # Of regions that begin at one moment the last one counts.
    order = order[np.diff(pieces[order], append=-1) != 0]
    pieces, since = pieces[order], since[order]
    begin = np.maximum(spans.piece_begin[pieces], since)
    return pieces, np.maximum(0, spans.piece_end[pieces] - begin)


def _called(spans: Spans) -> tuple[np.ndarray, np.ndarray]:
    """Pieces outside of regions before a region's, and when that began."""
    members = spans.indices(Kind.IMPLICIT)
    pieces = spans.opening[members] - 1
    joined = pieces >= 0
    joined &= spans.piece_state[pieces] == State.OUTSIDE
    joined &= spans.piece_end[pieces] == spans.column("begin")[members]
    joined &= spans.track_of(spans.piece_span[pieces]) == spans.track_of(members)
    begin = _begun(spans, spans.indices(Kind.IMPLICIT))
    return pieces[joined], begin[joined]


def _begun(spans: Spans, members: np.ndarray) -> np.ndarray:
    """When the regions of implicit tasks began: those that did not end, with their first one."""
    regions = spans.column("other")[members]
    found = look_up(spans.column("other"), spans.indices(Kind.REGION), regions)
    ended = found >= 0
    begin = np.where(ended, spans.column("begin")[found], spans.column("begin")[members])
    known = np.unique(regions[~ended & (regions != np.uint64(OPEN_REGION))])
    if len(known) == 1:  # whose members are that were not through with it
        regions = np.where(regions == np.uint64(OPEN_REGION), known[0], regions)
    for region in np.unique(regions[~ended]):
        here = ~ended & (regions == region)
        begin[here] = begin[here].min()
    return begin


def _released(spans: Spans) -> tuple[np.ndarray, np.ndarray]:
    """Pieces in which threads stall at the end of a barrier, and when the last one came to it."""
    barriers = spans.indices(Kind.BARRIER)
    begin, end, region = (spans.column(name) for name in ("begin", "end", "other"))
    stalls = spans.indices(Kind.STALL)
    stalls = stalls[spans.kind[spans.parent[stalls]] == Kind.BARRIER]
    # Who runs tasks in a barrier has come when the last one of them is done.
    came = begin.copy()
    tasks = spans.indices(Kind.TASK)
    for inside, moment in ((stalls, begin), (tasks[spans.parent[tasks] >= 0], end)):
        np.maximum.at(came, spans.parent[inside], moment[inside])
    turn = _turns(spans, barriers)
    order = np.lexsort((turn, region[barriers]))
    barriers, turn = barriers[order], turn[order]
    same = np.zeros(len(barriers), dtype=bool)
    same[1:] = (region[barriers][1:] == region[barriers][:-1]) & (turn[1:] == turn[:-1])
    group = np.cumsum(~same) - 1
    latest = np.zeros(int(group.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(latest, group, came[barriers])
    released = np.zeros(len(spans), dtype=np.int64)
    released[barriers] = latest[group]
    last = stalls[begin[stalls] == came[spans.parent[stalls]]]
    pieces = spans.closing[last] - 1
    here = (pieces >= 0) & (spans.piece_span[pieces] == last)
    return pieces[here], released[spans.parent[last]][here]


def _turns(spans: Spans, barriers: np.ndarray) -> np.ndarray:
    """Of each barrier how many its thread came to before, in the same region."""
    region, track = spans.column("other")[barriers], spans.track_of(barriers)
    order = np.lexsort((spans.column("begin")[barriers], track, region))
    new = np.ones(len(barriers), dtype=bool)
    new[1:] = (np.diff(region[order].astype(np.int64)) != 0) | (np.diff(track[order]) != 0)
    numbers = np.arange(len(barriers))
    turns = np.empty(len(barriers), dtype=np.int64)
    turns[order] = numbers - np.maximum.accumulate(np.where(new, numbers, 0))
    return turns
