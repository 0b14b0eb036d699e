# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`balance`: how far from the ideal the makespan of uneven work is, under each scheduler.

bench/balance has the shapes. Most of their tasks sleep, so that a small machine stands for a large
one; those that compute are told apart, because their times say something on two threads only.
"""

from __future__ import annotations

import math
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from statistics import mean, median
from typing import Annotated

import typer

from xomp.bench import distance, plan
from xomp.bench.options import Compiler, Measuring
from xomp.bench.pages import Table, ratio_text
from xomp.bench.rounds import interleave, series
from xomp.bench.run import Job, Outcome, run
from xomp.bench.session import compare_runtimes
from xomp.bench.stats import Ratio, ratio, summarize
from xomp.bench.store import Results
from xomp.cli.values import whole, words
from xomp.errors import BadInputError, unknown
from xomp.run import SCHEDULERS as EVERY_SCHEDULER
from xomp.shared import apps
from xomp.shared.runtimes import Runtime, find_all
from xomp.shared.text import rounded, seconds_text

# No warm-up: each run has a region of its own to start the threads.
DEFAULTS = Measuring(
    runtimes=("libgomp", "libomp", "libiomp5"), threads=(2, 4, 16, 64, 192), rounds=5, warmups=0
)
SCHEDULERS = ("auto", "slb", "na-rp", "na-ws")
QUICK_THREADS, QUICK_ROUNDS = (2, 16), 3
COMPUTING, COMPUTING_THREADS = "computing", 2
MOST_THREADS = {"skewed-waits": 64}  # libomp and libiomp5 serialize it: minutes with more
REGIONS, COMPUTING_REGIONS = 2, 6
BAR = 1.05  # of the best peer
NO_SCHEDULERS = ("none",)
PREFIX = "xomp@XOMP_SCHEDULER="


@dataclass(frozen=True)
class Options:
    shapes: Annotated[
        list[str] | None,
        typer.Argument(metavar="SHAPE", help="Only these.", show_default="all"),
    ] = None
    schedulers: Annotated[
        Sequence[str],
        typer.Option(
            parser=words,
            metavar="LIST",
            help="xomp under each of these beside the --runtimes, as far as the library knows "
            f"them; or {NO_SCHEDULERS[0]}.",
        ),
    ] = SCHEDULERS
    regions: Annotated[
        int | None,
        typer.Option(
            parser=whole(1),
            metavar="N",
            help="In each run.",
            show_default=f"{REGIONS}; {COMPUTING_REGIONS} where tasks compute",
        ),
    ] = None
    compiler: Compiler = "gcc"
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help=f"{' and '.join(map(str, QUICK_THREADS))} threads and {QUICK_ROUNDS} rounds, "
            "whatever else is asked for.",
        ),
    ] = False


def balance(context: typer.Context, options: Options, measuring: Measuring = DEFAULTS) -> int:
    if options.quick:
        measuring = replace(measuring, threads=QUICK_THREADS, rounds=QUICK_ROUNDS)
    execute = partial(interleave, launch=launch)
    return compare_runtimes(context, measuring, partial(jobs, options, measuring), tables, execute)


def launch(job: Job, index: int) -> Outcome:
    """To tasks that sleep it makes no difference how far the processors lie apart."""
    computes = shapes()[shape_of(job)] == COMPUTING
    return (distance.launch if computes else run)(job, index)


@lru_cache
def shapes() -> dict[str, str]:
    """The kind of each shape, as the program itself tells it."""
    done = subprocess.run([apps.build("balance"), "--list"], capture_output=True, text=True)
    return dict(line.split()[:2] for line in done.stdout.splitlines())


def chosen_shapes(names: Sequence[str]) -> list[str]:
    for name in names:
        if name not in shapes():
            raise BadInputError(unknown("shape", name, shapes()))
    return list(dict.fromkeys(names)) or list(shapes())


def chosen_schedulers(names: Sequence[str]) -> Sequence[str]:
    if tuple(names) == NO_SCHEDULERS:
        return ()
    for name in names:
        if name not in EVERY_SCHEDULER:
            raise BadInputError(unknown("scheduler", name, EVERY_SCHEDULER))
    return names


def schedulers(names: Sequence[str], skipped: dict[str, str]) -> list[Runtime]:
    """xomp under each of them; those that the library does not know are skipped."""
    found: list[Runtime] = []
    for name in names:
        try:
            runtimes, missing = find_all([f"{PREFIX}{name}"])
        except BadInputError as error:
            runtimes, missing = [], {f"{PREFIX}{name}": str(error)}
        found += runtimes
        skipped.update(missing)
    return found


def jobs(
    options: Options, measuring: Measuring, runtimes: Sequence[Runtime], skipped: dict
) -> list[Job]:
    names = chosen_shapes(options.shapes or ())
    everyone = [*runtimes, *schedulers(chosen_schedulers(options.schedulers), skipped)]
    usable = plan.able("balance", options.compiler, everyone, skipped)
    made = []
    for threads in measuring.threads:
        for name in names:
            computing = shapes()[name] == COMPUTING
            most = MOST_THREADS.get(name, threads)
            if not (threads == COMPUTING_THREADS if computing else threads <= most):
                continue
            regions = options.regions or (COMPUTING_REGIONS if computing else REGIONS)
            arguments = (name, str(regions))
            made += [
                Job(runtime, threads, program, arguments, measuring.limit)
                for runtime, program in usable
            ]
    return made


def ideal(record: dict) -> float:
    """Seconds that no schedule goes below: the work shared out evenly, or the critical path."""
    units = max(record["total"] / record["threads"], record["path"])
    return units * record["unit"] * 1e-6


def overrun(outcome: Outcome) -> float:
    """Makespan over ideal of a run: the mean of its regions."""
    return mean(record["seconds"] / ideal(record) for record in outcome.records)


def shape_of(job: Job) -> str:
    return job.arguments[0]


def column(label: str) -> str:
    return label.removeprefix(PREFIX)


def is_peer(label: str) -> bool:
    return label.partition("@")[0] != "xomp"


class Row:
    """A shape on one number of threads: each runtime's overruns by round."""

    def __init__(self, results: Results, group: Sequence[Job]) -> None:
        self.shape, self.threads = shape_of(group[0]), group[0].threads
        self.values = {job.runtime.label: series(results.outcomes, job, overrun) for job in group}
        self.medians = {
            label: median(values.values()) for label, values in self.values.items() if values
        }
        peers = [label for label in self.medians if is_peer(label)]
        self.best = min(peers, key=lambda label: self.medians[label], default=None)
        keys = {job.key for job in group}
        good = (o for o in results.outcomes if o.job.key in keys and o.failure is None)
        first = next(good, None)
        self.ideal = ideal(first.record) if first else math.nan
        self.computing = first is not None and first.record["kind"] == COMPUTING

    def to_best(self, label: str) -> Ratio | None:
        """That runtime's makespan over that of the best peer."""
        return ratio(self.values.get(label, {}), self.values[self.best]) if self.best else None


