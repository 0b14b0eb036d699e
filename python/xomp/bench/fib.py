# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`fib`: what a task costs, in nanoseconds times threads, against the floor and a baseline."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from statistics import median

from xomp.bench import apps, plan
from xomp.bench.report import Table, ratio_text, spread
from xomp.bench.rounds import series
from xomp.bench.run import Job, Outcome
from xomp.bench.runtimes import TASKING, Runtime
from xomp.bench.stats import ratio, summarize
from xomp.bench.store import Results

NAME = "fib"
HELP = "time per task of recursive Fibonacci without cut-off, beside the floor"
RUNTIMES = "floor,libgomp,libomp,libiomp5,xomp"
ROUNDS = 15


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-n", type=int, default=27, help="which Fibonacci number (default 27)")
    parser.add_argument("--variant", choices=("tied", "one", "untied"), default="tied")
    parser.add_argument("--no-scale", action="store_true", help="leave the other libraries out")


def jobs(options: argparse.Namespace, runtimes: Sequence[Runtime], skipped: dict) -> list[Job]:
    names = [f"fib:{options.variant}"]
    if not options.no_scale:
        names += [f"fib-{library}" for library in TASKING if f"fib-{library}" in apps.discover()]
    found = plan.select(names, settings={"n": [str(options.n)]})
    skipped.update(found.skipped | found.broken)
    return plan.jobs(found.cases, runtimes, options.threads, options.limit, skipped)


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
    return [table]
