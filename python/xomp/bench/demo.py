# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`demo`: UTS and Fibonacci, the same binaries on the system's libgomp and on xomp, all checked."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from xomp.bench import apps, plot, report
from xomp.bench.paths import DEMO
from xomp.bench.progress import Progress
from xomp.bench.report import markdown, processors, ratio_text
from xomp.bench.rounds import failures, interleave, series
from xomp.bench.run import Job, Outcome
from xomp.bench.runtimes import Runtime, find_all
from xomp.bench.stats import ratio, summarize

HELP = "UTS and Fibonacci on the system's libgomp and on xomp"
BASELINE = "libgomp"

# Arguments of the programs, measured rounds, and a budget in seconds, by --size.
SIZES = {
    "default": {"uts": ("T3",), "fib": ("28",), "rounds": 7, "budget": 90.0, "limit": 60.0},
    "paper": {"uts": ("T3S",), "fib": ("32",), "rounds": 3, "budget": 1800.0, "limit": 600.0},
}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--size", choices=SIZES, default="default")
    parser.add_argument("--runtimes", default="libgomp,xomp", help="comma-separated")
    parser.add_argument("--rounds", type=int, help="measured rounds (default: by size)")
    parser.add_argument("--seed", type=int, default=1, help="of the order within a round")


def thread_counts(machine: int) -> list[int]:
    """1 to twice the machine's threads: all of them on small machines, else doubling."""
    most = 2 * machine
    if most <= 8:
        return list(range(1, most + 1))
    doubling = {1 << power for power in range(most.bit_length()) if 1 << power <= most}
    return sorted(doubling | {machine, most})


def make_jobs(size: dict, runtimes: Sequence[Runtime]) -> list[Job]:
    return [
        Job(runtime, threads, apps.build(f"plain/{name}"), size[name], size["limit"], deep=name == "uts")
        for name in ("uts", "fib")
        for threads in thread_counts(processors())
        for runtime in runtimes
    ]


def seconds(outcome: Outcome) -> float:
    return outcome.record["seconds"]


def table(jobs: Sequence[Job], outcomes: list[Outcome], labels: list[str]) -> tuple[list, list]:
    """Header and rows: per program and number of threads, each runtime's time and the ratio."""
    others = [label for label in labels if label != BASELINE]
    header = ["program", "threads"]
    header += [f"{label}, s (quartiles)" for label in labels]
    header += [f"{BASELINE} / {label} [95%]" for label in others if BASELINE in labels]
    rows = []
    for place in dict.fromkeys((job.program.name, job.arguments, job.threads) for job in jobs):
        by_label = {
            job.runtime.label: series(outcomes, job, seconds)
            for job in jobs
            if (job.program.name, job.arguments, job.threads) == place
        }
        name, arguments, threads = place
        row = [" ".join((name, *arguments)), str(threads)]
        for label in labels:
            if not by_label[label]:
                row.append("failed")
                continue
            summary = summarize(list(by_label[label].values()))
            quartiles = f"{summary.low:.3f} to {summary.high:.3f}"
            row.append(f"{summary.median:.3f} ({quartiles})")
        if BASELINE in labels:
            row += [ratio_text(ratio(by_label[BASELINE], by_label[label])) for label in others]
        rows.append(row)
    return header, rows


def show(header: list, rows: list) -> None:
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        print(markdown(header, rows))
        return
    shown = Table(title="The same binaries, every result checked")
    for index, column in enumerate(header):
        shown.add_column(column, justify="left" if index == 0 else "right")
    for index, row in enumerate(rows):
        last = index + 1 == len(rows) or rows[index + 1][0] != row[0]
        shown.add_row(*row, end_section=last)
    # Redirected output is not a terminal of 80 columns: nothing is to be cut or wrapped there.
    Console(width=None if sys.stdout.isatty() else 160).print(shown)


def describe(job: Job) -> str:
    words = (job.program.name, *job.arguments)
    return f"{' '.join(words)} on {job.runtime.label} with {job.threads} threads"


def main(options: argparse.Namespace) -> int:
    labels = options.runtimes.split(",")
    runtimes, missing = find_all(labels)
    for label, reason in missing.items():
        print(f"{label} is missing: {reason}", file=sys.stderr)
    if missing:
        return 1
    size = SIZES[options.size]
    jobs = make_jobs(size, runtimes)
    facts = report.surroundings(options.arguments)
    print(f"{facts['cpu']}, {facts['processors']} processors, {facts['compiler']}")
    for runtime in runtimes:
        print(f"  {runtime.label}: {runtime.library}")
    rounds = options.rounds or size["rounds"]
    with Progress(len(jobs) * (rounds + 1)) as progress:
        outcomes = interleave(
            jobs, rounds, seed=options.seed, budget=size["budget"], progress=progress
        )

    header, rows = table(jobs, outcomes, labels)
    show(header, rows)
    measured = len({outcome.round for outcome in outcomes if outcome.round >= 0})
    print(
        f"Medians of {measured} interleaved runs after a warm-up. Ratio above 1: {BASELINE} slower."
    )
    saved = report.save(options.arguments, runtimes, {}, outcomes, [markdown(header, rows)], DEMO)
    print(f"Every run: {saved.with_suffix('.jsonl')}")
    for path in plot.demo(jobs, outcomes, DEMO):
        print(f"Plot: {path}")

    failed = failures(outcomes)
    for outcome in failed:
        print(f"FAILED: {describe(outcome.job)}: {outcome.failure}", file=sys.stderr)
    return 1 if failed else 0
