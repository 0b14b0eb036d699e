# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows how far a benchmark is: a bar on a terminal with rich, otherwise a line now and then.

The time left is the sum, over the runs that are left, of what the same job took before.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from statistics import mean
from types import ModuleType

from xomp.bench.run import Job, Outcome
from xomp.shared.progress import Pause, bar

QUIET_SECONDS = 10.0  # between two lines where there is no terminal


def as_clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def columns(rich: ModuleType) -> tuple:
    described = rich.TextColumn("{task.description}", markup=False)
    return rich.BarColumn(), rich.MofNCompleteColumn(), described


class Progress:
    def __init__(self, jobs: Sequence[Job], rounds: int, earlier: Iterable[Outcome] = ()) -> None:
        """`rounds` counts warm-ups too; runs of `earlier` are done already."""
        self.total = len(jobs) * rounds
        self.left = {job.key: rounds for job in jobs}
        self.took: dict[tuple, float] = {}
        self.done = 0
        for outcome in earlier:
            self.finished(outcome)
        self.pause = Pause(QUIET_SECONDS)
        self.bar = self.task = None

    def __enter__(self) -> Progress:
        self.bar = bar(columns, transient=True)
        if self.bar is not None:
            self.bar.start()
            self.task = self.bar.add_task("", total=self.total)
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    def seconds_left(self) -> float | None:
        """None as long as nothing is known."""
        if not self.took:
            return None
        usual = mean(self.took.values())
        return sum(count * self.took.get(key, usual) for key, count in self.left.items())

    def __call__(self, job: Job) -> None:
        """A job is about to run. There are more runs than planned where some are repeated."""
        self.total = max(self.total, self.done + 1)
        left = self.seconds_left()
        text = f"{as_clock(left)} left, " if left is not None else ""
        text += job.describe()
        if self.bar is not None:
            self.bar.update(self.task, completed=self.done, total=self.total, description=text)
        elif self.pause.is_over:
            print(f"  run {self.done + 1} of at most {self.total}, {text}", file=sys.stderr)
            self.pause.begin()

    def finished(self, outcome: Outcome) -> None:
        """A run has ended. One that failed may not be tried again, but that is little."""
        key = outcome.job.key
        self.done += 1
        self.left[key] = max(0, self.left.get(key, 0) - 1)
        self.took[key] = outcome.usage.get("wall", outcome.job.limit)
