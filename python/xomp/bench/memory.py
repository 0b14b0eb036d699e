# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`memory`: what a runtime occupies before the first task, and while one loop creates many."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from xomp.bench import apps
from xomp.bench.machine import processors
from xomp.bench.report import Table
from xomp.bench.rounds import series
from xomp.bench.run import Job
from xomp.bench.runtimes import Runtime
from xomp.bench.stats import summarize
from xomp.bench.store import Results

NAME = "memory"
HELP = "memory before the first task, and while one loop creates many"
TOPOLOGY = "XOMP_TOPOLOGY=numa:8 core:24 pu:1"  # 192 workers in eight domains
RUNTIMES = f"libgomp,libomp,libiomp5,xomp,xomp@{TOPOLOGY}"
ROUNDS = 3
THREADS = [processors(), 192]
DEFAULTS = {"warmups": 0}
TASKS = 100_000_000
FEWER = 100  # times, on the peers and with more threads than processors: else it takes minutes


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tasks",
        type=int,
        default=TASKS,
        help=f"on xomp with no more threads than processors (default {TASKS}); else 1/{FEWER}",
    )


def jobs(options: argparse.Namespace, runtimes: Sequence[Runtime], skipped: dict) -> list[Job]:
    del skipped
    program = apps.build("memory")
    return [
        Job(runtime, threads, program, (str(tasks_for(runtime, threads, options)),), options.limit)
        for runtime in runtimes
        for threads in options.threads
    ]


def tasks_for(runtime: Runtime, threads: int, options: argparse.Namespace) -> int:
    all_of_them = runtime.label.partition("@")[0] == "xomp" and threads <= processors()
    return options.tasks if all_of_them else options.tasks // FEWER


def tables(results: Results) -> list[Table]:
    table = Table(
        "Memory: what is not from files, before the first region and before the first task, and "
        "the peak of everything; medians, MB.",
        ("runtime", "threads", "runs", "before the region", "before the task", "tasks", "peak"),
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
