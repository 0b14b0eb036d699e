# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads x elapsed time, divided as paper 3, section 2, does: work, overhead and idle time.

With the work of a serial-equivalent run, the work is that and its inflation. Time in which threads
could have gone on, but others had the processors, is a part by itself where the kernel counts it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from xomp.profile.analysing.processors import counts
from xomp.profile.analysing.spans import IDLE, OVERHEAD, WORK, Spans, State
from xomp.profile.reading.format import Kind, is_any


@dataclass
class Losses:
    """Times in seconds."""

    threads: int  # the most that there were at a time
    elapsed: float
    tracks: list[int]  # the threads' numbers in the log
    by_track: np.ndarray  # of each track, by State
    missing: float  # threads x elapsed in which a thread was not there, yet or any more
    serial: float | None = None  # work of the serial-equivalent run
    waits: np.ndarray | None = None  # ticks that each piece was kept off; None: not counted
    asleep: float = 0.0  # in which threads slept in the program's own code; a part of the work
    asleep_outside: float = 0.0  # of it outside of all regions

    @property
    def total(self) -> float:
        return self.threads * self.elapsed

    @cached_property
    def by_state(self) -> np.ndarray:
        times = self.by_track.sum(axis=0)
        times[State.OUTSIDE] += self.missing
        return times

    @property
    def work(self) -> float:
        return float(self.by_state[list(WORK)].sum())

    @property
    def overhead(self) -> float:
        return float(self.by_state[list(OVERHEAD)].sum())

    @property
    def idle(self) -> float:
        return float(self.by_state[list(IDLE)].sum())

    @property
    def counted(self) -> bool:
        """Whether the kernel counted how long threads were kept off the processors."""
        return self.waits is not None

    @property
    def kept_off(self) -> float:
        """Ready to go on, and without a processor."""
        return float(self.by_state[State.KEPT_OFF])

    @property
    def inflation(self) -> float | None:
        """Work beyond the serial run's; less than nothing where caches help."""
        return None if self.serial is None else self.work - self.serial

    @property
    def speedup(self) -> float:
        """Over the serial-equivalent work; without it over the work that was recorded."""
        useful = self.work if self.serial is None else self.serial
        return useful / self.elapsed if self.elapsed else 0.0

    @property
    def efficiency(self) -> float:
        return self.speedup / self.threads if self.threads else 0.0

    @property
    def imbalance(self) -> float:
        """The load balance error lambda of paper 4: the busiest thread's work over the mean."""
        work = self.by_track[:, State.WORK]
        mean = work.sum() / self.threads if self.threads else 0.0
        return float(work.max() / mean - 1) if mean else 0.0


def divide(spans: Spans, begin: int | None = None, end: int | None = None) -> Losses:
    """Where the time of a run's threads went, or of a part of it, from one tick to another.

    Threads that never were in a region do not count.
    """
    rate = spans.log.clock.rate / 1e9
    begin = spans.begin if begin is None else max(begin, spans.begin)
    end = spans.end if end is None else min(end, spans.end)
    elapsed = max(0, end - begin) * rate
    part = participants(spans)
    if not len(part):
        return Losses(1, elapsed, [], np.zeros((0, len(State))), elapsed)
    count = len(spans.first)
    on_track = spans.piece_track
    cells = on_track * len(State) + spans.piece_state
    whole = begin == spans.begin and end == spans.end
    inside = spans.piece_ticks
    if not whole:
        inside = np.minimum(spans.piece_end, end) - np.maximum(spans.piece_begin, begin)
        inside = np.maximum(inside, 0)
    counted = counts(spans)
    waits = counted.kept_off if counted is not None else None
    share = None if whole else inside / spans.piece_ticks

    def shared(ticks: np.ndarray) -> np.ndarray:
        return ticks if share is None else ticks * share

    waited = np.zeros(len(inside)) if waits is None else shared(waits)
    ticks = np.bincount(cells, inside - waited, count * len(State)).reshape(count, len(State))
    ticks[:, State.KEPT_OFF] = np.bincount(on_track, waited, count)
    by_track = ticks[part] * rate
    asleep = asleep_outside = 0.0
    if counted is not None:
        slept = shared(counted.asleep)
        mine = np.flatnonzero(slept)
        mine = mine[is_any(spans.piece_state[mine], WORK) & np.isin(on_track[mine], part)]
        slept = slept[mine] * rate
        outside = spans.kind[spans.piece_span[mine]] == Kind.THREAD
        asleep, asleep_outside = float(slept.sum()), float(slept[outside].sum())
    threads = _most_at_a_time(spans.threads[part], begin, end)
    missing = max(0.0, threads * elapsed - by_track.sum())
    tracks = spans.threads["track"][part].tolist()
    told = {"waits": waits, "asleep": asleep, "asleep_outside": asleep_outside}
    return Losses(threads, elapsed, tracks, by_track, missing, **told)


def participants(spans: Spans) -> np.ndarray:
    """Indices of the tracks that had to do with regions; the first one has in any case."""
    if not len(spans.first):
        return np.zeros(0, dtype=np.int64)
    involved = np.zeros(len(spans.first), dtype=bool)
    involved[np.argmin(spans.threads["begin"])] = True
    inside = np.flatnonzero(is_any(spans.kind, (Kind.REGION, Kind.IMPLICIT, Kind.TASK)))
    involved[spans.track_of(inside)] = True
    return np.flatnonzero(involved)


def _most_at_a_time(threads: np.ndarray, begin: int, end: int) -> int:
    threads = threads[(threads["begin"] < end) & (threads["end"] > begin)]
    if not len(threads):
        return 1
    times = np.concatenate([threads["begin"], threads["end"]])
    change = np.repeat([1, -1], len(threads))
    order = np.lexsort((change, times))  # who ends at a moment makes room for who begins
    return int(np.cumsum(change[order]).max())
