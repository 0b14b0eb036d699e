# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paper 1: the nine BOTS applications on GOMP, XGOMP, XGOMPTB, LOMP and XLOMP (Fig. 1, 4, 5, 6)."""

from __future__ import annotations

from xomp.repro import compare
from xomp.repro.experiments.paper1 import (
    APPS,
    CORES,
    GOMP,
    LOMP,
    MALLOC,
    MEMORY,
    NODES,
    SETTINGS,
    XGOMP,
    XGOMPTB,
    XLOMP,
    run,
)
from xomp.repro.model import Claim, Needs, Result
from xomp.repro.plan import Experiment, Measured, Plan, Run
from xomp.shared.text import rounded


def every_app(plan: Plan) -> list[Run]:
    return [
        run(plan, config, app, threads)
        for app in plan.apps
        for config in plan.configs
        for threads in plan.threads
    ]


def of_barrier(plan: Plan) -> list[str]:
    """What the tree barrier is where there is no tree."""
    if 2 not in plan.threads:
        return []
    return [
        "With two threads XGOMPTB's barrier is a pair without a root, each waiting for the other's "
        "report: what it is better by is no tree's (runtime/team/README.md)."
    ]


# The applications of section VI.A whose time goes into the creation of tasks, and into their
# execution.
CREATING = ("fib", "nqueens", "floorplan", "health", "uts")
EXECUTING = ("fft", "strassen", "sort", "alignment")


def of_compilers(plan: Plan) -> list[str]:
    """What else is different between the columns."""
    clangs = [name for name in (LOMP.name, XLOMP.name) if name in plan.configs]
    if not clangs:
        return []
    return [
        f"Of {' and '.join(clangs)} the application is compiled by clang, of the others by gcc, as "
        "in the paper (section VI): the program's own code differs as well as the runtime."
    ]


def fig1(plan: Plan, measured: Measured) -> Result:
    most = plan.most
    over_gomp = compare.against(plan, "GOMP")
    claims = [
        compare.everywhere(
            measured, better, "GOMP", most, f"{better} is faster than GOMP (section II)"
        )
        for better in ("LOMP", "XLOMP")
    ]
    title = f"Execution time with {most} threads"
    return Result(
        [
            compare.times(plan, measured, most),
            *compare.ratios(measured, over_gomp, most, "Times faster than GOMP."),
        ],
        [compare.time_bars(plan, measured, most, title)],
        claims,
        of_compilers(plan),
    )


def fig4(plan: Plan, measured: Measured) -> Result:
    most = plan.most
    claims = [
        compare.everywhere(
            measured, better, "GOMP", most, f"{better} is faster than GOMP (section VI.A)"
        )
        for better in ("XGOMP", "XGOMPTB", "LOMP", "XLOMP")
    ]
    xgomptb = MALLOC.name if MALLOC.name in plan.configs else XGOMPTB.name
    orders = [
        *((CREATING, better, xgomptb, "creation") for better in ("LOMP", "XLOMP")),
        (EXECUTING, xgomptb, "XLOMP", "execution"),
    ]
    claims += [
        compare.everywhere(
            measured,
            better,
            worse,
            most,
            f"{app}: {better} beats {worse} (much time in the {where} of tasks, section VI.A)",
            [app],
        )
        for apps, better, worse, where in orders
        for app in apps
    ]
    notes = [
        "The paper explains by malloc, of which GOMP and XGOMPTB need one for each task, why LOMP "
        "and XLOMP beat XGOMPTB where tasks are small (section VI.A). xomp needs none, but a "
        "compare-and-swap for each queued task and a fence for each entry that is taken, which the "
        "paper's has not: those claims are about the paper's runtime more than about its "
        f"algorithms (docs/schedulers/slb.md). So they are asked of `{MALLOC.name}`, in which each "
        "task has its malloc; the compare-and-swap stays, without which it would be no OpenMP."
    ]
    title = f"Absolute execution time with {most} threads"
    return Result(
        [compare.times(plan, measured, most)],
        [compare.time_bars(plan, measured, most, title)],
        claims,
        [*notes, *of_compilers(plan), *of_barrier(plan)],
    )