def rows_of(results: Results) -> list[Row]:
    groups: dict[tuple, list[Job]] = {}
    for job in results.jobs:
        groups.setdefault((job.threads, shape_of(job)), []).append(job)
    return [Row(results, group) for group in groups.values()]


def cell(values: Sequence[float]) -> str:
    if not values:
        return "failed"
    summary = summarize(values)
    return f"{rounded(summary.median)} [{rounded(summary.low)}, {rounded(summary.high)}]"


def table_for(rows: Sequence[Row]) -> Table:
    """One row per shape: each runtime's makespan over ideal, then xomp's ratios to the best."""
    labels = list(dict.fromkeys(label for row in rows for label in row.values))
    ours = [label for label in labels if not is_peer(label)]
    rounds = max(len(values) for row in rows for values in row.values.values())
    header = ("shape", "ideal, ms", *map(column, labels), "best peer")
    table = Table(
        f"Makespan over ideal, {rows[0].threads} threads: median of {rounds} rounds [quartiles], "
        "and ratios to the best peer [95%].",
        (*header, *(f"{column(label)} / best" for label in ours)),
    )
    for row in rows:
        cells = [
            cell(list(row.values[label].values())) if label in row.values else "-"
            for label in labels
        ]
        ratios = [ratio_text(row.to_best(label)) for label in ours]
        table.rows.append((row.shape, rounded(row.ideal * 1e3), *cells, row.best or "-", *ratios))
    return table


class Verdict:
    """Where a scheduler stands on one number of threads: how many shapes are within the bar."""

    def __init__(self, rows: Sequence[Row], label: str, threads: int) -> None:
        found = {
            row.shape: row.to_best(label)
            for row in rows
            if row.threads == threads and label in row.values
        }
        known = {shape: each.value for shape, each in found.items() if each}
        over = sorted(((value, shape) for shape, value in known.items() if value > BAR))[::-1]
        missing = [f"{shape} failed" for shape in found if shape not in known]
        self.ran = bool(found)
        self.within = f"{len(known) - len(over)} of {len(found)}"
        self.mean = f"{math.exp(mean(map(math.log, known.values()))):.2f}" if known else "-"
        self.others = ", ".join([*(f"{shape} {value:.2f}" for value, shape in over), *missing])


