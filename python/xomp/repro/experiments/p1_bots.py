# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paper 1: the nine BOTS applications on GOMP, XGOMP and XGOMPTB (Fig. 1, 4, 5, 6)."""

from __future__ import annotations

from xomp.repro import compare
from xomp.repro.model import Config, Experiment, Needs, Result
from xomp.repro.plan import Measured, Plan, Run

# In the paper's order: by size of task, from small to large (section VI.A).
APPS = ("fib", "nqueens", "floorplan", "uts", "fft", "health", "strassen", "sort", "alignment")
CORES, NODES = 192, 8  # Skylake-192 (section VI)
SETTINGS = {"OMP_PLACES": "cores", "OMP_PROC_BIND": "close"}  # section VI

GOMP = Config("GOMP", "libgomp", "the system's libgomp instead of GCC 12.2.1's")
LOMP = Config("LOMP", "libomp", "gcc's binary on the installed libomp, not clang 14's")
XLOMP = Config("XLOMP", None, "LLVM's runtime with XQueue: the harness has no such runtime")
XGOMP = Config("XGOMP", "xomp@XOMP_SCHEDULER=slb,XOMP_BARRIER=central")
XGOMPTB = Config("XGOMPTB", "xomp@XOMP_SCHEDULER=slb,XOMP_BARRIER=tree")


def every_app(plan: Plan) -> list[Run]:
    return [
        plan.run(config, app, threads)
        for app in plan.apps
        for config in plan.configs
        for threads in plan.threads
    ]


def fig1(plan: Plan, measured: Measured) -> Result:
    most = plan.most
    claims = [
        compare.everywhere(measured, "LOMP", "GOMP", most, "LOMP is faster than GOMP (section II)")
    ]
    title = f"Execution time with {most} threads"
    return Result(
        [compare.times(plan, measured, most)],
        [compare.time_bars(plan, measured, most, title)],
        claims,
    )


def fig4(plan: Plan, measured: Measured) -> Result:
    most = plan.most
    claims = [
        compare.everywhere(
            measured, better, "GOMP", most, f"{better} is faster than GOMP (section VI.A)"
        )
        for better in ("XGOMP", "XGOMPTB", "LOMP")
    ]
    # The applications of section VI.A whose time goes into creating tasks, and into running them.
    claims += [
        compare.everywhere(
            measured,
            "LOMP",
            "XGOMPTB",
            most,
            f"{app}: LOMP beats XGOMPTB (much time in the creation of tasks, section VI.A)",
            [app],
        )
        for app in ("fib", "nqueens", "floorplan", "health", "uts")
    ]
    title = f"Absolute execution time with {most} threads"
    return Result(
        [compare.times(plan, measured, most)],
        [compare.time_bars(plan, measured, most, title)],
        claims,
    )


def fig5(plan: Plan, measured: Measured) -> Result:
    most = plan.most
    pairs = [("XGOMP", "GOMP"), ("XGOMPTB", "GOMP"), ("XGOMPTB", "XGOMP")]
    claims = [
        compare.everywhere(measured, *pairs[0], most, "XGOMP improves every application"),
        compare.everywhere(measured, *pairs[1], most, "XGOMPTB improves every application"),
        compare.everywhere(
            measured,
            *pairs[2],
            most,
            "the tree barrier helps where tasks are small",
            ["fib", "nqueens", "floorplan"],
        ),
    ]
    title = f"Improvement over GOMP with {most} threads"
    return Result(
        [compare.ratios(measured, pairs, most, "Times faster.")],
        [compare.ratio_bars(measured, pairs[:2], most, title)],
        claims,
    )


def fig6(plan: Plan, measured: Measured) -> Result:
    tables = [
        compare.times(plan, measured, threads, title=f"Seconds with {threads} threads (quartiles).")
        for threads in plan.threads
    ]
    return Result(tables, [compare.over_threads(plan, measured, "Scaling with the threads")], [])


def _experiment(item: str, title: str, section: str, configs: tuple, result, **more) -> Experiment:
    needs = Needs(apps=APPS, cores=CORES, nodes=NODES, memory=8.0)
    return Experiment(
        1, item, title, section, needs, configs, SETTINGS, jobs=every_app, result=result, **more
    )


EXPERIMENTS = (
    _experiment("fig1", "GOMP, LOMP and XLOMP", "section II", (GOMP, LOMP, XLOMP), fig1),
    _experiment(
        "fig4",
        "Execution time of nine applications",
        "section VI.A",
        (GOMP, XGOMP, XGOMPTB, LOMP, XLOMP),
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
