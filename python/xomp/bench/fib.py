# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`fib`: what a task costs, in nanoseconds times threads, against the floor and a baseline."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from statistics import median

from xomp.bench import apps
from xomp.bench.report import markdown, ratio_text, spread
from xomp.bench.rounds import series
from xomp.bench.run import Job, Outcome
from xomp.bench.runtimes import Runtime
from xomp.bench.stats import ratio, summarize

NAME = "fib"
HELP = "time per task of recursive Fibonacci without cut-off"
RUNTIMES = "floor,libgomp,libomp,libiomp5,xomp"
ROUNDS = 15


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-n", type=int, default=27, help="which Fibonacci number (default 27)")
    parser.add_argument("--variant", choices=("both", "one", "untied"), default="both")
    parser.add_argument("--no-tbb", action="store_true", help="leave oneTBB out")


def task_ns(outcome: Outcome) -> float:
    record = outcome.record
    return record["seconds"] * record["threads"] / record["tasks"] * 1e9


def cpu_ns(outcome: Outcome) -> float:
    return outcome.record["cpu"] / outcome.record["tasks"] * 1e9


def tbb_job(options: argparse.Namespace, threads: int) -> Job:
    program = apps.build("fib_tbb")
    runtime = Runtime("oneTBB", program, None)
    return Job(runtime, threads, program, (str(options.n), str(threads)), options.limit)


def jobs(options: argparse.Namespace, runtimes: Sequence[Runtime], missing: dict) -> list[Job]:
    program = apps.build("plain/fib")
    arguments = (str(options.n), options.variant)
    chosen = [
        Job(runtime, threads, program, arguments, options.limit)
        for runtime in runtimes
        for threads in options.threads
        if runtime.label != "floor" or threads == options.threads[0]
    ]
    if not options.no_tbb:
        try:
            chosen += [tbb_job(options, threads) for threads in options.threads]
        except apps.BuildError as error:
            missing["oneTBB"] = f"{error} (Debian: libtbb-dev)"
    # The floor has one thread whatever it is asked for.
    return [
        Job(job.runtime, 1, job.program, job.arguments, job.limit)
        if job.runtime.label == "floor"
        else job
        for job in chosen
    ]


def tables(options: argparse.Namespace, chosen: Sequence[Job], outcomes: list[Outcome]) -> list:
    values = {job.key: series(outcomes, job, task_ns) for job in chosen}
    floor = next((values[job.key] for job in chosen if job.runtime.label == "floor"), {})
    cpu = {job.key: series(outcomes, job, cpu_ns) for job in chosen}
    cpu_floor = next((cpu[job.key] for job in chosen if job.runtime.label == "floor"), {})
    baseline = {
        job.threads: values[job.key] for job in chosen if job.runtime.label == options.baseline
    }
    rows = []
    for job in sorted(chosen, key=lambda job: job.threads):
        own = values[job.key]
        if not own:
            rows.append(
                (job.runtime.label, str(job.threads), "0", "failed", "-", "-", "-", "-", "-")
            )
            continue
        summary = summarize(list(own.values()))
        rows.append(
            (
                job.runtime.label,
                str(job.threads),
                str(summary.count),
                f"{summary.median:.2f}",
                spread(summary),
                ratio_text(ratio(own, floor)),
                ratio_text(ratio(own, baseline.get(job.threads, {}))),
                f"{median(cpu[job.key].values()):.2f}",
                ratio_text(ratio(cpu[job.key], cpu_floor)),
            )
        )
    header = ("runtime", "threads", "runs", "ns per task x threads", "quartiles", "x floor [95%]")
    return [
        f"Fibonacci of {options.n}, variant `{options.variant}`.",
        markdown((*header, f"x {options.baseline} [95%]", "CPU ns per task", "x floor's"), rows),
    ]
