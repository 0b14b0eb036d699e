# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that are handed out in chunks: how large these are, and what the handing out costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xomp.profile.analysing.spans import Spans
from xomp.profile.reading.format import Kind

_SCHEDULE_BITS = 3
_DYNAMIC = 2  # and guided is 3: chunks go to whom is ready


@dataclass
class Chunks:
    """Of the loops at one place. Times in seconds, without those in which a thread was kept off."""

    place: int
    count: int
    iterations: int
    work: float
    cost: float  # of handing them out, their records included


def handed_out(spans: Spans, waits: np.ndarray | None) -> Chunks | None:
    """The place at which this costs most."""
    chunks = spans.indices(Kind.CHUNK)
    chunks = chunks[spans.kind[spans.parent[chunks]] == Kind.LOOP]
    if not len(chunks):
        return None
    rate = spans.log.clock.rate / 1e9
    ticks = spans.piece_ticks if waits is None else spans.piece_ticks - waits
    own = np.bincount(spans.piece_span, ticks, len(spans)) * rate
    loops = np.unique(spans.parent[chunks])
    places, place_of_loop = np.unique(spans.column("place")[loops], return_inverse=True)
    cost = np.bincount(place_of_loop, own[loops])
    worst = int(cost.argmax())
    here = place_of_loop[np.searchsorted(loops, spans.parent[chunks])] == worst
    iterations = int(spans.column("place")[chunks[here]].sum())
    work = float(own[chunks[here]].sum())
    count = int(np.count_nonzero(here))
    return Chunks(int(places[worst]), count, iterations, work, float(cost[worst]))


def usual(spans: Spans, place: int) -> int:
    """Iterations that loops at a place hand out at a time; 0: they divide them beforehand."""
    loops = spans.indices(Kind.LOOP)
    loops = loops[spans.column("place")[loops] == place]
    loops = loops[spans.column("flags")[loops] & _SCHEDULE_BITS >= _DYNAMIC]
    chunks = spans.indices(Kind.CHUNK)
    sizes = spans.column("place")[chunks[np.isin(spans.parent[chunks], loops)]]
    return int(np.median(sizes)) if len(sizes) else 0
