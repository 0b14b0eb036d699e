# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Barriers inside of regions: how often threads meet at them, and what that takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xomp.profile.analysing.spans import Spans
from xomp.profile.reading.format import BarrierFlag, Kind


@dataclass
class Barriers:
    """Times in seconds; the last two are sums of all threads."""

    rounds: int  # barriers, however many threads come to one
    between: float  # of the regions' time, for each
    place: int  # where most of them are
    waited: float  # with nothing to run
    cost: float  # to come to them and leave them


def inside_regions(spans: Spans, waits: np.ndarray | None) -> Barriers:
    rate = spans.log.clock.rate / 1e9
    rows = spans.indices(Kind.BARRIER)
    rows = rows[spans.column("flags")[rows] & BarrierFlag.JOIN == 0]
    members = spans.indices(Kind.IMPLICIT)
    if not len(rows) or not len(members):
        return Barriers(0, 0.0, 0, 0.0, 0.0)
    in_regions = float(spans.duration[members].sum()) * rate
    # Each member of a region comes to each of its barriers.
    inside = np.bincount(spans.track_of(rows), minlength=len(spans.first))
    rounds = int(inside.max())
    busiest = float(
        np.bincount(spans.track_of(members), spans.duration[members], len(spans.first)).max() * rate
    )
    places, count = np.unique(spans.column("place")[rows], return_counts=True)
    ticks = spans.piece_ticks if waits is None else spans.piece_ticks - waits
    own = np.bincount(spans.piece_span, ticks, len(spans)) * rate
    stalls = spans.indices(Kind.STALL)
    around = np.isin(spans.parent[stalls], rows)
    return Barriers(
        rounds,
        min(busiest, in_regions) / rounds,
        int(places[count.argmax()]),
        float(own[stalls[around]].sum()),
        float(own[rows].sum()),
    )
