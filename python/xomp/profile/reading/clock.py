# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ticks of the recording processors and nanoseconds: what the log says of the one in the other."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from xomp.profile.reading.lines import number_in

# Nanoseconds of a tick, or ticks of a nanosecond, at most.
SLOWEST = 10_000
# Nanoseconds that a record may lie outside of what the clock's readings cover.
SLACK = 600e9


@dataclass(frozen=True)
class Clock:
    """Ticks of the recording processors in nanoseconds of CLOCK_MONOTONIC."""

    ticks: np.ndarray
    nanoseconds: np.ndarray
    was_read: bool = True  # else made up

    @property
    def rate(self) -> float:
        """Nanoseconds of a tick."""
        span = self.ticks[-1] - self.ticks[0]
        return float(self.nanoseconds[-1] - self.nanoseconds[0]) / float(span)

    def at(self, ticks: np.ndarray | int) -> np.ndarray:
        """Moments, by interpolation between the pairs; outside of them by the mean rate."""
        ticks = np.asarray(ticks, dtype=np.int64)
        first, last = self.ticks[0], self.ticks[-1]
        # Differences first: an absolute tick has more digits than a double.
        start = self.nanoseconds[0]
        inside = np.interp(ticks - first, self.ticks - first, self.nanoseconds - start)
        inside += start
        if not ((ticks < first) | (ticks > last)).any():
            return inside
        beyond = np.where(ticks < first, ticks - first, np.maximum(ticks - last, 0))
        return inside + beyond * self.rate


def clock_of(texts: Sequence[tuple[str, str]], problems: list[str]) -> Clock:
    pairs = {}
    for key, value in texts:
        words = value.split()
        if key == "clock" and len(words) == 2:
            with suppress(ValueError):
                pairs[number_in(words[0])] = number_in(words[1])
    moments = np.array(sorted(pairs.items()), dtype=np.int64).reshape(-1, 2)
    if len(moments) < 2 or not _can_be_a_clock(moments[-1] - moments[0]):
        problems.append("the clock's rate is not in the log; one tick is taken for a nanosecond")
        first = moments[0] if len(moments) else np.zeros(2, dtype=np.int64)
        # As far apart as records can be.
        moments = np.array([first, first + (1 << 62)])
        return Clock(moments[:, 0], moments[:, 1], was_read=False)
    return Clock(moments[:, 0], moments[:, 1])


def _can_be_a_clock(span: np.ndarray) -> bool:
    """Whether so many ticks can be so many nanoseconds."""
    ticks, nanoseconds = span.tolist()
    return ticks / SLOWEST <= nanoseconds <= ticks * SLOWEST and nanoseconds > 0
