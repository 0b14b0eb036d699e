# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far the processors lie apart while a program runs, and which runs count for that.

The host of a virtual machine moves its processors: for some seconds a cache line takes several
times as long from one to the other, and with it whatever threads tell one another. Runs of the one
kind are not compared with runs of the other.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Sequence
from math import inf
from statistics import median

from xomp.bench.run import Job, Outcome, run
from xomp.shared import apps
from xomp.shared.machine import processors

FAR = 1.5  # times the shortest round trip of the measurement
LEAST = 3  # near runs, without which all of a program's runs count
TRIES = 3  # of a measurement that other programs keep from its end
# Seconds between measurement and run: kernels place the threads of a program that starts by what
# has used the processors before, and more often two of them on one.
REST = 0.02
NAMED = 3  # programs in the line about them

Launch = Callable[[Job, int], Outcome]
Place = tuple[tuple, int]  # a job's key and the round


def measure() -> float | None:
    """Nanoseconds of a cache line's round trip; None where that cannot be measured."""
    if processors() < 2:
        return None
    for _ in range(TRIES):
        done = subprocess.run([apps.build("distance")], capture_output=True, text=True, check=False)
        if done.stdout.strip():
            return float(done.stdout)
    return None


def around(launch: Launch) -> Launch:
    """The same, with the distance before and after each run of several threads."""

    def launched(job: Job, index: int) -> Outcome:
        if job.threads < 2:
            return launch(job, index)
        if (before := measure()) is not None:
            time.sleep(REST)
        outcome = launch(job, index)
        outcome.apart = (before, measure())
        return outcome

    return launched


launch = around(run)


def place(outcome: Outcome) -> Place:
    return outcome.job.key, outcome.round


def group(outcome: Outcome) -> tuple[str, int]:
    """What is compared with each other: it differs in the runtime only."""
    return outcome.job.label, outcome.job.threads


def ends(outcome: Outcome) -> list[float]:
    return [end for end in outcome.apart if end]


class Distances:
    """Of the runs of one measurement, in the order in which they ran."""

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        self.outcomes = outcomes
        self.shortest = min((end for each in outcomes for end in ends(each)), default=inf)
        self.timed = [each for each in outcomes if each.round >= 0 and each.failure is None]
        self.far = [each for each in self.timed if self.is_far(each)]
        self.scarce = self._scarce() if self.far else set()

    def is_far(self, outcome: Outcome) -> bool:
        return any(end > FAR * self.shortest for end in ends(outcome))

    def _scarce(self) -> set[tuple[str, int]]:
        """Programs that on some runtime have too few near runs to do without the far ones."""
        rounds: dict[tuple, set[int]] = {}
        near: dict[tuple, set[int]] = {}
        for each in self.timed:
            rounds.setdefault(each.job.key, set()).add(each.round)
            if not self.is_far(each):
                near.setdefault(each.job.key, set()).add(each.round)
        few = {
            key
            for key, all_of in rounds.items()
            if len(near.get(key, ())) < min(LEAST, len(all_of))
        }
        return {group(each) for each in self.far if each.job.key in few}

    def counted(self) -> list[Outcome]:
        """One run of each job and round at most: the near one, or none. Of programs with too few of
        these the first, near or far, as those of one round ran side by side. Failures stay."""
        if not self.far:
            return list(self.outcomes)
        found, seen = [], set()
        for each in self.outcomes:
            if each.round < 0 or each.failure is not None:
                found.append(each)
            elif group(each) in self.scarce:
                if place(each) not in seen:
                    found.append(each)
                seen.add(place(each))
            elif not self.is_far(each):
                found.append(each)
        return found

    def to_repeat(self) -> list[Place]:
        """Where there is no near run yet, nor a failure. Empty once there have been as many repeats
        as there are runs in the rounds: a machine may be far for long."""
        measured = [place(each) for each in self.outcomes if each.round >= 0]
        left = max(0, 2 * len(set(measured)) - len(measured))
        done = {place(each) for each in self.outcomes if each.failure or not self.is_far(each)}
        waiting = [each for each in dict.fromkeys(map(place, self.far)) if each not in done]
        return waiting[:left]

    def line(self) -> str:
        """What the tables are headed with where the distance changed; else nothing."""
        if not self.far:
            return ""
        known = sum(1 for each in self.timed if ends(each))
        aside = sum(1 for each in self.far if group(each) not in self.scarce)
        apart = (
            f"{median(max(ends(each)) for each in self.far):.0f} ns apart (a cache line's round "
            f"trip), not {self.shortest:.0f}"
        )
        told = [f"{aside} of {known} runs are set aside: the processors lay {apart}."]
        if self.scarce:
            if not aside:
                told = [f"In {len(self.far)} of {known} runs the processors lay {apart}."]
            told.append(f"Fewer than {LEAST} were near, and all rounds count, of {self._names()}.")
        return " ".join(told)

    def _names(self) -> str:
        names = [f"{label} ({threads} threads)" for label, threads in sorted(self.scarce)]
        more = len(names) - NAMED
        return ", ".join([*names[:NAMED], *([f"{more} more"] if more > 0 else [])])
