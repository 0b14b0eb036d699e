# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`run`, `all` and `sweep`: applications on the runtimes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from xomp.bench import means, pages, plan, plot, store, sweep, tables
from xomp.bench.measure import Executor, measure
from xomp.bench.options import Apps, Cases, Measuring
from xomp.bench.rounds import interleave
from xomp.bench.session import finish, plan_of, refuse_to_overwrite, typed
from xomp.shared.runtimes import find_all

ALL = Measuring(rounds=9, budget=600.0)  # to end within twelve minutes on two processors


def run(
    context: typer.Context,
    apps: Apps,
    measuring: Measuring,
    cases: Cases,
) -> int:
    return run_apps(context, apps, measuring, cases)


def run_all(
    context: typer.Context,
    cases: Cases,
    measuring: Measuring = ALL,
) -> int:
    return run_apps(context, ["all"], measuring, cases, with_serial=True)


def run_swept(
    context: typer.Context,
    apps: Apps,
    measuring: Measuring,
    cases: Cases,
    executor: Annotated[str, typer.Option(help=sweep.EXECUTOR_HELP)] = "local",
) -> int:
    refuse_to_overwrite(measuring)
    execute = sweep.executor(executor, interleave)
    return run_apps(context, apps, measuring, cases, execute=execute)


def run_apps(
    context: typer.Context,
    apps: Sequence[str],
    measuring: Measuring,
    cases: Cases,
    with_serial: bool = False,
    execute: Executor = interleave,
) -> int:
    """`with_serial` runs the serial codes too, which tell the sizes of the tasks."""
    refuse_to_overwrite(measuring)
    settings = plan.parse_settings(cases.settings or [])
    found = plan.select(apps, cases.size, settings, cases.data, cases.compiler)
    runtimes, skipped = find_all(measuring.runtimes)
    skipped.update(found.skipped)
    jobs = plan.jobs(found.cases, runtimes, measuring.threads, measuring.limit, skipped)
    if with_serial:
        base = [runtime for runtime in runtimes if runtime.label == measuring.baseline]
        jobs += plan.jobs(plan.serial_cases(found.cases), base, [1], measuring.limit)
    for name, reason in found.broken.items():
        print(f"FAILED: {name} cannot be built: {reason}", file=sys.stderr)
    whole = plan_of(measuring, jobs, skipped)
    results = measure(whole, typed(context), measuring.output, measuring.resume, execute)
    status = finish(results, tables_of(results))
    if not cases.no_plot:
        tell_plots(plot.results(results, results.path))
    return 1 if found.broken else status


def tables_of(results: store.Results) -> list[pages.Table]:
    overview = means.table(results)
    return [*([overview] if overview.rows else []), *tables.for_results(results)]


def tell_plots(paths: Sequence[Path]) -> None:
    if paths:
        print(f"plots:   {' '.join(map(str, paths))}")
