# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The harness's medians, quartiles and bootstrap intervals."""

import random

import pytest

from xomp.bench.stats import ratio, summarize


def test_summary_gives_median_and_quartiles():
    summary = summarize([4.0, 1.0, 3.0, 2.0, 5.0])
    assert (summary.count, summary.median, summary.low, summary.high) == (5, 3.0, 2.0, 4.0)


def test_summary_of_one_value_has_no_spread():
    summary = summarize([7.0])
    assert summary.low == summary.high == 7.0


def test_summary_of_nothing_is_refused():
    with pytest.raises(ValueError, match="nothing"):
        summarize([])


def test_ratio_of_proportional_series_is_exact():
    base = {index: 1.0 + index for index in range(9)}
    double = {index: 2 * value for index, value in base.items()}
    result = ratio(double, base)
    assert result.value == result.low == result.high == pytest.approx(2.0)


def test_pairing_by_round_cancels_drift():
    generator = random.Random(3)
    drift = [generator.uniform(1, 10) for _ in range(25)]
    base = dict(enumerate(drift))
    slower = {index: 1.1 * value for index, value in base.items()}
    result = ratio(slower, base)
    assert result.high - result.low < 1e-9


def test_rounds_without_both_values_do_not_count():
    result = ratio({0: 2.0, 1: 100.0}, {0: 1.0, 2: 0.001})
    assert (result.value, result.rounds) == (2.0, 1)


def test_no_common_round_gives_no_ratio():
    assert ratio({0: 1.0}, {1: 1.0}) is None


def test_interval_covers_the_true_ratio_about_as_often_as_it_says():
    generator = random.Random(5)
    covered = 0
    for trial in range(60):
        left = {index: generator.gauss(12, 1) for index in range(30)}
        right = {index: generator.gauss(10, 1) for index in range(30)}
        interval = ratio(left, right, resamples=300, seed=trial)
        covered += interval.low <= 1.2 <= interval.high
    assert 50 <= covered <= 60


def test_same_seed_same_interval():
    left = {index: 1.0 + index % 3 for index in range(12)}
    right = {index: 2.0 + index % 5 for index in range(12)}
    assert ratio(left, right, seed=9) == ratio(left, right, seed=9)
