# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`producer`: one thread creates all tasks: time per task, and what the others get of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Annotated

import typer

from xomp.bench.options import PEERS, Measuring
from xomp.bench.pages import Table, ratio_text, spread
from xomp.bench.rounds import series
from xomp.bench.run import Job, Outcome
from xomp.bench.session import compare_runtimes
from xomp.bench.stats import ratio, summarize
from xomp.bench.store import Results
from xomp.cli.options import OfMachine
from xomp.cli.values import whole, wholes
from xomp.shared import apps
from xomp.shared.machine import processors
from xomp.shared.runtimes import Runtime

DEFAULTS = Measuring(
    runtimes=(*PEERS, "xomp"),
    threads=OfMachine((processors(), 8, 64), "the processors, 8 and 64"),
    rounds=5,
    warmups=0,
)
SIZES = (0, 100, 1000, 10000)  # nanoseconds
WORK = 200_000_000  # nanoseconds in all, but no fewer and no more tasks than these
FEWEST, MOST = 20_000, 500_000


@dataclass(frozen=True)
class Options:
    sizes: Annotated[
        Sequence[int],
        typer.Option(parser=wholes(0), metavar="LIST", help="Nanoseconds of a task."),
    ] = SIZES
    tasks: Annotated[
        int,
        typer.Option(
            parser=whole(0),
            metavar="N",
            help=f"Of each size; 0: as many as take {WORK / 1e9:g} s, {FEWEST} to {MOST}.",
        ),
    ] = 0
    batches: Annotated[
        Sequence[int],
        typer.Option(
            parser=wholes(0),
            metavar="LIST",
            help="Tasks created at a time, all of which others run; 0: all in one loop.",
        ),
    ] = (0,)


def producer(context: typer.Context, options: Options, measuring: Measuring = DEFAULTS) -> int:
    return compare_runtimes(context, measuring, partial(jobs, options, measuring), tables)


def jobs(
    options: Options, measuring: Measuring, runtimes: Sequence[Runtime], skipped: dict
) -> list[Job]:
    del skipped
    program = apps.build("producer")
    return [
        Job(
            runtime,
            threads,
            program,
            (str(options.tasks or tasks_of(size)), str(size), str(batch)),
            measuring.limit,
        )
        for batch in options.batches
        for size in options.sizes
        for threads in measuring.threads
        for runtime in runtimes
    ]


def tasks_of(size: int) -> int:
    return min(max(WORK // max(size, 1), FEWEST), MOST)


def task_ns(outcome: Outcome) -> float:
    return outcome.record["seconds"] / outcome.record["tasks"] * 1e9


def others_share(outcome: Outcome) -> float:
    return outcome.record["others"] / outcome.record["tasks"]


def peak(outcome: Outcome) -> float:
    return outcome.record["peak_kb"] / 1024


def tables(results: Results) -> list[Table]:
    chosen, outcomes = results.jobs, results.outcomes
    values = {job.key: series(outcomes, job, task_ns) for job in chosen}

    def alike(job: Job) -> tuple:
        return int(job.arguments[2]), int(job.arguments[1]), job.threads

    baseline = {
        alike(job): values[job.key] for job in chosen if job.runtime.label == results.baseline
    }
    table = Table(
        "One producer: nanoseconds from the first task to the end of the last, divided by their "
        "number; the share of them that other threads ran; the peak of memory. Medians.",
        (
            *("batch", "a task's ns", "threads", "runtime", "runs", "ns per task", "quartiles"),
            *(f"x {results.baseline} [95%]", "run by others", "peak MB"),
        ),
    )
    for job in sorted(chosen, key=alike):
        batch, size, threads = alike(job)
        own = values[job.key]
        place = (str(batch or "all"), str(size), str(threads), job.runtime.label)
        if not own:
            table.rows.append((*place, "0", "failed", "-", "-", "-", "-"))
            continue
        summary = summarize(list(own.values()))
        share = median(series(outcomes, job, others_share).values())
        table.rows.append(
            (
                *place,
                str(summary.count),
                f"{summary.median:.1f}",
                spread(summary),
                ratio_text(ratio(own, baseline.get(alike(job), {}))),
                f"{share:.0%}",
                f"{median(series(outcomes, job, peak).values()):.1f}",
            )
        )
    return [table]
