# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`demo`: some programs, the same binaries on the system's libgomp and on xomp, all checked."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from xomp.bench import pages, plan, plot
from xomp.bench.measure import Plan, measure
from xomp.bench.options import Seed
from xomp.bench.pages import Table, ratio_text
from xomp.bench.rounds import failures, series
from xomp.bench.run import Case, Job, Outcome, seconds
from xomp.bench.session import typed
from xomp.bench.stats import ratio, summarize
from xomp.bench.store import Results
from xomp.cli.values import whole, words
from xomp.errors import InterruptedCommandError
from xomp.shared.machine import processors
from xomp.shared.paths import DEMO
from xomp.shared.runtimes import Runtime, find_all

BASELINE = "libgomp"

# Application and variant: small tasks first, which is what xomp is for, then larger ones.
PROGRAMS = (("fib", "tied"), ("nqueens", "tied"), ("health", "tied"), ("uts", "paper"))

ABOUT = """\
fib: a Fibonacci number, a task for each call. nqueens: ways to place queens on a board, a task
for each square. health: villages and hospitals, a task for each village. uts: Unbalanced Tree
Search of a published tree (T3, T3S), a task for each node.
libgomp is the runtime of GCC. A time is the median of all rounds; half of the rounds lie between
its quartiles. [95%] is the interval in which the ratio lies with that probability."""

# Parameters that differ from those of the small size, measured rounds, and a budget in seconds, by
# --size.
SIZES = {
    "default": {
        "fib": ("n", "30"),
        "nqueens": ("n", "11"),
        "uts": ("tree", "T3"),
        "rounds": 7,
        "budget": 90.0,
        "limit": 60.0,
    },
    "paper": {
        "fib": ("n", "32"),
        "nqueens": ("n", "13"),
        "uts": ("tree", "T3S"),
        "rounds": 3,
        "budget": 1800.0,
        "limit": 600.0,
    },
}
LOSS = 1.05  # more time than this over libgomp's is spoken of
ENOUGH = 3  # rounds: fewer, as on a machine so busy that time is up, say nothing of that


def thread_counts(machine: int) -> list[int]:
    """1 to twice the machine's threads, doubling."""
    most = 2 * machine
    return sorted({1 << power for power in range(most.bit_length())} | {machine, most})


def case_of(name: str, variant: str, size: dict) -> Case:
    return Case(name, variant, "small", (size[name],) if name in size else ())


def make_jobs(size: dict, runtimes: Sequence[Runtime]) -> list[Job]:
    return [
        plan.make_job(case_of(name, variant, size), runtime, threads, size["limit"])
        for name, variant in PROGRAMS
        for threads in thread_counts(processors())
        for runtime in runtimes
    ]


def name_of(label: str) -> str:
    """`uts:paper small tree=T3` is known as `uts T3`, `health:tied small` as `health`."""
    name, _, rest = label.partition(":")
    return f"{name} {rest.rpartition('=')[2]}" if "=" in rest else name


def table(jobs: Sequence[Job], outcomes: Sequence[Outcome], labels: list[str]) -> Table:
    """Per program and number of threads, each runtime's time and the ratio."""
    others = [label for label in labels if label != BASELINE]
    header = ["program", "threads"]
    header += [f"{label}, s (quartiles)" for label in labels]
    header += [f"{BASELINE} / {label} [95%]" for label in others if BASELINE in labels]
    made = Table("The same binaries, every result checked", header, summary=True)
    for place in dict.fromkeys((job.label, job.threads) for job in jobs):
        by_label = {
            job.runtime.label: series(outcomes, job, seconds)
            for job in jobs
            if (job.label, job.threads) == place
        }
        row = [name_of(place[0]), str(place[1])]
        for label in labels:
            if not by_label[label]:
                row.append("failed")
                continue
            summary = summarize(list(by_label[label].values()))
            quartiles = f" ({summary.low:.3f} to {summary.high:.3f})"
            several = len(by_label[label]) > 1
            row.append(f"{summary.median:.3f}{quartiles if several else ''}")
        if BASELINE in labels:
            row += [_ratio(by_label[BASELINE], by_label[label]) for label in others]
        made.rows.append(row)
    return made


def _ratio(base: dict[int, float], other: dict[int, float]) -> str:
    """Of a single round nothing says how much it varies."""
    found = ratio(base, other)
    if found is not None and min(len(base), len(other)) < 2:
        return f"{found.value:.2f}"
    return ratio_text(found)


def slower(jobs: Sequence[Job], outcomes: Sequence[Outcome], label: str) -> list[tuple[str, int]]:
    """Program and threads of the rows in which a runtime takes more time than libgomp."""
    by_row: dict[tuple[str, int], dict[str, Job]] = {}
    for job in jobs:
        by_row.setdefault((job.label, job.threads), {})[job.runtime.label] = job
    found = []
    for (name, threads), by_label in by_row.items():
        if label in by_label and BASELINE in by_label:
            times = [series(outcomes, by_label[each], seconds) for each in (label, BASELINE)]
            value = ratio(*times)
            enough = min(map(len, times)) >= ENOUGH
            if enough and value is not None and value.value > LOSS and value.low > 1:
                found.append((name_of(name), threads))
    return found


