# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interleaves the jobs: every round runs each job once, in an order of its own."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence

from xomp.bench.run import Job, Outcome, run

GIVE_UP_AFTER = 2  # failures of one job


def interleave(
    jobs: Sequence[Job],
    rounds: int,
    warmups: int = 1,
    seed: int = 1,
    budget: float | None = None,
    progress: Callable[[Job], None] = lambda job: None,
    launch: Callable[[Job, int], Outcome] = run,
    record: Callable[[Outcome], None] = lambda outcome: None,
    earlier: Iterable[Outcome] = (),
) -> list[Outcome]:
    """Runs warm-up rounds (negative indices) and then the measured ones.

    A machine's speed drifts; random order within short rounds spreads the drift over all jobs. With
    a budget in seconds no round begins that would probably end after it, but one is always
    measured. A job that failed GIVE_UP_AFTER times is not tried again. Runs of `earlier` are taken
    over instead of done again; `record` learns of each new one at once.
    """
    generator = random.Random(seed)
    known = {(outcome.job.key, outcome.round): outcome for outcome in earlier}
    outcomes: list[Outcome] = []
    failures: dict[tuple, int] = {}
    started = time.monotonic()
    for index in range(-warmups, rounds):
        before = time.monotonic()
        order = [job for job in jobs if failures.get(job.key, 0) < GIVE_UP_AFTER]
        generator.shuffle(order)
        for job in order:
            outcome = known.get((job.key, index))
            if outcome is None:
                progress(job)
                outcome = launch(job, index)
                record(outcome)
            outcomes.append(outcome)
            if outcome.failure:
                failures[job.key] = failures.get(job.key, 0) + 1
        now = time.monotonic()
        if budget is not None and index >= 0 and now + (now - before) > started + budget:
            break
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
