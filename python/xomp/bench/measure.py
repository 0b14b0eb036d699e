# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Carries a plan out: runs its jobs in interleaved rounds and keeps every run on file at once."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from xomp.bench import store
from xomp.bench.beside import computing
from xomp.bench.distance import Distances
from xomp.bench.progress import Progress
from xomp.bench.rounds import interleave
from xomp.bench.run import Job, Outcome
from xomp.bench.surroundings import surroundings
from xomp.errors import BadInputError, InterruptedCommandError
from xomp.shared.paths import BENCH
from xomp.shared.runtimes import Runtime

RESULTS = BENCH / "results"


@dataclass
class Plan:
    """What is to be run. `skipped` says what is left out, and why."""

    jobs: list[Job]
    rounds: int = 7
    warmups: int = 1
    seed: int = 1
    budget: float | None = None  # seconds, after which no further round begins
    baseline: str = "libgomp"
    skipped: dict[str, str] = field(default_factory=dict)
    beside: int = 0  # processes that compute meanwhile

    @property
    def runtimes(self) -> list[Runtime]:
        return list({job.runtime.label: job.runtime for job in self.jobs}.values())

    def head(self, arguments: Sequence[str]) -> dict:
        return {
            **surroundings(arguments),
            "runtimes": [runtime.describe() for runtime in self.runtimes],
            "skipped": self.skipped,
            "baseline": self.baseline,
            "rounds": self.rounds,
            "warmups": self.warmups,
            "seed": self.seed,
            "beside": self.beside,
            "fingerprint": store.fingerprint(
                self.jobs, self.rounds, self.warmups, self.seed, self.beside
            ),
            "jobs": [store.identity_of(job) for job in self.jobs],
        }


# Runs the jobs of a plan and tells each outcome to `record`; see rounds.interleave, sweep.on_parsl.
Executor = Callable[..., list[Outcome]]


def new_path(arguments: Sequence[str], head: dict) -> Path:
    """A file that nobody else writes: commands may begin in the same second."""
    stamp = head["time"].replace(":", "").replace("-", "")
    try:
        RESULTS.mkdir(parents=True, exist_ok=True)
        for number in count(1):
            suffix = f"-{number}" if number > 1 else ""
            path = RESULTS / f"{arguments[0]}-{stamp}{suffix}.jsonl"
            with suppress(FileExistsError):
                path.touch(exist_ok=False)
                break
    except OSError as error:
        raise BadInputError(f"cannot write to {RESULTS}: {error.strerror}") from error
    return path


def find_earlier(head: dict, output: Path | None) -> store.Results | None:
    """What a run with the same plan left behind, in that file or in the folder of results."""
    path = output or store.newest_unfinished(RESULTS, head["fingerprint"])
    if path is None or not path.exists():
        where = f"in {output}" if output else "among the results"
        print(f"nothing to resume {where}: starting anew", file=sys.stderr)
        return None
    earlier = store.read(path)
    store.check_resumable(earlier, head)
    return earlier


def warn_of_changes(plan: Plan, head: dict) -> None:
    now = [runtime.describe() for runtime in plan.runtimes]
    for before, after in zip(head["runtimes"], now, strict=True):
        if before != after:
            print(f"warning: {after['library']} changed while it was measured", file=sys.stderr)


def measure(
    plan: Plan,
    arguments: Sequence[str],
    output: Path | None = None,
    resume: bool = False,
    execute: Executor = interleave,
) -> store.Results:
    """Runs the plan; the results are also in a file, which `resume` continues."""
    head = plan.head(arguments)
    earlier = find_earlier(head, output) if resume else None
    path = earlier.path if earlier else output or new_path(arguments, head)
    known = earlier.every if earlier else []
    writer = store.Writer(path, head, earlier)
    started = time.monotonic()
    try:
        with (
            computing(plan.beside),
            Progress(plan.jobs, plan.rounds + plan.warmups, known) as progress,
        ):

            def record(outcome: Outcome, host: str | None = None) -> None:
                writer.add(outcome, host)
                progress.finished(outcome)

            outcomes = execute(
                plan.jobs,
                plan.rounds,
                plan.warmups,
                plan.seed,
                budget=plan.budget,
                progress=progress,
                record=record,
                earlier=known,
            )
        writer.finish(seconds=round(time.monotonic() - started, 3))
    except KeyboardInterrupt:
        raise InterruptedCommandError(
            f"interrupted; the same command with --resume goes on in {path}"
        ) from None
    finally:
        writer.close()
    warn_of_changes(plan, head)
    whole_head = earlier.head if earlier else head
    counted = Distances(outcomes).counted()
    return store.Results(path, whole_head, counted, finished=True, every=outcomes)
