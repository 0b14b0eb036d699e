# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interleaves the jobs: every round runs each job once, in an order of its own; then runs are
repeated during which the processors lay too far apart."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence

from xomp.bench.distance import Distances
from xomp.bench.distance import launch as launch_measured
from xomp.bench.run import Job, Outcome

GIVE_UP_AFTER = 2  # failures of one job


def interleave(
    jobs: Sequence[Job],
    rounds: int,
    warmups: int = 1,
    seed: int = 1,
    budget: float | None = None,
    progress: Callable[[Job], None] = lambda job: None,
    launch: Callable[[Job, int], Outcome] = launch_measured,
    record: Callable[[Outcome], None] = lambda outcome: None,
    earlier: Iterable[Outcome] = (),
) -> list[Outcome]:
    """Runs warm-up rounds (negative indices) and then the measured ones.

    A machine's speed drifts; random order within short rounds spreads the drift over all jobs. With
    a budget in seconds no round begins that would probably end after it, but one is always
    measured, nor is a run repeated then. A job that failed GIVE_UP_AFTER times is not tried again.
    Runs of `earlier` are taken over instead of done again; `record` learns of each new one at once.
    """
    generator = random.Random(seed)
    known: dict[tuple, list[Outcome]] = {}
    for outcome in earlier:
        known.setdefault((outcome.job.key, outcome.round), []).append(outcome)
    outcomes: list[Outcome] = []
    failures: dict[tuple, int] = {}
    took: dict[tuple, float] = {}
    started = time.monotonic()

    def take(outcome: Outcome) -> None:
        outcomes.append(outcome)
        took[outcome.job.key] = outcome.usage.get("wall", 0.0)
        if outcome.failure:
            failures[outcome.job.key] = failures.get(outcome.job.key, 0) + 1

    def once(job: Job, index: int) -> None:
        progress(job)
        outcome = launch(job, index)
        record(outcome)
        take(outcome)

    for index in range(-warmups, rounds):
        before = time.monotonic()
        order = [job for job in jobs if failures.get(job.key, 0) < GIVE_UP_AFTER]
        generator.shuffle(order)
        for job in order:
            for outcome in known.get((job.key, index), ()):
                take(outcome)
            if (job.key, index) not in known:
                once(job, index)
        now = time.monotonic()
        if budget is not None and index >= 0 and now + (now - before) > started + budget:
            break
    by_key = {job.key: job for job in jobs}
    while places := Distances(outcomes).to_repeat():
        generator.shuffle(places)
        for key, index in places:
            if budget is not None and time.monotonic() + took[key] > started + budget:
                return outcomes
            once(by_key[key], index)
    return outcomes


def series(outcomes: Iterable[Outcome], job: Job, value: Callable[[Outcome], float]) -> dict:
    """The job's measured values by round, failed and warm-up runs left out."""
    return {
        outcome.round: value(outcome)
        for outcome in outcomes
        if outcome.job.key == job.key and outcome.round >= 0 and outcome.failure is None
    }


def failures(outcomes: Iterable[Outcome]) -> list[Outcome]:
    return [outcome for outcome in outcomes if outcome.failure is not None]
