# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`fib`: what a task costs, in nanoseconds times threads, against the floor and a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Annotated, Literal

import typer

from xomp.bench import plan
from xomp.bench.options import Compiler, Measuring
from xomp.bench.pages import Table, ratio_text, spread
from xomp.bench.rounds import series
from xomp.bench.run import Job, Outcome
from xomp.bench.session import compare_runtimes
from xomp.bench.stats import ratio, summarize
from xomp.bench.store import Results
from xomp.cli.values import whole
from xomp.shared import apps
from xomp.shared.runtimes import TASKING, Runtime
from xomp.shared.text import rounded

DEFAULTS = Measuring(runtimes=("floor", "libgomp", "libomp", "libiomp5", "xomp"), rounds=15)
LEAST = 2  # the first Fibonacci number that takes tasks


@dataclass(frozen=True)
class Options:
    n: Annotated[
        int,
        typer.Option("-n", parser=whole(LEAST), metavar="N", help="Which Fibonacci number."),
    ] = 27
    variant: Annotated[Literal["tied", "one", "untied"], typer.Option(help="Of the tasks.")] = (
        "tied"
    )
    compiler: Compiler = "gcc"
    no_scale: Annotated[
        bool, typer.Option("--no-scale", help="Leave the other libraries of tasks out.")
    ] = False


def fib(context: typer.Context, options: Options, measuring: Measuring = DEFAULTS) -> int:
    return compare_runtimes(context, measuring, partial(jobs, options, measuring), tables)


def jobs(
    options: Options, measuring: Measuring, runtimes: Sequence[Runtime], skipped: dict
) -> list[Job]:
    names = [f"fib:{options.variant}"]
    if not options.no_scale and options.compiler == "gcc":
        names += [f"fib-{library}" for library in TASKING if f"fib-{library}" in apps.discover()]
    found = plan.select(names, settings={"n": [str(options.n)]}, compilers=[options.compiler])
    skipped.update(found.skipped | found.broken)
    return plan.jobs(found.cases, runtimes, measuring.threads, measuring.limit, skipped)


def task_ns(outcome: Outcome) -> float:
    record = outcome.record
    return record["seconds"] * record["threads"] / record["tasks"] * 1e9


def cpu_ns(outcome: Outcome) -> float:
    return outcome.record["cpu"] / outcome.record["tasks"] * 1e9


def tables(results: Results) -> list[Table]:
    chosen, outcomes = results.jobs, results.outcomes
    values = {job.key: series(outcomes, job, task_ns) for job in chosen}
    cpu = {job.key: series(outcomes, job, cpu_ns) for job in chosen}
    on_floor = next((job.key for job in chosen if job.runtime.label == "floor"), None)
    floor, cpu_floor = values.get(on_floor, {}), cpu.get(on_floor, {})
    baseline = {
        job.threads: values[job.key] for job in chosen if job.runtime.label == results.baseline
    }
    header = ("runtime", "threads", "runs", "ns per task x threads", "quartiles", "x floor [95%]")
    table = Table(
        f"Cost of a task of {chosen[0].label}.",
        (*header, f"x {results.baseline} [95%]", "CPU ns per task", "x floor's"),
    )
    for job in sorted(chosen, key=lambda job: job.threads):
        own = values[job.key]
        place = (job.runtime.label, str(job.threads))
        if not own:
            table.rows.append((*place, "0", "failed", "-", "-", "-", "-", "-"))
            continue
        summary = summarize(list(own.values()))
        table.rows.append(
            (
                *place,
                str(summary.count),
                f"{summary.median:.2f}",
                spread(summary),
                ratio_text(ratio(own, floor)),
                ratio_text(ratio(own, baseline.get(job.threads, {}))),
                f"{median(cpu[job.key].values()):.2f}",
                ratio_text(ratio(cpu[job.key], cpu_floor)),
            )
        )
    return [_short(chosen, values, floor), table]


def _short(chosen: Sequence[Job], values: dict[tuple, dict], floor: dict) -> Table:
    """One row per runtime, whatever the numbers of threads."""
    counts = sorted({job.threads for job in chosen})
    known = {(job.runtime.label, job.threads): values[job.key] for job in chosen}
    table = Table(
        f"A task of {chosen[0].label} by threads: ns x threads{', x floor' if floor else ''}.",
        ("runtime", *map(str, counts)),
        summary=True,
    )

    def cell(own: dict) -> str:
        beside = ratio(own, floor) if own else None
        cost = f"{summarize(list(own.values())).median:.2f}" if own else "-"
        return f"{cost}, {rounded(beside.value)}" if beside else cost

    for label in dict.fromkeys(job.runtime.label for job in chosen):
        table.rows.append((label, *(cell(known.get((label, count), {})) for count in counts)))
    return table
