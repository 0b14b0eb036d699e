# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`memory`: what a runtime occupies before the first task, and while one loop creates many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import typer

from xomp.bench.options import PEERS, Measuring
from xomp.bench.pages import Table
from xomp.bench.rounds import interleave, series
from xomp.bench.run import Job, run
from xomp.bench.session import compare_runtimes
from xomp.bench.stats import summarize
from xomp.bench.store import Results
from xomp.cli.options import OfMachine
from xomp.cli.values import whole
from xomp.shared import apps
from xomp.shared.machine import processors
from xomp.shared.runtimes import Runtime

TOPOLOGY = "XOMP_TOPOLOGY=numa:8 core:24 pu:1"  # 192 workers in eight domains
DEFAULTS = Measuring(
    runtimes=(*PEERS, f"xomp@{TOPOLOGY}"),
    threads=OfMachine((processors(), 192), "the processors and 192"),
    rounds=3,
    warmups=0,
)
TASKS = 100_000_000
FEWER = 100  # times, on the peers and with more threads than processors: else it takes minutes


@dataclass(frozen=True)
class Options:
    tasks: Annotated[
        int,
        typer.Option(
            parser=whole(),
            metavar="N",
            help=f"On xomp with no more threads than processors; else 1/{FEWER}.",
        ),
    ] = TASKS


def memory(context: typer.Context, options: Options, measuring: Measuring = DEFAULTS) -> int:
    execute = partial(interleave, launch=run)  # distance between processors changes no memory
    return compare_runtimes(context, measuring, partial(jobs, options, measuring), tables, execute)


def jobs(
    options: Options, measuring: Measuring, runtimes: Sequence[Runtime], skipped: dict
) -> list[Job]:
    del skipped
    program = apps.build("memory")
    return [
        Job(
            runtime,
            threads,
            program,
            (str(tasks_for(runtime, threads, options.tasks)),),
            measuring.limit,
        )
        for runtime in runtimes
        for threads in measuring.threads
    ]


def tasks_for(runtime: Runtime, threads: int, tasks: int) -> int:
    all_of_them = runtime.label.partition("@")[0] == "xomp" and threads <= processors()
    return tasks if all_of_them else tasks // FEWER


def tables(results: Results) -> list[Table]:
    table = Table(
        "Memory: what is not from files, before the first region and before the first task, and "
        "the peak of everything; medians, MB.",
        ("runtime", "threads", "runs", "before the region", "before the task", "tasks", "peak"),
        summary=True,
    )
    for job in sorted(results.jobs, key=lambda job: job.threads):
        place = (job.runtime.label, str(job.threads))
        cells = []
        for name in ("empty_kb", "before_kb", "peak_kb"):
            values = series(results.outcomes, job, lambda outcome, name=name: outcome.record[name])
            cells.append(f"{summarize(list(values.values())).median / 1024:.1f}" if values else "-")
        runs = len(series(results.outcomes, job, lambda outcome: 0))
        table.rows.append((*place, str(runs), *cells[:2], job.arguments[0], cells[2]))
    return [table]
