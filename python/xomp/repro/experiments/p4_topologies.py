# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paper 4: load balance and speed of XQueue's topologies and of work stealing, on Fibonacci and
Cholesky. What the paper calls XQueue vN is paper 1's XQueue with all auxiliary queues."""

from __future__ import annotations

from statistics import median

from xomp.bench.stats import summarize
from xomp.repro import balance, compare
from xomp.repro.model import Bars, Claim, Config, Needs, Result, Table
from xomp.repro.plan import Experiment, Measured, Plan, Run
from xomp.repro.probes import logged
from xomp.repro.published import Published, load
from xomp.shared.text import rounded

APPS = ("fib", "cholesky")
COLUMNS = {"fib": "Fib.", "cholesky": "Chol."}
CORES = 128  # threads of section 4; the machines are not named

ORIGINAL = Config("XQueue", "xomp@XOMP_SCHEDULER=xqueue1", "one auxiliary queue")
TWO = Config("XQueue v2", "xomp@XOMP_SCHEDULER=xqueue2", "two auxiliary queues")
ALL = Config("XQueue vN", "xomp@XOMP_SCHEDULER=slb", "an auxiliary queue from every other worker")
STEALING = Config(
    "Work Stealing", "xomp@XOMP_SCHEDULER=xqueue-ws", "one auxiliary queue, from which others steal"
)
DESIGNS = (ORIGINAL, TWO, ALL, STEALING)
GNU = Config("GCC OpenMP", "libgomp")
LLVM = Config("LLVM OpenMP", "libomp", "gcc's binary")
INTEL = Config("Intel OpenMP", "libiomp5", "gcc's binary")


def recorded_jobs(plan: Plan) -> list[Run]:
    """Each by its log; the first design by samples, too, to compare the instruments."""
    runs = []
    for app in plan.apps:
        for config in plan.configs:
            run = plan.run(config, app, plan.most)
            runs.append(logged(run))
            if config == plan.configs[0]:
                runs += balance.sampled(run)
    return runs


def lambda_result(plan: Plan, measured: Measured) -> Result:
    published = load(4, "lambda")
    rows, found = [], {}
    for config in plan.configs:
        row = [config]
        for app, column in COLUMNS.items():
            values = balance.errors(measured, app=app, config=config, tag="")
            known = config in published.column("design")
            paper = str(published.value(config, column)) if known else "-"
            if values:
                found[app, config] = values
            row += [rounded(median(values)) if values else "-", paper]
        rows.append(row)
    header = ["design"]
    for app in COLUMNS:
        header += [f"{app}, here", f"{app}, paper"]
    plot = Bars(
        f"Load balance error, {plan.most} threads, and that of the paper",
        "lambda: most / mean - 1",
        [f"{app}, {where}" for app in COLUMNS for where in ("here", "paper")],
        {config: _bars(config, found, published) for config in plan.configs},
    )
    notes = [
        *balance.NOTE,
        f"The largest error that {plan.most} threads can have is {plan.most - 1}, all work on one; "
        "the paper's numbers are of many more.",
    ]
    shares = balance.table(measured, "Share of the threads' time.")
    return Result(
        [Table("Load balance error.", header, rows), shares],
        [plot],
        _claims(measured, found),
        notes,
    )


def _bars(config: str, found: dict, published: Published) -> list[float | None]:
    """Here and in the paper, by application."""
    bars = []
    for app, column in COLUMNS.items():
        known = config in published.column("design")
        bars.append(median(found[app, config]) if (app, config) in found else None)
        bars.append(published.value(config, column) if known else None)
    return bars


def _claims(measured: Measured, found: dict[tuple[str, str], list[float]]) -> list[Claim]:
    claims = []
    for app in COLUMNS:
        for better, worse in (("XQueue vN", "XQueue"), ("Work Stealing", "XQueue")):
            text = f"{app}: {better} is better balanced than the original XQueue (section 3.1)"
            both = [found.get((app, name)) for name in (better, worse)]
            summaries = [summarize(values) if values else None for values in both]
            claims.append(compare.less(text, *summaries, of=(better, worse)))
    return claims


def fig1(plan: Plan, measured: Measured) -> Result:
    plots = []
    for run in measured.runs:
        name = f"{run.config}, {run.tag}" if run.tag else run.config
        words = {"app": run.app, "config": run.config, "tag": run.tag}
        plots.append(balance.stacks(measured, f"{run.app}: time of each thread, {name}", **words))
    claims = [
        balance.uneven(
            measured,
            f"{run.app}: {run.config} spreads the work unequally",
            app=run.app,
            config=run.config,
            tag="",
        )
        for run in measured.runs
        if run.config == "XQueue" and not run.tag
    ] or [Claim("the original XQueue spreads the work unequally", None, "not measured")]
    table = balance.table(measured, "Share of the threads' time, and the load balance error.")
    return Result([table], plots, claims, balance.NOTE)


def fig3_jobs(plan: Plan) -> list[Run]:
    return [
        plan.run(config, app, threads)
        for app in plan.apps
        for config in plan.configs
        for threads in plan.threads
    ]


def fig3(plan: Plan, measured: Measured) -> Result:
    most = plan.most
    tables = [
        compare.times(plan, measured, threads, title=f"Seconds with {threads} threads (quartiles).")
        for threads in plan.threads
    ]
    words = {"app": "fib", "threads": most}
    claims = [
        compare.faster(
            f"fib: {better} is faster than {worse} (section 4)",
            compare.speedup(measured, better, worse, **words),
            of=(better, worse),
        )
        for better, worse in (
            ("XQueue vN", "XQueue"),
            ("GCC OpenMP", "XQueue vN"),
            ("Intel OpenMP", "XQueue vN"),
        )
    ]
    claims += [
        compare.faster(
            f"{app}: work stealing is faster than XQueue vN (section 4)",
            compare.speedup(measured, "Work Stealing", "XQueue vN", app=app, threads=most),
            of=("Work Stealing", "XQueue vN"),
        )
        for app in APPS
    ]
    return Result(tables, [compare.over_threads(plan, measured, "Time over threads")], claims)


def _experiment(item, title, section, configs, make, show, **more) -> Experiment:
    return Experiment(4, item, title, section, configs=configs, jobs=make, result=show, **more)


RECORDED = Needs(
    apps=APPS,
    cores=CORES,
    variables=("XOMP_PERFLOG",),
    programs=("perf",),
    essential=frozenset({"XOMP_PERFLOG"}),
)

EXPERIMENTS = (
    _experiment(
        "lambda",
        "Load balance error: XQueue's topologies and work stealing",
        "section 3.1",
        DESIGNS,
        recorded_jobs,
        lambda_result,
        needs=RECORDED,
    ),
    _experiment(
        "fig1",
        "Time of each processor in tasks, original XQueue",
        "section 3",
        (ORIGINAL, ALL),
        recorded_jobs,
        fig1,
        needs=RECORDED,
    ),
    Experiment(
        4, "fig2", "XQueue's topologies", "section 3.2", drawing="the designs of XQueue, drawn"
    ),
    _experiment(
        "fig3",
        "Time over threads: XQueue topologies, work stealing, OpenMP",
        "section 4",
        (*DESIGNS, GNU, LLVM, INTEL),
        fig3_jobs,
        fig3,
        needs=Needs(apps=APPS, cores=CORES),
        threads="scale",
    ),
)