def fig5(plan: Plan, measured: Measured) -> Result:
    most = plan.most
    over_gomp = compare.against(plan, "GOMP")
    over_xgomp = [pair for pair in compare.against(plan, "XGOMP") if pair[0] == "XGOMPTB"]
    claims = [
        compare.everywhere(measured, "XGOMP", "GOMP", most, "XGOMP improves every application"),
        compare.everywhere(measured, "XGOMPTB", "GOMP", most, "XGOMPTB improves every application"),
        compare.everywhere(
            measured,
            "XGOMPTB",
            "XGOMP",
            most,
            "the tree barrier helps where tasks are small",
            ["fib", "nqueens", "floorplan"],
        ),
    ]
    title = f"Improvement over GOMP with {most} threads"
    return Result(
        [
            compare.times(plan, measured, most),
            *compare.ratios(measured, over_gomp, most, "Times faster than GOMP."),
            *compare.ratios(measured, over_xgomp, most, "The tree barrier: times faster."),
        ],
        [compare.ratio_bars(measured, over_gomp, most, title)],
        claims,
        of_barrier(plan),
    )


def fig6(plan: Plan, measured: Measured) -> Result:
    tables = [
        compare.times(plan, measured, threads, title=f"Seconds with {threads} threads (quartiles).")
        for threads in plan.threads
    ]
    most, least = max(plan.threads), min(plan.threads)
    claims = [
        compare.everywhere(
            measured, name, "GOMP", most, f"{name} is faster than GOMP with {most} threads"
        )
        for name in ("XGOMP", "XGOMPTB")
    ]
    if most > least:
        claims.append(_grows(measured, least, most))
    plot = compare.over_threads(plan, measured, "Scaling with the number of threads")
    return Result(tables, [plot], claims, of_barrier(plan))


def _grows(measured: Measured, least: int, most: int) -> Claim:
    text = f"the improvement over GOMP grows with the threads, here from {least} to {most}"
    evidence, grows = [], []
    for app in dict.fromkeys(each.app for each in measured.runs):
        few, many = (
            compare.speedup(measured, "XGOMPTB", "GOMP", app=app, threads=threads)
            for threads in (least, most)
        )
        if few and many:
            evidence.append(f"{app} {rounded(few.value)}x to {rounded(many.value)}x")
            grows.append(True if many.low > few.high else False if many.high < few.low else None)
    holds = None if not grows or None in grows else all(grows)
    return Claim(text, False if False in grows else holds, ", ".join(evidence) or "not measured")


def _experiment(item: str, title: str, section: str, configs: tuple, result, **more) -> Experiment:
    needs = Needs(apps=APPS, cores=CORES, nodes=NODES, memory=MEMORY)
    return Experiment(
        1, item, title, section, needs, configs, SETTINGS, jobs=every_app, result=result, **more
    )


EXPERIMENTS = (
    _experiment("fig1", "GOMP, LOMP and XLOMP", "section II", (GOMP, LOMP, XLOMP), fig1),
    _experiment(
        "fig4",
        "Execution time of nine applications",
        "section VI.A",
        (GOMP, XGOMP, XGOMPTB, MALLOC, LOMP, XLOMP),
        fig4,
    ),
    _experiment(
        "fig5",
        "Improvement of XGOMP and XGOMPTB over GOMP",
        "section VI.A",
        (GOMP, XGOMP, XGOMPTB),
        fig5,
    ),
    _experiment(
        "fig6",
        "Scaling with the number of threads",
        "section VI.A",
        (GOMP, XGOMP, XGOMPTB),
        fig6,
        threads="scale",
    ),
    Experiment(
        1, "fig2", "XQueue on four cores", "section II.B", drawing="the queues of XQueue, drawn"
    ),
)
