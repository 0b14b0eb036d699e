# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For how long threads were ready to go on and had no processor, because others had all of them.

The kernel counts it for each thread, and the log has its count now and then. What was waited for
between two readings is laid on what the thread did between them, in proportion; on sleep and time
outside of regions last, as readings are taken where sleep begins and ends.
"""

from __future__ import annotations

import numpy as np

from xomp.profile.format import Kind, ProcessorFlag, StallFlag
from xomp.profile.spans import BUSY, Spans, State


def kept_off(spans: Spans) -> np.ndarray | None:
    """Ticks by track, in the order of `spans.threads`, and by State; only of those in which a
    thread needs a processor. None: it was not counted."""
    rows = spans.log.of(Kind.PROCESSOR)
    if not len(rows):
        return None
    found = np.zeros((len(spans.first), len(State)))
    track, begin, end, ticks = _between_readings(spans, rows)
    if not len(track):
        return found
    times = _times(spans, track, end) - _times(spans, track, begin)
    times[:, _ASLEEP] = 0
    awake = times.sum(axis=1)
    share = np.minimum(1.0, ticks / np.maximum(awake, 1))
    for state in BUSY:
        found[:, state] = np.bincount(track, times[:, state] * share, len(found))
    return found


_ASLEEP = len(State)


def _between_readings(spans: Spans, rows: np.ndarray) -> tuple[np.ndarray, ...]:
    """Of each two readings of one thread: its track, the moments, and the ticks it was kept off."""
    numbers = spans.threads["track"]
    at = np.minimum(np.searchsorted(numbers, rows["track"]), max(0, len(numbers) - 1))
    known = numbers[at] == rows["track"] if len(numbers) else np.zeros(len(rows), dtype=bool)
    rows, at = rows[known], at[known]
    order = np.lexsort((rows["begin"], at))
    rows, at = rows[order], at[order]
    before, after = rows[:-1], rows[1:]
    counted = after["other"] > before["other"]  # unsigned: a smaller one is another thread's
    counted &= (at[1:] == at[:-1]) & (after["flags"] & ProcessorFlag.FIRST == 0)
    before, after = before[counted], after[counted]
    ticks = (after["other"] - before["other"]).astype(np.float64) / spans.log.clock.rate
    return at[1:][counted], before["begin"], after["begin"], ticks


def _times(spans: Spans, track: np.ndarray, moment: np.ndarray) -> np.ndarray:
    """Ticks of each State that lie before a moment on its track; asleep is one more."""
    state = spans.piece_state.astype(np.int64)
    slept = (spans.kind == Kind.STALL) & (spans.column("flags") & StallFlag.SLEPT != 0)
    state[slept[spans.piece_span] | (state == State.OUTSIDE)] = _ASLEEP
    on_track = spans.track_of(spans.piece_span)
    edges = np.searchsorted(on_track, np.arange(len(spans.first) + 1))
    # One row for all tracks: in each, moments are told from the begin of all.
    width = spans.end - spans.begin + 1
    inside = np.clip(moment - spans.begin, 0, width - 1)
    begins = on_track * width + (spans.piece_begin - spans.begin)
    last = np.searchsorted(begins, track * width + inside, side="right") - 1
    there = last >= edges[track]
    last = np.maximum(last, 0)
    part = np.clip(moment - spans.piece_begin[last], 0, spans.piece_ticks[last]) * there
    found = np.zeros((len(track), _ASLEEP + 1))
    for each in np.unique(state):
        mine = state == each
        total = np.concatenate([[0], np.cumsum(np.where(mine, spans.piece_ticks, 0))])
        found[:, each] = total[np.where(there, last, edges[track])] - total[edges[track]]
        found[:, each] += np.where(mine[last], part, 0)
    return found
