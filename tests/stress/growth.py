# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a quantity that was sampled over time grows, and how fast.

Samples of a running process depend on their neighbours, so that a line through all of them would
be believed far too much. They are put into blocks; the slope is the median of the slopes between
the blocks' medians (Theil and Sen), and its interval comes from the distribution of Kendall's
rank correlation (Sen 1968).
"""

import itertools
import math
import statistics
from dataclasses import dataclass

BLOCKS = 30
NORMAL_95 = 1.96


@dataclass(frozen=True)
class Slope:
    """Per unit of time, with the ends of its interval of 95%."""

    value: float
    low: float
    high: float


def blocks(times: list[float], values: list[float], count: int = BLOCKS) -> list[tuple]:
    """The medians of consecutive samples, as equally many as can be."""
    count = min(count, len(values))
    bounds = [i * len(values) // count for i in range(count + 1)]
    return [
        (statistics.median(times[a:b]), statistics.median(values[a:b]))
        for a, b in itertools.pairwise(bounds)
    ]


def slope(times: list[float], values: list[float]) -> Slope:
    """The trend of the values. Needs samples at three different times at least."""
    points = blocks(times, values) if values else []
    slopes = sorted(
        (later[1] - earlier[1]) / (later[0] - earlier[0])
        for i, earlier in enumerate(points)
        for later in points[i + 1 :]
        if later[0] > earlier[0]
    )
    if len(points) < 3 or not slopes:
        raise ValueError("too few samples for a slope")
    n = len(points)
    spread = NORMAL_95 * math.sqrt(n * (n - 1) * (2 * n + 5) / 18)
    first = max(0, math.floor((len(slopes) - spread) / 2))
    last = min(len(slopes) - 1, math.ceil((len(slopes) + spread) / 2))
    return Slope(statistics.median(slopes), slopes[first], slopes[last])


def steps_up(values: list[float]) -> bool:
    """Whether the last quarter of the samples lies above everything in the first."""
    quarter = len(values) // 4
    return quarter > 0 and min(values[-quarter:]) > max(values[:quarter])
