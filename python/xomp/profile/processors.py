# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For how long threads were ready to go on and had no processor, because others had all of them.

The kernel counts it for each thread, and the log has its count now and then. What was waited for
between two readings is laid on what the thread did between them, in proportion. Sleep has no part
in it, nor has the time outside of regions: who sleeps wants no processor.
"""

from __future__ import annotations

import numpy as np

from xomp.profile.format import Kind, ProcessorFlag, StallFlag
from xomp.profile.spans import BUSY, Spans, State


def kept_off(spans: Spans) -> np.ndarray | None:
    """Ticks of each piece, of those in which its thread had something to do. None: not counted."""
    rows = spans.log.of(Kind.PROCESSOR)
    if not len(rows):
        return None
    awake = np.where(_sleeps(spans), 0, spans.piece_ticks)
    # All pieces in one row, by track and time: how long threads were awake up to the end of each.
    passed = np.concatenate([[0], np.cumsum(awake)])
    before, after, ticks = _between_readings(spans, rows, awake, passed)
    if not len(ticks):
        return np.zeros(len(awake))
    ticks = np.minimum(ticks, after - before)
    total = np.cumsum(ticks)
    edges = np.stack([before, after], axis=1).ravel()
    waited = np.interp(passed, edges, np.stack([total - ticks, total], axis=1).ravel())
    return np.where(np.isin(spans.piece_state, BUSY), np.diff(waited), 0.0)


def _sleeps(spans: Spans) -> np.ndarray:
    slept = (spans.kind == Kind.STALL) & (spans.column("flags") & StallFlag.SLEPT != 0)
    return slept[spans.piece_span] | (spans.piece_state == State.OUTSIDE)


def _between_readings(
    spans: Spans, rows: np.ndarray, awake: np.ndarray, passed: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each two readings of one thread, how long threads were awake before them, and the ticks
    that it was kept off between them."""
    numbers = spans.threads["track"]
    track = np.searchsorted(numbers, rows["track"])
    known = np.append(numbers.astype(np.int64), -1)[track] == rows["track"]
    order = np.lexsort((rows["begin"][known], track[known]))
    rows, track = rows[known][order], track[known][order]
    counted = rows["other"][1:] > rows["other"][:-1]  # a smaller one is another thread's
    counted &= (track[1:] == track[:-1]) & (rows["flags"][1:] & ProcessorFlag.FIRST == 0)
    ticks = (rows["other"][1:] - rows["other"][:-1])[counted] / spans.log.clock.rate
    at = _passed_at(spans, track, rows["begin"], awake, passed)
    return at[:-1][counted], at[1:][counted], ticks


def _passed_at(
    spans: Spans, track: np.ndarray, moment: np.ndarray, awake: np.ndarray, passed: np.ndarray
) -> np.ndarray:
    on_track = spans.track_of(spans.piece_span)
    first = np.searchsorted(on_track, track)
    width = spans.end - spans.begin + 1
    begins = on_track * width + (spans.piece_begin - spans.begin)
    inside = np.clip(moment - spans.begin, 0, width - 1)
    last = np.searchsorted(begins, track * width + inside, side="right") - 1
    within = last >= first
    last = np.maximum(last, 0)
    part = np.clip(moment - spans.piece_begin[last], 0, awake[last])
    return np.where(within, passed[last] + part, passed[first])
