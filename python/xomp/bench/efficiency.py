# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`uts-efficiency`: UTS beside what independent serial runs side by side reach at that moment.

One serial run alone says little about a machine whose processors share caches, power or a host with
others: as many serial searches as there are threads, at the same time, are what no runtime can
exceed by scheduling well. Efficiency is their time, divided by the threads, over the parallel one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from statistics import mean, median
from typing import Annotated, Literal

import typer

from xomp.bench import plan, rounds
from xomp.bench.distance import around
from xomp.bench.options import Measuring
from xomp.bench.pages import Table
from xomp.bench.plan import SERIAL
from xomp.bench.rounds import series
from xomp.bench.run import Job, Outcome, run
from xomp.bench.session import compare_runtimes
from xomp.bench.stats import ratio
from xomp.bench.store import Results
from xomp.cli.options import OfMachine
from xomp.cli.values import words
from xomp.shared import processes
from xomp.shared.machine import processors
from xomp.shared.runtimes import Runtime
from xomp.shared.text import rounded, seconds_text

# No warm-up: the program starts its threads before the clock.
DEFAULTS = Measuring(threads=OfMachine((processors(),), "the processors"), warmups=0)
GRANULARITY = "granularity"


@dataclass(frozen=True)
class Options:
    tree: Annotated[str, typer.Option(metavar="TREE", help="T3, T3S, TINY or B0,Q,M,SEED.")] = "T3"
    variant: Annotated[Literal["paper", "bots"], typer.Option(help="Of UTS.")] = "paper"
    granularity: Annotated[
        Sequence[str], typer.Option(parser=words, metavar="LIST", help="SHA-1 per child.")
    ] = ("1", "2", "4", "8")


def efficiency(context: typer.Context, options: Options, measuring: Measuring = DEFAULTS) -> int:
    return compare_runtimes(context, measuring, partial(jobs, options, measuring), tables, execute)


def jobs(
    options: Options, measuring: Measuring, runtimes: Sequence[Runtime], skipped: dict
) -> list[Job]:
    settings = {"tree": [options.tree], GRANULARITY: list(options.granularity)}
    found = plan.select([f"uts:{options.variant},{SERIAL}"], settings=settings)
    skipped.update(found.skipped | found.broken)
    made = []
    for case in found.cases:
        # One runtime does for serial code. Its number of threads is the number of copies.
        chosen = runtimes[:1] if case.variant == SERIAL else runtimes
        made += [
            plan.make_job(case, runtime, threads, measuring.limit)
            for runtime in chosen
            for threads in measuring.threads
        ]
    return made


def launch(job: Job, index: int, once: Callable[[Job, int], Outcome] = run) -> Outcome:
    """Serial code runs as many times at once as the job has threads, each time on one."""
    if job.case.variant != SERIAL:
        return once(job, index)
    with ThreadPoolExecutor(job.threads) as pool:
        try:
            single = replace(job, threads=1)
            copies = list(pool.map(lambda _: once(single, index), range(job.threads)))
        except BaseException:
            processes.end_all()
            raise
    failure = next((copy.failure for copy in copies if copy.failure), None)
    records = [record for copy in copies for record in copy.records]
    return Outcome(job, index, failure, records, copies[0].usage)


execute = partial(rounds.interleave, launch=around(launch))


def seconds(outcome: Outcome) -> float:
    """Of the search; of copies side by side the mean."""
    return mean(record["seconds"] for record in outcome.records)


def granularity(job: Job) -> str:
    return dict(job.case.parameters)[GRANULARITY]


def tables(results: Results) -> list[Table]:
    values = {job.key: series(results.outcomes, job, seconds) for job in results.jobs}
    serial = {
        (granularity(job), job.threads): job for job in results.jobs if job.case.variant == SERIAL
    }
    parallel = [job for job in results.jobs if job.case.variant != SERIAL]
    labels = list(dict.fromkeys(job.runtime.label for job in parallel))
    by_place = {(granularity(job), job.threads, job.runtime.label): job for job in parallel}
    tree = dict(results.jobs[0].case.parameters)["tree"] if results.jobs else ""
    table = Table(
        f"UTS {tree}: parallel efficiency in per cent [95%], against as many serial runs side by "
        "side; medians of "
        f"{max((len(each) for each in values.values()), default=0)} rounds.",
        ("SHA-1 per child", "threads", "serial side by side, s", "ns per node", *labels),
        summary=True,
    )
    for (grain, threads), job in serial.items():
        beside = values[job.key]
        nodes = [o.record["nodes"] for o in results.outcomes if o.job.key == job.key and o.records]
        usual = median(beside.values()) if beside else None
        row = [grain, str(threads)]
        row += [seconds_text(usual), rounded(usual / nodes[0] * 1e9)] if usual else ["failed", "-"]
        for label in labels:
            own = by_place.get((grain, threads, label))
            row.append(percent(beside, values[own.key], threads) if own else "-")
        table.rows.append(row)
    return [table]


def percent(beside: dict, own: dict, threads: int) -> str:
    if not own:
        return "failed"
    found = ratio(beside, own)
    if found is None:
        return "-"
    value, low, high = (each / threads * 100 for each in (found.value, found.low, found.high))
    return f"{value:.1f} [{low:.1f}, {high:.1f}]"
