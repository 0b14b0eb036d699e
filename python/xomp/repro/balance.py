# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the work is spread over the threads, by sampling from outside: the load balance error of
paper 4, section 3.1, and the time of each thread by what it did (paper 1, Fig. 3)."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, median

from xomp.bench.report import digits
from xomp.bench.run import Outcome
from xomp.repro import compare
from xomp.repro.model import Claim, Stacks, Table
from xomp.repro.plan import Measured, Run
from xomp.repro.probes import through, told

KINDS = ("work", "runtime", "heap")
NOTE = (
    "By perf's samples of the processor clock, every 0.5 ms: work is code of the program, runtime "
    "the OpenMP library (with its waiting), heap the allocator; idle is the rest of the time, also "
    "that in which other programs had the processor. The "
    "profiler slows the run down. Few samples make the shares of a short run uncertain."
)
FEW_SAMPLES = 0.05  # seconds of samples per thread, that is a hundred


def sampled(run: Run) -> Run:
    return through(run, "sampled", str(run.job.runtime.library))


def seconds(outcome: Outcome, kind: str) -> list[float]:
    """By thread; a thread that never had the processor was never sampled."""
    found = told(outcome, "threads").get(kind, "")
    values = [float(part) for part in str(found).split(",") if part]
    return values + [0.0] * (outcome.job.threads - len(values))


def error(outcome: Outcome) -> float:
    """lambda = max(c) / mean(c) - 1, c the time of each thread in tasks."""
    work = seconds(outcome, "work")
    return max(work) / mean(work) - 1 if sum(work) > 0 else float("nan")


def enough(outcome: Outcome) -> bool:
    """Whether there are enough samples to say something."""
    return sum(sum(seconds(outcome, kind)) for kind in KINDS) >= FEW_SAMPLES


def counted(measured: Measured, **words: object) -> list[Outcome]:
    """The measured runs that have enough samples."""
    keys = {run.job.key for run in measured.find(**words)}
    return [
        outcome
        for outcome in measured.outcomes
        if outcome.job.key in keys
        and outcome.round >= 0
        and outcome.failure is None
        and enough(outcome)
        and sum(seconds(outcome, "work")) > 0
    ]


def errors(measured: Measured, **words: object) -> list[float]:
    return [error(outcome) for outcome in counted(measured, **words)]


def typical(outcomes: Sequence[Outcome]) -> Outcome | None:
    """The run in the middle, by its load balance error."""
    ranked = sorted(outcomes, key=error)
    return ranked[len(ranked) // 2] if ranked else None


def table(measured: Measured, title: str) -> Table:
    rows = []
    for run in measured.runs:
        if run.job.program.name != "sampled.py":
            continue
        words = {"app": run.app, "config": run.config, "tag": run.tag}
        outcomes = counted(measured, **words)
        if not outcomes:
            rows.append([run.app, run.config, str(run.threads), *("-",) * 5])
            continue
        wall = [each.record["seconds"] * run.threads for each in outcomes]
        shares = [
            median(sum(seconds(o, kind)) / all_ for o, all_ in zip(outcomes, wall, strict=True))
            for kind in KINDS
        ]
        found = errors(measured, **words)
        row = [run.app, run.config, str(run.threads), *(f"{share:.0%}" for share in shares)]
        row += [digits(median(found)), f"{digits(min(found))} to {digits(max(found))}"]
        rows.append(row)
    header = ["application", "configuration", "threads", *KINDS, "lambda (median)", "range"]
    return Table(title, header, rows)


def stacks(measured: Measured, title: str, **words: object) -> Stacks:
    """Of the run in the middle."""
    outcome = typical(counted(measured, **words))
    if outcome is None:
        return Stacks(title, "seconds", [], {})
    parts = {kind: seconds(outcome, kind) for kind in KINDS}
    wall = outcome.record["seconds"]
    parts["idle"] = [max(0.0, wall - sum(each)) for each in zip(*parts.values(), strict=True)]
    threads = [f"{thread}" for thread in range(outcome.job.threads)]
    return Stacks(title, "seconds by thread", threads, parts)


def uneven(measured: Measured, text: str, least: float = 0.1, **words: object) -> Claim:
    """A claim that the busiest thread works at least a tenth more than the mean."""
    found = errors(measured, **words)
    if not found:
        return Claim(text, None, "too few samples: a larger --size is needed")
    evidence = f"lambda {', '.join(map(digits, sorted(found)))}"
    holds = True if min(found) > least else False if max(found) < least else None
    return compare.believed(measured, Claim(text, holds, evidence))
