# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`recording`: what it costs to be recorded (XOMP_PERFLOG), as a factor and for each event."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Annotated

import typer

from xomp.bench import plan
from xomp.bench.distance import around
from xomp.bench.options import Measuring
from xomp.bench.pages import Table, ratio_text
from xomp.bench.rounds import interleave, series
from xomp.bench.run import Job, Outcome, run, seconds
from xomp.bench.session import compare_runtimes
from xomp.bench.stats import ratio
from xomp.bench.store import Results
from xomp.cli.values import words
from xomp.shared.runtimes import Runtime
from xomp.shared.text import rounded, seconds_text

FOLDER = "XOMP_PERFLOG"
RECORDED = ", recorded"  # behind the name of a runtime
# The smallest tasks there are, then tasks of a medium size.
APPS = ("fib", "nqueens:tied-manual", "sort", "strassen")
DEFAULTS = Measuring(runtimes=("xomp",), rounds=9, baseline="xomp")
MEGABYTE = 1e6


@dataclass(frozen=True)
class Options:
    apps: Annotated[
        Sequence[str],
        typer.Option(parser=words, metavar="LIST", help="The applications, between commas."),
    ] = APPS
    size: Annotated[str, typer.Option(help="Of their inputs.")] = "small"


def recording(context: typer.Context, options: Options, measuring: Measuring = DEFAULTS) -> int:
    execute = partial(interleave, launch=around(run_into_a_folder))
    return compare_runtimes(context, measuring, partial(jobs, options, measuring), tables, execute)


def jobs(
    options: Options, measuring: Measuring, runtimes: Sequence[Runtime], skipped: dict
) -> list[Job]:
    found = plan.select(options.apps, [options.size])
    skipped.update(found.skipped | found.broken)
    # The folder is another one for each run.
    on = [
        replace(each, label=each.label + RECORDED, settings={**each.settings, FOLDER: ""})
        for each in runtimes
    ]
    both = [*runtimes, *on]
    return plan.jobs(found.cases, both, measuring.threads, measuring.limit, skipped)


def run_into_a_folder(job: Job, round_index: int) -> Outcome:
    """A recorded run gets a folder of its own; what is in it then is noted with what it used."""
    if FOLDER not in job.runtime.settings:
        return run(job, round_index)
    with tempfile.TemporaryDirectory() as folder:
        runtime = replace(job.runtime, settings={**job.runtime.settings, FOLDER: folder})
        outcome = run(replace(job, runtime=runtime), round_index)
        outcome.job = job
        if outcome.failure is None:
            outcome.usage |= recorded(Path(folder))
    return outcome


def recorded(folder: Path) -> dict[str, int]:
    """How many events there were, the summed up ones included, and the log's size."""
    from xomp.profile.reading.files import read
    from xomp.profile.reading.format import Kind

    (log,) = read(folder)
    summed = int(log.of(Kind.SUMMARY)["task"].sum())
    size = sum(path.stat().st_size for path in folder.iterdir())
    return {"events": len(log.events) + summed, "log_bytes": size}


def tables(results: Results) -> list[Table]:
    header = ("application", "threads", "runs", "off, s", "on, s", "on / off [95%]")
    table = Table(
        "Time of the same runs without and with a log.",
        (*header, "events", "ns x threads per event", "log, MB"),
        summary=True,
    )
    for job in sorted(results.jobs, key=lambda job: job.threads):
        if not job.runtime.label.endswith(RECORDED):
            continue
        plain = (job.runtime.label.removesuffix(RECORDED), job.label, job.threads)
        off = next(
            each for each in results.jobs if (each.runtime.label, each.label, each.threads) == plain
        )
        times = [series(results.outcomes, each, seconds) for each in (off, job)]
        both = sorted(times[0].keys() & times[1].keys())
        if not both:
            table.rows.append((job.label, str(job.threads), "0", "failed", *["-"] * 5))
            continue
        events = series(results.outcomes, job, lambda outcome: outcome.usage["events"])
        sizes = series(results.outcomes, job, lambda outcome: outcome.usage["log_bytes"])
        costs = [(times[1][at] - times[0][at]) * job.threads / events[at] * 1e9 for at in both]
        table.rows.append(
            (
                job.label,
                str(job.threads),
                str(len(both)),
                *(seconds_text(median(each.values())) for each in times),
                ratio_text(ratio(times[1], times[0])),
                f"{median(events.values()):,.0f}",
                rounded(median(costs)) if median(costs) > 0 else "not measurable",
                rounded(median(sizes.values()) / MEGABYTE),
            )
        )
    return [table]
