# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`locks`: a lock that all threads want: how often it is taken, and how fairly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Annotated

import typer

from xomp.bench.options import PEERS, Measuring
from xomp.bench.pages import Table, ratio_text
from xomp.bench.rounds import series
from xomp.bench.run import Job, Outcome
from xomp.bench.session import compare_runtimes
from xomp.bench.stats import ratio
from xomp.bench.store import Results
from xomp.cli.options import OfMachine
from xomp.cli.values import wholes, words
from xomp.errors import BadInputError, unknown
from xomp.shared import apps
from xomp.shared.machine import processors
from xomp.shared.runtimes import Runtime

DEFAULTS = Measuring(
    runtimes=(*PEERS, "xomp"),
    threads=OfMachine((processors(), 8, 64), "the processors, 8 and 64"),
    rounds=5,
    warmups=0,
)
KINDS = ("lock", "nest", "critical", "atomic")
HOLDS = (1, 20, 5000)  # microseconds
OUT = 1  # microseconds until a thread wants the lock again
SHORTEST = 0.3  # seconds of a run, in which each thread could have the lock so often:
TURNS = 5


@dataclass(frozen=True)
class Options:
    kinds: Annotated[
        Sequence[str],
        typer.Option(parser=words, metavar="LIST", help=f"Of {', '.join(KINDS)}."),
    ] = KINDS
    holds: Annotated[
        Sequence[int],
        typer.Option(
            parser=wholes(0),
            metavar="LIST",
            help="Microseconds for which it is held; an atomic operation is not.",
        ),
    ] = HOLDS


def locks(context: typer.Context, options: Options, measuring: Measuring = DEFAULTS) -> int:
    return compare_runtimes(context, measuring, partial(jobs, options, measuring), tables)


def jobs(
    options: Options, measuring: Measuring, runtimes: Sequence[Runtime], skipped: dict
) -> list[Job]:
    del skipped
    for kind in options.kinds:
        if kind not in KINDS:
            raise BadInputError(unknown("kind of lock", kind, KINDS))
    program = apps.build("locks")
    return [
        Job(
            runtime,
            threads,
            program,
            (kind, str(hold), str(OUT), f"{seconds_of(threads, hold):g}"),
            measuring.limit,
        )
        for kind in options.kinds
        for hold in ((0,) if kind == "atomic" else options.holds)
        for threads in measuring.threads
        for runtime in runtimes
    ]


def seconds_of(threads: int, hold: int) -> float:
    return max(SHORTEST, TURNS * threads * hold * 1e-6)


def entries(outcome: Outcome) -> float:
    """In a second."""
    return outcome.record["entries"] / outcome.record["seconds"]


def longest_wait(outcome: Outcome) -> float:
    return outcome.record["longest_wait"] * 1000


def share(outcome: Outcome) -> float:
    """What the slowest thread gets of an even share."""
    record = outcome.record
    return record["fewest"] * record["threads"] / max(record["entries"], 1)


def is_peer(job: Job) -> bool:
    return not job.runtime.label.startswith("xomp")


def alike(job: Job) -> tuple:
    return job.arguments[0], float(job.arguments[1]), job.threads


def columns(job: Job) -> tuple[str, str, str]:
    return job.arguments[0], job.arguments[1], str(job.threads)


def tables(results: Results) -> list[Table]:
    return [beside_the_peers(results), of_each(results)]


def beside_the_peers(results: Results) -> Table:
    def over(
        job: Job, measure: Callable[[Outcome], float], best: Callable
    ) -> tuple[str, str] | None:
        """The ratio to the best peer, by medians, and who that is; None where there is none."""
        found = {
            peer.runtime.label: series(results.outcomes, peer, measure)
            for peer in results.jobs
            if is_peer(peer) and alike(peer) == alike(job)
        }
        found = {label: values for label, values in found.items() if values}
        if not found:
            return None
        label = best(found, key=lambda label: median(found[label].values()))
        own = series(results.outcomes, job, measure)
        return ratio_text(ratio(own, found[label])), label

    table = Table(
        "Entries over those of the peer that has most; the longest wait over that of the peer "
        "where it is shortest; the slowest thread's part of an even share.",
        (
            *("lock", "held us", "threads", "runtime", "entries [95%]", "most: peer"),
            *("longest wait [95%]", "shortest: peer", "slowest"),
        ),
        left=4,
    )
    for job in results.jobs:
        shares = series(results.outcomes, job, share)
        most, shortest = over(job, entries, max), over(job, longest_wait, min)
        if is_peer(job) or not shares or not most or not shortest:
            continue
        slowest = f"{median(shares.values()):.2f}"
        table.rows.append((*columns(job), job.runtime.label, *most, *shortest, slowest))
    return table


def of_each(results: Results) -> Table:
    table = Table(
        f"One lock that all threads want, and want again after {OUT} microsecond: entries in a "
        "second, the longest wait of any thread, the slowest thread's part of an even share. "
        "Medians.",
        (
            *("lock", "held us", "threads", "runtime", "runs"),
            *("entries/s", "longest wait ms", "slowest"),
        ),
        left=4,
    )
    for job in results.jobs:
        measured = [
            list(series(results.outcomes, job, measure).values())
            for measure in (entries, longest_wait, share)
        ]
        name = (*columns(job), job.runtime.label)
        if not measured[0]:
            table.rows.append((*name, "0", "failed", "-", "-"))
            continue
        each, wait, slowest = (median(values) for values in measured)
        count = str(len(measured[0]))
        table.rows.append((*name, count, f"{each:.0f}", f"{wait:.2f}", f"{slowest:.2f}"))
    return table
