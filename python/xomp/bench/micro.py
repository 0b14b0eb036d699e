# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`micro`: what each construct costs, one column per runtime."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import inf
from statistics import median
from typing import Annotated

import typer

from xomp.bench import plan
from xomp.bench.means import NOISE, geometric, is_peer
from xomp.bench.options import Compiler, Measuring
from xomp.bench.pages import Table, ratio_text
from xomp.bench.rounds import series
from xomp.bench.run import Job, Outcome
from xomp.bench.session import compare_runtimes
from xomp.bench.stats import ratio, summarize
from xomp.bench.store import Results
from xomp.shared.runtimes import Runtime
from xomp.shared.text import rounded


def micro(
    context: typer.Context,
    measuring: Measuring,
    constructs: Annotated[
        list[str] | None,
        typer.Argument(metavar="CONSTRUCT", help="Only these.", show_default="all"),
    ] = None,
    compiler: Compiler = "gcc",
) -> int:
    planned = partial(jobs, constructs or (), compiler, measuring)
    return compare_runtimes(context, measuring, planned, tables)


def jobs(
    constructs: Sequence[str],
    compiler: str,
    measuring: Measuring,
    runtimes: Sequence[Runtime],
    skipped: dict,
) -> list[Job]:
    return [
        Job(runtime, threads, program, tuple(constructs), measuring.limit)
        for runtime, program in plan.able("micro", compiler, runtimes, skipped)
        for threads in measuring.threads
    ]


def costs(results: Results, job: Job, construct: str) -> dict[int, float]:
    """By round; empty where the runtime has no such construct."""

    def cost(outcome: Outcome) -> float | None:
        found = (each["ns"] for each in outcome.records if each["construct"] == construct)
        return next(found, None)

    found = series(results.outcomes, job, cost)
    return {index: value for index, value in found.items() if value is not None}


def table_for(results: Results, group: Sequence[Job], names: Sequence[str]) -> Table:
    """One row per construct: each runtime's median, then the ratios to the baseline."""
    base = next((job for job in group if job.runtime.label == results.baseline), None)
    others = [job for job in group if job is not base]
    header = ["construct", *(job.runtime.label for job in group)]
    if base:
        header += [f"{job.runtime.label} / {results.baseline} [95%]" for job in others]
    count = group[0].threads
    title = f"Nanoseconds per construct, {count} {'thread' if count == 1 else 'threads'}."
    table = Table(title, header)
    without = {job.key: "-" if series(results.outcomes, job, bool) else "failed" for job in group}
    for name in names:
        values = {job.key: costs(results, job, name) for job in group}
        medians = [
            rounded(summarize(list(values[job.key].values())).median)
            if values[job.key]
            else without[job.key]
            for job in group
        ]
        ratios = [ratio_text(ratio(values[job.key], values[base.key])) for job in others if base]
        table.rows.append((name, *medians, *ratios))
    return table


def tables(results: Results) -> list[Table]:
    good = [outcome.records for outcome in results.outcomes if outcome.failure is None]
    names = [record["construct"] for record in max(good, key=len, default=[])]
    if not names:
        return []
    counts = sorted({job.threads for job in results.jobs})
    groups = [[job for job in results.jobs if job.threads == threads] for threads in counts]
    return [
        *(table_for(results, group, names) for group in groups),
        beside_best(results, groups, names),
    ]


def beside_best(results: Results, groups: Sequence[Sequence[Job]], names: Sequence[str]) -> Table:
    """xomp's medians over those of the best peer, construct by construct."""
    table = Table(
        f"Constructs with at most {NOISE} times the time of the best peer.",
        ("runtime", "threads", "within", "geometric mean", "the others, slowest first"),
        summary=True,
    )
    for group in groups:
        medians = {job.runtime.label: _medians(results, job, names) for job in group}
        peers = [label for label in medians if is_peer(label)]
        for label in medians:
            if label.partition("@")[0] != "xomp":
                continue
            ratios = {
                name: medians[label][name] / best
                for name in names
                if name in medians[label]
                and (best := min((medians[peer].get(name, inf) for peer in peers), default=inf))
                and best < inf
            }
            slower = sorted((value, name) for name, value in ratios.items() if value > NOISE)[::-1]
            told = ", ".join(f"{name} {value:.2f}" for value, name in slower) or "-"
            within = f"{len(ratios) - len(slower)} of {len(ratios)}"
            mean = geometric(list(ratios.values()))
            table.rows.append((label, str(group[0].threads), within, mean, told))
    return table


def _medians(results: Results, job: Job, names: Sequence[str]) -> dict[str, float]:
    every = {name: costs(results, job, name) for name in names}
    return {name: median(values.values()) for name, values in every.items() if values}
