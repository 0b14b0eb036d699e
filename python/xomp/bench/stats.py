# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Medians, spread, and bootstrap intervals of ratios between interleaved series."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from statistics import median, quantiles


@dataclass(frozen=True)
class Summary:
    count: int
    median: float
    low: float  # first quartile
    high: float  # third quartile


@dataclass(frozen=True)
class Ratio:
    value: float
    low: float
    high: float
    rounds: int


def summarize(values: Sequence[float]) -> Summary:
    if not values:
        raise ValueError("nothing to summarize")
    if len(values) == 1:
        return Summary(1, values[0], values[0], values[0])
    first, middle, third = quantiles(values, n=4, method="inclusive")
    return Summary(len(values), middle, first, third)


def ratio(
    numerator: Mapping[int, float],
    denominator: Mapping[int, float],
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 1,
) -> Ratio | None:
    """The ratio of the medians of two series by round, with a bootstrap percentile interval.

    Whole rounds are resampled, not single runs: runs of one round happened side by side, so what
    disturbed one is likely to have disturbed the other, and the pairing cancels it. Rounds in which
    either has no value do not count. None if no round is left.
    """
    rounds = sorted(numerator.keys() & denominator.keys())
    if not rounds:
        return None
    above = [numerator[index] for index in rounds]
    below = [denominator[index] for index in rounds]
    value = median(above) / median(below)
    if len(rounds) == 1:
        return Ratio(value, value, value, 1)
    samples = samples_of(len(rounds), resamples, seed)
    drawn = [median(sample(above)) / median(sample(below)) for sample in samples]
    return Ratio(value, *interval(drawn, level), len(rounds))


@cache
def samples_of(rounds: int, resamples: int, seed: int) -> list[itemgetter]:
    """What takes the rounds of each sample out of a series; drawn once for all series as long."""
    generator = random.Random(seed)
    return [itemgetter(*generator.choices(range(rounds), k=rounds)) for _ in range(resamples)]


def apart(
    numerator: Sequence[float],
    denominator: Sequence[float],
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 1,
) -> Ratio:
    """As `ratio`, for series that were not measured side by side: each is resampled by itself."""
    import numpy

    generator = numpy.random.default_rng(seed)

    def medians(values: Sequence[float]) -> numpy.ndarray:
        return numpy.median(generator.choice(values, (resamples, len(values))), axis=1)

    drawn = medians(numerator) / medians(denominator)
    low, high = interval(drawn.tolist(), level)
    count = min(len(numerator), len(denominator))
    return Ratio(median(numerator) / median(denominator), low, high, count)


def interval(drawn: Sequence[float], level: float) -> tuple[float, float]:
    """The percentiles that enclose that share of the drawn values."""
    ordered = sorted(drawn)
    tail = (1 - level) / 2
    last = len(ordered) - 1
    return ordered[round(tail * last)], ordered[round((1 - tail) * last)]