def not_faster(jobs: Sequence[Job], outcomes: Sequence[Outcome], label: str) -> list[str]:
    """The programs that a runtime runs no faster on 2 threads than on 1."""
    times: dict[str, dict[int, Sequence[float]]] = {}
    for job in jobs:
        if job.runtime.label == label and job.threads <= 2:
            found = list(series(outcomes, job, seconds).values())
            if found:
                times.setdefault(job.label, {})[job.threads] = found
    return [
        name_of(name)
        for name, by_threads in times.items()
        if len(by_threads) == 2
        and summarize(by_threads[2]).median >= summarize(by_threads[1]).median
    ]


def why_two_are_no_faster(found: dict[str, list[str]], machine: int) -> str:
    """`found`: by runtime, what `not_faster` says."""
    rows = [f"{', '.join(programs)} on {label}" for label, programs in found.items() if programs]
    if not rows:
        return ""
    lines = [
        f"No faster on 2 threads than on 1: {'; '.join(rows)}.",
        "A task that another thread runs has to travel: its data move between the processors, and",
        "two threads share a queue. Where a task computes for less than a microsecond, that costs",
        "more than it saves; a runtime loses the more, the more tasks it hands over.",
    ]
    lines.append(
        "And there is only one processor here: two threads take turns on it."
        if machine < 2
        else "And where other programs compute as well, two threads wait for their processors."
    )
    return "\n".join(lines)


def reading(losses: list[tuple[str, int]], machine: int) -> str:
    """What the ratios mean, in a few lines."""
    lines = [
        "What it means: fib, nqueens and health make small tasks, which is what xomp is for.",
        "The tasks of uts take some microseconds; there both runtimes take what the tasks take.",
    ]
    for crowded in (False, True):
        rows = [f"{name} on {count}" for name, count in losses if (count > machine) == crowded]
        if rows:
            where = f"With more threads than the {machine} processors" if crowded else "Here"
            lines.append(f"{where} xomp was slower: {', '.join(rows)} threads.")
    if losses:
        lines.append(
            "Such tasks are large enough for libgomp: programs of theirs gain nothing on xomp."
        )
    return "\n".join(lines)


def tables(results: Results) -> list[Table]:
    labels = list(dict.fromkeys(job.runtime.label for job in results.jobs))
    return [table(results.jobs, results.outcomes, labels)]


def busy_machine() -> str | None:
    """A line about what else runs here; before the demo adds its own load."""
    load = os.getloadavg()[0]
    if load < processors() / 4:
        return None
    return (
        f"The machine is busy: in the last minute {load:.1f} threads wanted its {processors()}"
        " processors. Times vary with that; try again when it has less to do."
    )


def demo(
    context: typer.Context,
    size: Annotated[
        Literal["default", "paper"], typer.Option(help="Of the input: paper is the paper's tree.")
    ] = "default",
    runtimes: Annotated[
        Sequence[str], typer.Option(parser=words, metavar="LIST", help="Between commas.")
    ] = (BASELINE, "xomp"),
    rounds: Annotated[
        int | None,
        typer.Option(parser=whole(1), metavar="N", help="Measured rounds.", show_default="by size"),
    ] = None,
    seed: Seed = 1,
) -> int:
    found, missing = find_all(runtimes)
    for label, reason in missing.items():
        print(f"{label} is missing: {reason}", file=sys.stderr)
    if missing:
        return 1
    chosen = SIZES[size]
    jobs = make_jobs(chosen, found)
    whole_plan = Plan(jobs, rounds or chosen["rounds"], seed=seed, budget=chosen["budget"])
    arguments = typed(context)
    head = whole_plan.head(arguments)
    print(f"{head['cpu']}, {head['processors']} processors, {head['compiler']}")
    for runtime in found:
        print(f"  {runtime.label}: {runtime.library}")
    busy = busy_machine()
    if busy:
        print(busy)
    stem = f"demo-{head['time'].replace(':', '').replace('-', '')}"
    try:
        results = measure(whole_plan, arguments, DEMO / f"{stem}.jsonl")
    except InterruptedCommandError:
        raise InterruptedCommandError("interrupted") from None

    shown = tables(results)
    print(ABOUT)
    pages.show(shown)
    measured = len({outcome.round for outcome in results.outcomes if outcome.round >= 0})
    times = f"Medians of {measured} interleaved runs" if measured > 1 else "Times of one run each"
    print(f"{times} after a warm-up. Ratio above 1: {BASELINE} slower.")
    if BASELINE in runtimes and "xomp" in runtimes:
        print(reading(slower(jobs, results.outcomes, "xomp"), processors()))
    slow = {each.label: not_faster(jobs, results.outcomes, each.label) for each in found}
    print(why_two_are_no_faster(slow, processors()), end="\n" if any(slow.values()) else "")
    if busy:
        print(busy)
    print(results.aside, end="\n" if results.aside else "")
    pages.write_page(results.path, results.head, shown, results.aside)
    print(f"Every run: {results.path}")
    for path in plot.times(jobs, results.outcomes, DEMO / "demo"):
        print(f"Plot: {path}")

    failed = failures(results.outcomes)
    for outcome in failed:
        print(f"FAILED: {outcome.job.describe()}: {outcome.failure}", file=sys.stderr)
    return 1 if failed else 0
