# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From what a measuring command was asked for to its results: runs the plan, shows and saves the
tables. Exit status: 0; 1 if something failed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import typer

from xomp.bench import pages, store
from xomp.bench.measure import Executor, Plan, measure
from xomp.bench.options import Measuring
from xomp.bench.rounds import failures, interleave
from xomp.bench.run import Job
from xomp.errors import BadInputError
from xomp.shared.runtimes import Runtime, find_all

MOST_ROWS = 50


def typed(context: typer.Context) -> list[str]:
    """The command line after `xomp bench`, which the results are headed with."""
    said = list(context.obj)
    return said[1:] if said[:1] == ["bench"] else said


def finish(results: store.Results, shown: Sequence[pages.Table]) -> int:
    """Shows and saves the tables, and the failures; the exit status.

    What does not fit on a screen is in the saved page only.
    """
    pages.show([table for table in shown if len(table.rows) <= MOST_ROWS] or shown[:1])
    page = pages.write_page(results.path, results.head, shown, results.aside)
    print(results.aside, end="\n" if results.aside else "")
    print(f"results: {results.path}\ntables:  {page}")
    failed = failures(results.outcomes)
    for outcome in failed:
        print(f"FAILED: {outcome.job.describe()}: {outcome.failure}", file=sys.stderr)
    return 1 if failed else 0


def refuse_to_overwrite(measuring: Measuring) -> None:
    output = measuring.output
    if output and output.exists() and not measuring.resume:
        raise BadInputError(f"{output} exists; go on with --resume, or take another name")


def plan_of(measuring: Measuring, jobs: list[Job], skipped: dict[str, str]) -> Plan:
    """What the options say about running these jobs; tells what is left out."""
    for label, reason in skipped.items():
        print(f"skipped {label}: {reason}", file=sys.stderr)
    if not jobs:
        raise BadInputError("nothing to run")
    known = dict.fromkeys(job.runtime.label for job in jobs)
    if measuring.baseline not in known:
        print(f"no ratios: {measuring.baseline} is not among {', '.join(known)}", file=sys.stderr)
    return Plan(
        jobs,
        measuring.rounds,
        measuring.warmups,
        measuring.seed,
        measuring.budget,
        measuring.baseline,
        skipped,
        measuring.beside,
    )


def compare_runtimes(
    context: typer.Context,
    measuring: Measuring,
    jobs: Callable[[Sequence[Runtime], dict[str, str]], list[Job]],
    tables: Callable[[store.Results], list[pages.Table]],
    execute: Executor = interleave,
) -> int:
    """A command with a plan and tables of its own. `jobs` notes what it leaves out."""
    refuse_to_overwrite(measuring)
    runtimes, skipped = find_all(measuring.runtimes)
    made = jobs(runtimes, skipped)
    plan = plan_of(measuring, made, skipped)
    results = measure(plan, typed(context), measuring.output, measuring.resume, execute)
    return finish(results, tables(results))
