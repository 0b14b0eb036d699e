# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The spans that the page draws: all of a log, or where these are too many, the short ones merged.

Time is cut into cells as long as the longest span that counts as short. Of the short spans in a
cell, those that are alike are drawn as one, as long as they are the innermost spans all together.
So each cell shows what was done in it, to the tick, though not in which order. Cells end where a
long span begins or ends, so that what is drawn still lies in the span that it belongs to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xomp.profile.analysing.spans import Spans

MOST = 3_000_000  # what a browser opens in a second or two
KINDS_IN_CELL = 3  # usually; a guess to begin with


@dataclass(frozen=True)
class Detail:
    """What is drawn, by thread and begin, outer ones first."""

    chosen: np.ndarray  # spans that it is, or one of those that it stands for
    begin: np.ndarray  # ticks
    end: np.ndarray
    times: np.ndarray  # how many spans it stands for
    kept: np.ndarray  # ticks in which its thread was kept off the processors
    short: int  # spans of less than this are merged; 0: none


def choose(
    spans: Spans, alike: np.ndarray, most: int = MOST, kept: np.ndarray | None = None
) -> Detail:
    """`alike` is the same number for spans that are like each other, `kept` the ticks of each piece
    in which its thread was kept off."""
    kept = np.zeros(len(spans.piece_span)) if kept is None else kept
    if len(spans) <= most:
        of_span = np.bincount(spans.piece_span, kept, len(spans))
        times = np.ones(len(spans), dtype=np.int64)
        everything = np.arange(len(spans))
        return Detail(everything, spans.column("begin"), spans.column("end"), times, of_span, 0)
    length = spans.duration
    cells = max(1, most // KINDS_IN_CELL)
    short = max(int(np.median(length)), int(length[spans.first].sum()) // cells) + 1
    while True:
        found = _merged(spans, alike, short, kept)
        if len(found.chosen) <= most or short > length.max():
            return found
        short *= 2


def _merged(spans: Spans, alike: np.ndarray, short: int, kept: np.ndarray) -> Detail:
    brief = spans.duration < short
    brief[spans.first] = False
    long = np.flatnonzero(~brief)
    # Pieces of short spans, with the long one around them, in the order of time.
    around = _nearest(~brief, spans.parent)[spans.piece_span]
    cell = spans.piece_begin // short
    fresh = np.append(True, (np.diff(around) != 0) | (np.diff(cell) != 0))
    group = np.cumsum(fresh)
    mine = np.flatnonzero(brief[spans.piece_span])
    inner = spans.piece_span[mine]
    key = group[mine] * (int(alike.max(initial=0)) + 1) + alike[inner]
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    length = np.bincount(which, spans.piece_ticks[mine]).astype(np.int64)
    begun = spans.piece_begin[mine] == spans.column("begin")[inner]
    times = np.maximum(1, np.bincount(which, begun).astype(np.int64))
    begin = _one_behind_the_other(group[mine][first], spans.piece_begin[mine], first, length)
    chosen = np.concatenate([long, inner[first]])
    begins = np.concatenate([spans.column("begin")[long], begin])
    ends = np.concatenate([spans.column("end")[long], begin + length])
    times = np.concatenate([np.ones(len(long), dtype=np.int64), times])
    of_long = np.bincount(spans.piece_span, kept, len(spans))[long]
    kept = np.concatenate([of_long, np.bincount(which, kept[mine], len(first))])
    # Of those with the same begin the long ones are outside.
    order = np.lexsort((np.arange(len(chosen)), begins, spans.track_of(chosen)))
    return Detail(chosen[order], begins[order], ends[order], times[order], kept[order], short)


def _one_behind_the_other(
    group: np.ndarray, piece_begin: np.ndarray, first: np.ndarray, length: np.ndarray
) -> np.ndarray:
    """Begins within each group, from where its first piece begins."""
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    number = np.cumsum(np.diff(group, prepend=-1) != 0) - 1
    begin = np.minimum.reduceat(piece_begin[first], starts) if len(starts) else first
    before = np.concatenate([[0], np.cumsum(length)[:-1]]) if len(length) else length
    return begin[number] + before - before[starts][number]


def _nearest(wanted: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """Of each span itself if it is wanted, else the next one around it that is."""
    found = np.where(wanted, np.arange(len(wanted)), parent)
    while True:
        others = np.flatnonzero(~wanted[found])
        if not len(others):
            return found
        found[others] = found[found[others]]
