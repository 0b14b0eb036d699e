# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`startup`: wall time from start to end, and memory, of a program with one empty region."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from xomp.bench import apps
from xomp.bench.report import markdown, processors, ratio_text, spread
from xomp.bench.rounds import series
from xomp.bench.run import Job, Outcome
from xomp.bench.runtimes import Runtime
from xomp.bench.stats import ratio, summarize

NAME = "startup"
HELP = "wall time and memory of a hello-world region"
RUNTIMES = "floor,libgomp,libomp,libiomp5,xomp"
ROUNDS = 200
THREADS = [processors()]

# What is measured: the program's arguments, the table's title, the unit, and the value of a run.
MEASURES = (
    ((), "wall time", "ms", lambda outcome: outcome.usage["wall"] * 1e3),
    ((), "processor time", "ms", lambda o: (o.usage["user"] + o.usage["system"]) * 1e3),
    ((), "peak memory (ru_maxrss)", "kB", lambda outcome: outcome.usage["maxrss_kb"]),
    (("memory",), "memory at the end (Rss)", "kB", lambda outcome: outcome.record["rss_kb"]),
    (("memory",), "of it, not from files", "kB", lambda outcome: outcome.record["anonymous_kb"]),
)


def add_options(parser: argparse.ArgumentParser) -> None:
    del parser


def jobs(options: argparse.Namespace, runtimes: Sequence[Runtime], missing: dict) -> list[Job]:
    del missing
    program = apps.build("hello")
    # libgomp also as every program finds it, without the loader's search in LD_LIBRARY_PATH.
    plain = [
        Runtime(runtime.label + " (plain)", runtime.library, None)
        for runtime in runtimes
        if runtime.label == "libgomp"
    ]
    return [
        Job(runtime, threads, program, arguments, options.limit)
        for runtime in [*runtimes, *plain]
        for threads in options.threads
        for arguments in ((), ("memory",))
    ]


def tables(options: argparse.Namespace, chosen: Sequence[Job], outcomes: list[Outcome]) -> list:
    parts = []
    for arguments, title, unit, value in MEASURES:
        group = [job for job in chosen if job.arguments == arguments]
        values = {job.key: series(outcomes, job, value) for job in group}
        baseline = {
            job.threads: values[job.key] for job in group if job.runtime.label == options.baseline
        }
        rows = []
        for job in sorted(group, key=lambda job: job.threads):
            own = values[job.key]
            if not own:
                rows.append((job.runtime.label, str(job.threads), "0", "failed", "-", "-"))
                continue
            summary = summarize(list(own.values()))
            comparison = ratio(own, baseline.get(job.threads, {})) if summary.median else None
            rows.append(
                (
                    job.runtime.label,
                    str(job.threads),
                    str(summary.count),
                    f"{summary.median:.3f}" if unit == "ms" else f"{summary.median:.0f}",
                    spread(summary),
                    ratio_text(comparison),
                )
            )
        header = ("runtime", "threads", "runs", f"{title}, {unit}", "quartiles")
        parts.append(markdown((*header, f"x {options.baseline} [95%]"), rows))
    return parts
