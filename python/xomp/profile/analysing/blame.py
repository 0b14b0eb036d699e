# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who ran while others were idle.

The idle threads' time of each moment is laid, in equal parts, on the code that ran then: it is this
code that did not let go, or made too few tasks. (Parallel idleness, as Tallent and Mellor-Crummey
have it, whom paper 3 follows.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xomp.profile.analysing.losses import Losses, participants
from xomp.profile.analysing.spans import IDLE, Spans, State
from xomp.profile.reading.format import Kind, is_any


@dataclass
class Blame:
    """Times in seconds."""

    by_busy: np.ndarray  # elapsed time in which 0, 1, 2, ... threads were busy
    of_span: np.ndarray  # idle time of others while a span was the innermost, and was executed
    alone: np.ndarray  # elapsed time in which the span's thread was the only busy one
    alone_in_piece: np.ndarray  # the same of each piece
    nobody: float  # idle time while nobody was busy
    kept_off: float  # idle time while those that had something to do had no processor
    executed: np.ndarray  # of each span while it was the innermost, and its thread not kept off
    _edges: np.ndarray
    _idle: np.ndarray  # seconds of idle time up to each edge

    def idle_between(self, begin: int, end: int) -> float:
        """Idle time of all threads, from one tick to another."""
        return float(np.interp(end, self._edges, self._idle)) - float(
            np.interp(begin, self._edges, self._idle)
        )

    def own_work(self, spans: Spans) -> np.ndarray:
        """Of each owner of code the seconds of the program's code in it."""
        worked = np.where(spans.state == State.WORK, self.executed, 0.0)
        return np.bincount(spans.owner, worked, len(spans))

    def of_code(self, spans: Spans) -> np.ndarray:
        """Of each owner of code the idle time of others while it was executed, entering and leaving
        its waits included, the creation of tasks left out: who makes them is a matter by itself."""
        counted = np.where(spans.kind == Kind.CREATE, 0.0, self.of_span)
        return np.bincount(spans.owner, counted, len(spans))

    @property
    def alone_or_nobody(self) -> float:
        """The serial part."""
        return float(self.by_busy[:2].sum())


def lay(spans: Spans, losses: Losses) -> Blame:
    rate = spans.log.clock.rate / 1e9
    threads, count = losses.threads, len(spans)
    part = np.zeros(len(spans.first), dtype=bool)
    part[participants(spans)] = True
    late = _late(spans, losses, part)
    times, changes = _changes(spans, part, late)
    if not len(times):
        by_busy = np.zeros(threads + 1)
        by_busy[0] = losses.elapsed
        edges, idle = [spans.begin, spans.end], [0.0, losses.total]
        nothing = np.zeros(count)
        here = np.ones(len(spans.piece_span))
        row = (_executed(spans, here), np.array(edges), np.array(idle))
        return Blame(by_busy, nothing, nothing, np.zeros(len(here)), losses.total, 0.0, *row)
    edges = np.concatenate([[spans.begin], times, [spans.end]])
    lengths = np.maximum(np.diff(edges), 0)
    busy = np.concatenate([[0], np.cumsum(changes)])
    by_busy = np.bincount(busy, lengths, threads + 1) * rate
    # What a busy thread is to blame for up to each edge, and how long it was the only one.
    idle = np.where(busy > 0, (threads - busy) / np.maximum(busy, 1), 0.0)
    blamed = np.concatenate([[0.0], np.cumsum(idle * lengths)])
    single = np.concatenate([[0.0], np.cumsum((busy == 1) * lengths)])
    counted = ~_idle(spans) & part[spans.piece_track]
    present = np.ones(len(spans.piece_span))
    if losses.waits is not None:
        present -= losses.waits / spans.piece_ticks
    of_piece, alone_in_piece = (
        _growth(spans, edges, total) * rate * counted for total in (blamed, single)
    )
    kept_off = float((of_piece * (1 - present))[counted].sum())
    of_piece *= present
    alone_in_piece *= present
    of_span, alone = (
        np.bincount(spans.piece_span, value, count) for value in (of_piece, alone_in_piece)
    )
    kept_off += float(np.diff(np.interp(late, edges, blamed)).sum()) * rate
    all_idle = np.concatenate([[0.0], np.cumsum((threads - busy) * lengths)]) * rate
    nobody = float(by_busy[0]) * threads
    executed = _executed(spans, present)
    row = (executed, edges, all_idle)
    return Blame(by_busy, of_span, alone, alone_in_piece, nobody, kept_off, *row)


def _growth(spans: Spans, edges: np.ndarray, total: np.ndarray) -> np.ndarray:
    """By how much a total, known at the edges, grows in each piece."""
    begins, ends = spans.piece_begin, spans.piece_end
    at_begin = np.interp(begins, edges, total)
    at_end = np.append(at_begin[1:], 0.0)
    # Most pieces end where the next one begins.
    others = np.flatnonzero(np.append(ends[:-1] != begins[1:], True))
    at_end[others] = np.interp(ends[others], edges, total)
    return at_end - at_begin


def _executed(spans: Spans, present: np.ndarray) -> np.ndarray:
    ticks = np.bincount(spans.piece_span, spans.piece_ticks * present, len(spans))
    return ticks * (spans.log.clock.rate / 1e9)


def _late(spans: Spans, losses: Losses, part: np.ndarray) -> np.ndarray:
    """Begins and ends of the times in which threads had to go on from waits, and had no
    processor."""
    if losses.waits is None:
        return np.zeros((0, 2), dtype=np.int64)
    ticks = np.rint(losses.waits).astype(np.int64)
    pieces = np.flatnonzero(_idle(spans) & (ticks > 0))
    pieces = pieces[part[spans.piece_track[pieces]]]
    ends = spans.piece_end[pieces]
    return np.stack([ends - ticks[pieces], ends], axis=1)


def _idle(spans: Spans) -> np.ndarray:
    """Of each piece whether its thread was idle."""
    return is_any(spans.piece_state, IDLE)


def _changes(spans: Spans, part: np.ndarray, late: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """When the number of busy threads changes, and by how much."""
    track = spans.piece_track
    busy = ~_idle(spans) & part[track]
    if not len(busy):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    # A thread is busy from where it was not, or was another, to where it is not any more.
    joined = np.zeros(len(busy), dtype=bool)
    joined[1:] = (track[1:] == track[:-1]) & (spans.piece_begin[1:] == spans.piece_end[:-1])
    before = np.append(False, busy[:-1]) & joined
    begins = spans.piece_begin[busy & ~before]
    after = np.append(busy[1:], False) & np.append(joined[1:], False)
    ends = spans.piece_end[busy & ~after]
    times = np.concatenate([begins, late[:, 0], ends, late[:, 1]])
    changes = np.repeat([1, -1], [len(begins) + len(late), len(ends) + len(late)])
    order = np.lexsort((changes, times))
    return times[order], changes[order]
