# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`startup`: wall time from start to end, and memory, of a program with one empty region; how long
the first and the second region of a process take, and when other threads begin its first tasks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import typer

from xomp.bench.options import Measuring
from xomp.bench.pages import Table, ratio_text, spread
from xomp.bench.rounds import series
from xomp.bench.run import Job
from xomp.bench.session import compare_runtimes
from xomp.bench.stats import ratio, summarize
from xomp.bench.store import Results
from xomp.cli.options import OfMachine
from xomp.shared import apps
from xomp.shared.machine import processors
from xomp.shared.runtimes import Runtime

DEFAULTS = Measuring(
    runtimes=("floor", "libgomp", "libomp", "libiomp5", "xomp"),
    threads=OfMachine((processors(),), "the processors"),
    rounds=200,
)

# What is measured: the program's arguments, the table's title, the unit, and the value of a run.
MEASURES = (
    ((), "wall time", "ms", lambda outcome: outcome.usage["wall"] * 1e3),
    ((), "processor time", "ms", lambda o: (o.usage["user"] + o.usage["system"]) * 1e3),
    ((), "peak memory (ru_maxrss)", "kB", lambda outcome: outcome.usage["maxrss_kb"]),
    (("regions",), "first region", "us", lambda outcome: outcome.record["first_us"]),
    (("regions",), "second region", "us", lambda outcome: outcome.record["second_us"]),
    (
        ("tasks",),
        "first tasks, half of others",
        "us",
        lambda outcome: outcome.record["half_us"],
    ),
    (("tasks",), "first tasks, all others", "us", lambda outcome: outcome.record["all_us"]),
    (("memory",), "memory at the end (Rss)", "kB", lambda outcome: outcome.record["rss_kb"]),
    (("memory",), "of it, not from files", "kB", lambda outcome: outcome.record["anonymous_kb"]),
)
DIGITS = {"ms": 3, "us": 1, "kB": 0}


def startup(context: typer.Context, measuring: Measuring = DEFAULTS) -> int:
    return compare_runtimes(context, measuring, partial(jobs, measuring), tables)


def jobs(measuring: Measuring, runtimes: Sequence[Runtime], skipped: dict) -> list[Job]:
    del skipped
    program = apps.build("hello")
    # libgomp also as every program finds it, without the loader's search in LD_LIBRARY_PATH.
    plain = [
        Runtime(runtime.label + " (plain)", runtime.library, None)
        for runtime in runtimes
        if runtime.label == "libgomp"
    ]
    return [
        Job(runtime, threads, program, arguments, measuring.limit)
        for runtime in [*runtimes, *plain]
        for threads in measuring.threads
        for arguments in dict.fromkeys(arguments for arguments, *_ in MEASURES)
    ]


def measure_table(results: Results, arguments: tuple, title: str, unit: str, value) -> Table:
    group = [job for job in results.jobs if job.arguments == arguments]
    values = {job.key: series(results.outcomes, job, value) for job in group}
    baseline = {
        job.threads: values[job.key] for job in group if job.runtime.label == results.baseline
    }
    header = ("runtime", "threads", "runs", f"{title}, {unit}", "quartiles")
    table = Table(f"Hello: {title}.", (*header, f"x {results.baseline} [95%]"))
    for job in sorted(group, key=lambda job: job.threads):
        own = values[job.key]
        place = (job.runtime.label, str(job.threads))
        if not own:
            table.rows.append((*place, "0", "failed", "-", "-"))
            continue
        summary = summarize(list(own.values()))
        comparison = ratio(own, baseline.get(job.threads, {})) if summary.median else None
        shown = f"{summary.median:.{DIGITS[unit]}f}"
        table.rows.append(
            (*place, str(summary.count), shown, spread(summary), ratio_text(comparison))
        )
    return table


def tables(results: Results) -> list[Table]:
    return [measure_table(results, *measure) for measure in MEASURES]
