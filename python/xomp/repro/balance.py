# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the work is spread over the threads, by xomp's own log or by samples from outside: the load
balance error of paper 4, section 3.1, and the time of each thread by what it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import mean, median

from xomp.bench.run import Outcome
from xomp.repro.model import Claim, Stacks, Table
from xomp.repro.plan import Measured, Run
from xomp.repro.probes import by_thread, can_sample, through, told
from xomp.shared.parts import PARTS
from xomp.shared.text import rounded

KINDS = ("work", "runtime", "heap")
NAMES = {
    "work": PARTS["work"].name,
    "runtime": PARTS["overhead"].name,
    "heap": "allocation of memory",
}
IDLE, KEPT_OFF = PARTS["idle"].name, PARTS["kept_off"].name
# What these are in xomp's log, which does not tell who allocates memory.
STATES = {"work": ("work",), "runtime": ("create", "schedule", "fork", "mutex"), "heap": ()}
SAMPLED = "sampled"  # the tag of what is seen from outside as well
NOTE = (
    "By the log of each run (XOMP_PERFLOG), the timed part only: work is the program's code, the "
    "making of records in it included, which is most of it where tasks are as small as those of "
    "Fibonacci; overhead is the creation of tasks, the search for them, and the begin and end of "
    "regions and waits. Kept off is time in which a thread had something to do, and other programs "
    "had the processors; idle is the rest.",
    f"Rows and plots marked `{SAMPLED}` show the same by the other instrument. By perf's samples "
    "of the processor clock, every 0.5 ms: work is code of the program, overhead the OpenMP "
    "library (with its waiting), allocation of memory the allocator; idle is the rest, also the "
    "time in which other programs had the processors. The profiler slows the run down. Few samples "
    "make the shares of a short run uncertain.",
)
FEW_SAMPLES = 0.05  # seconds of samples per thread, that is a hundred


def sampled(run: Run) -> list[Run]:
    """The same from outside, if there is a profiler."""
    again = replace(run, tag=SAMPLED)
    return [through(again, "sampled", str(run.job.runtime.library))] if can_sample() else []


def seconds(outcome: Outcome, kind: str) -> list[float]:
    """By thread; a thread that never had the processor was never sampled."""
    line = told(outcome, "timed")
    if line:
        states = [by_thread(line, state) for state in STATES[kind]]
        values = [sum(each) for each in zip(*states, strict=True)]
    else:
        values = by_thread(told(outcome, "threads"), kind)
    return values + [0.0] * (outcome.job.threads - len(values))


def kept_off(outcome: Outcome) -> list[float]:
    """By thread; samples do not tell it."""
    values = by_thread(told(outcome, "timed"), "kept_off")
    return values + [0.0] * (outcome.job.threads - len(values))


def error(outcome: Outcome) -> float:
    """lambda = max(c) / mean(c) - 1, c the time of each thread in tasks."""
    work = seconds(outcome, "work")
    return max(work) / mean(work) - 1 if sum(work) > 0 else float("nan")


def enough(outcome: Outcome) -> bool:
    """Whether there are enough samples to say something; a log is exact."""
    if told(outcome, "timed"):
        return True
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
        words = {"app": run.app, "config": run.config, "tag": run.tag}
        outcomes = counted(measured, **words)
        name = f"{run.config}, {run.tag}" if run.tag else run.config
        if not outcomes:
            rows.append([run.app, name, str(run.threads), *("-",) * 6])
            continue
        wall = [each.record["seconds"] * run.threads for each in outcomes]
        shares = [
            median(sum(seconds(o, kind)) / all_ for o, all_ in zip(outcomes, wall, strict=True))
            for kind in KINDS
        ]
        off = [sum(kept_off(o)) / all_ for o, all_ in zip(outcomes, wall, strict=True)]
        logs = any(told(o, "timed") for o in outcomes)
        cells = [*(f"{share:.0%}" for share in shares), f"{median(off):.0%}" if logs else "-"]
        found = errors(measured, **words)
        row = [run.app, name, str(run.threads), *cells]
        row += [rounded(median(found)), f"{rounded(min(found))} to {rounded(max(found))}"]
        rows.append(row)
    header = [
        "application",
        "configuration",
        "threads",
        *NAMES.values(),
        KEPT_OFF,
        "lambda (median)",
        "range",
    ]
    return Table(title, header, rows)


def stacks(measured: Measured, title: str, **words: object) -> Stacks:
    """Of the run in the middle."""
    outcome = typical(counted(measured, **words))
    if outcome is None:
        return Stacks(title, "seconds", [], {})
    parts = {name: seconds(outcome, kind) for kind, name in NAMES.items()}
    if told(outcome, "timed"):
        parts[KEPT_OFF] = kept_off(outcome)
    wall = outcome.record["seconds"]
    parts[IDLE] = [max(0.0, wall - sum(each)) for each in zip(*parts.values(), strict=True)]
    threads = [f"{thread}" for thread in range(outcome.job.threads)]
    return Stacks(title, "seconds by thread", threads, parts)


def uneven(measured: Measured, text: str, least: float = 0.1, **words: object) -> Claim:
    """A claim that the busiest thread works at least a tenth more than the mean."""
    found = errors(measured, **words)
    if not found:
        return Claim(text, None, "nothing was measured, or too few samples")
    evidence = f"lambda {', '.join(map(rounded, sorted(found)))}"
    holds = True if min(found) > least else False if max(found) < least else None
    return Claim(text, holds, evidence)