def verdicts(rows: Sequence[Row], labels: Sequence[str], summary: bool = True) -> Table:
    """Also which shapes are not within the bar."""
    table = Table(
        f"Shapes with at most {BAR} times the makespan of the best peer.",
        ("scheduler", "threads", "within", "geometric mean", "the others, worst first"),
        summary=summary,
    )
    for label in labels:
        for threads in dict.fromkeys(row.threads for row in rows):
            found = Verdict(rows, label, threads)
            if found.ran:
                cells = (found.within, found.mean, found.others or "-")
                table.rows.append((column(label), str(threads), *cells))
    return table


def short_verdicts(rows: Sequence[Row], labels: Sequence[str]) -> Table:
    """One row per scheduler, whatever the numbers of threads."""
    counts = list(dict.fromkeys(row.threads for row in rows))
    table = Table(
        "The same of the papers' schedulers, by threads: within, and geometric mean.",
        ("scheduler", *map(str, counts)),
        summary=True,
    )
    for label in labels:
        found = [Verdict(rows, label, threads) for threads in counts]
        cells = (f"{each.within}, {each.mean}" if each.ran else "-" for each in found)
        table.rows.append((column(label), *cells))
    return table


def verdict_tables(rows: Sequence[Row]) -> list[Table]:
    """A summary names the shapes that the papers' schedulers are slow at for one number of threads
    alone: with several that is long."""
    every = dict.fromkeys(label for row in rows for label in row.values)
    labels = [label for label in every if not is_peer(label)]
    papers = [label for label in labels if column(label) not in ("auto", label)]
    if not papers or len({row.threads for row in rows}) == 1:
        return [verdicts(rows, labels)] if labels else []
    own = [label for label in labels if label not in papers]
    made = [verdicts(rows, own)] if own else []
    return [*made, verdicts(rows, papers, summary=False), short_verdicts(rows, papers)]


def busiest(outcome: Outcome) -> float:
    """Work of the busiest thread over an even share: 1 is balanced; the mean of the regions."""
    return mean(
        record["busiest"] * record["threads"] / record["total"] for record in outcome.records
    )


def regions(outcome: Outcome) -> list[float]:
    return [record["seconds"] for record in outcome.records]


def computing_table(results: Results, rows: Sequence[Row]) -> Table:
    """Seconds of regions in which tasks compute: how they differ within a run and between runs."""
    spread = ("most / least in a run, median", "medians of runs", "busiest thread", "/ best")
    table = Table(
        f"Tasks that compute, {COMPUTING_THREADS} threads: seconds of a region (ideal "
        f"{seconds_text(rows[0].ideal)}), within runs and between them, the busiest thread's work "
        "over an even share [quartiles], and the ratio to the best peer [95%].",
        ("shape", "runtime", "runs x regions", "median", "least", "most", *spread),
        left=2,
    )
    for row in rows:
        for label, values in row.values.items():
            job = next(
                job
                for job in results.jobs
                if (shape_of(job), job.runtime.label, job.threads)
                == (row.shape, label, row.threads)
            )
            by_run = list(series(results.outcomes, job, regions).values())
            if not by_run:
                table.rows.append((row.shape, column(label), "0", "failed", *6 * ("-",)))
                continue
            flat = [value for run in by_run for value in run]
            medians = [median(run) for run in by_run]
            within = median([max(run) / min(run) for run in by_run])
            to_best = "-" if is_peer(label) else ratio_text(row.to_best(label))
            numbers = map(seconds_text, (median(flat), min(flat), max(flat)))
            between = f"{seconds_text(min(medians))} to {seconds_text(max(medians))}"
            share = cell(list(series(results.outcomes, job, busiest).values()))
            counted = f"{len(values)} x {len(by_run[0])}"
            place = (row.shape, column(label), counted)
            table.rows.append((*place, *numbers, rounded(within), between, share, to_best))
    return table


def tables(results: Results) -> list[Table]:
    rows = rows_of(results)
    computing = [row for row in rows if row.computing]
    sleeping = [row for row in rows if not row.computing]
    counts = dict.fromkeys(row.threads for row in sleeping)
    made = [table_for([row for row in sleeping if row.threads == count]) for count in counts]
    if computing:
        made.append(computing_table(results, computing))
    return made + verdict_tables(rows)
