# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`micro`: what each construct costs, one column per runtime."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from xomp.bench import apps
from xomp.bench.report import digits, markdown, ratio_text
from xomp.bench.rounds import series
from xomp.bench.run import Job, Outcome
from xomp.bench.runtimes import Runtime
from xomp.bench.stats import ratio, summarize

NAME = "micro"
HELP = "overhead of each construct"
RUNTIMES = "libgomp,libomp,libiomp5,xomp"
ROUNDS = 7


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("constructs", nargs="*", help="only these (default: all)")


def jobs(options: argparse.Namespace, runtimes: Sequence[Runtime], missing: dict) -> list[Job]:
    del missing
    program = apps.build("micro")
    arguments = tuple(options.constructs)
    return [
        Job(runtime, threads, program, arguments, options.limit)
        for runtime in runtimes
        for threads in options.threads
    ]


def cost_of(construct: str) -> Callable[[Outcome], float]:
    return lambda outcome: next(
        record["ns"] for record in outcome.records if record["construct"] == construct
    )


def tables(options: argparse.Namespace, chosen: Sequence[Job], outcomes: list[Outcome]) -> list:
    good = [outcome for outcome in outcomes if outcome.failure is None]
    names = [record["construct"] for record in good[0].records] if good else []
    parts = []
    for threads in options.threads:
        group = [job for job in chosen if job.threads == threads]
        base = next((job for job in group if job.runtime.label == options.baseline), None)
        others = [job for job in group if job is not base]
        rows = []
        for name in names:
            cost = cost_of(name)
            values = {job.key: series(good, job, cost) for job in group}
            medians = [
                digits(summarize(list(values[job.key].values())).median)
                if values[job.key]
                else "failed"
                for job in group
            ]
            ratios = [
                ratio_text(ratio(values[job.key], values[base.key])) for job in others if base
            ]
            rows.append((name, *medians, *ratios))
        header = ["construct", *(job.runtime.label for job in group)]
        if base:
            header += [f"{job.runtime.label} / {options.baseline} [95%]" for job in others]
        parts += [f"Nanoseconds per construct, {threads} threads.", markdown(header, rows)]
    return parts
