# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paper 5, sections 4.1 to 4.3: speedup of nine programs on seven schedulers (Fig. 1 to 9), times
(Table 2) and their variability (Table 3); what stands for the schedulers here (Table 1)."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median, stdev

from xomp.repro.compare import exact
from xomp.repro.experiments import qthreads
from xomp.repro.experiments.qthreads import GCC, ICC, OWN, Case
from xomp.repro.model import Config, Needs, Result, Table
from xomp.repro.plan import Experiment, Measured, Plan, Run
from xomp.repro.published import load

# Table 1 of the paper.
Q = Config("Q", "xomp@XOMP_SCHEDULER=q")
L = Config("L", "xomp@XOMP_SCHEDULER=l")
CQ = Config("CQ", "xomp@XOMP_SCHEDULER=cq")
WS = Config("WS", "xomp@XOMP_SCHEDULER=ws")
MTS = Config("MTS", "xomp@XOMP_SCHEDULER=mts")
ALL = (ICC, GCC, Q, L, CQ, WS, MTS, OWN)

# Figure, case, and which configuration the text (section 4.2) finds faster than which.
FIGURES = (
    (
        "fig1",
        qthreads.HEALTH,
        (("L", "Q"), ("Q", "ICC"), ("WS", "L"), ("MTS", "WS"), ("MTS", "ICC"), ("MTS", "GCC")),
    ),
    (
        "fig2",
        qthreads.SORT,
        (("L", "Q"), ("WS", "L"), ("CQ", "L"), ("MTS", "WS"), ("MTS", "ICC"), ("MTS", "GCC")),
    ),
    ("fig3", qthreads.NQUEENS, (("CQ", "L"), ("WS", "L"), ("MTS", "ICC"), ("MTS", "GCC"))),
    ("fig4", qthreads.FIB, (("CQ", "MTS"), ("MTS", "ICC"), ("MTS", "GCC"), ("ICC", "GCC"))),
    ("fig5", qthreads.ALIGNMENT_SINGLE, (("ICC", "GCC"), ("ICC", "MTS"))),
    ("fig6", qthreads.ALIGNMENT_FOR, (("ICC", "GCC"), ("ICC", "MTS"))),
    ("fig7", qthreads.SPARSELU_SINGLE, (("MTS", "ICC"), ("GCC", "ICC"))),
    ("fig8", qthreads.SPARSELU_FOR, (("MTS", "ICC"),)),
    ("fig9", qthreads.STRASSEN, (("ICC", "GCC"), ("WS", "MTS"), ("MTS", "CQ"), ("CQ", "Q"))),
)


def figure_jobs(case: Case) -> Callable[[Plan], list[Run]]:
    return lambda plan: qthreads.over_threads(plan, [case])


def figure_result(case: Case, order: tuple) -> Callable[[Plan, Measured], Result]:
    def result(plan: Plan, measured: Measured) -> Result:
        title = f"{case.name}: speedup"
        return Result(
            [qthreads.speedup_table(plan, measured, case)],
            [qthreads.speedup_lines(plan, measured, [case], title)],
            [qthreads.beats(measured, case, *pair, plan.most) for pair in order],
        )

    return result


def most_threads(plan: Plan) -> list[Run]:
    """Every case and configuration with all threads, and the sequential programs."""
    return [
        run
        for case in qthreads.usable(plan, qthreads.NINE)
        for run in (
            qthreads.serial_run(plan, case),
            *(qthreads.parallel_run(plan, case, config, plan.most) for config in plan.configs),
        )
    ]


def best_and_median(values: list[float]) -> str:
    return f"{exact(min(values))} ({exact(median(values))})" if values else "-"


def table2(plan: Plan, measured: Measured) -> Result:
    cases = qthreads.cases_of(measured, qthreads.NINE)
    rows = [
        [
            "sequential",
            *(
                best_and_median([*qthreads.serial_series(measured, case).values()])
                for case in cases
            ),
        ]
    ]
    for config in plan.configs:
        found = (measured.series(tag=case.name, config=config) for case in cases)
        rows.append([config, *(best_and_median([*series.values()]) for series in found)])
    title = f"Seconds at best, as in the paper, and in the median, with {plan.most} threads."
    table = Table(title, ["", *(case.name for case in cases)], rows)
    pairs = (("MTS", "ICC"), ("MTS", "GCC"))
    claims = [qthreads.beats(measured, case, *pair, plan.most) for pair in pairs for case in cases]
    notes = ("Of Alignment and SparseLU the paper shows the better of the two variants.",)
    return Result([table], [], claims, notes)


def deviation(values: list[float]) -> float | None:
    """The standard deviation in percent of the fastest time (section 4.3)."""
    return 100 * stdev(values) / min(values) if len(values) > 1 else None


def table3(plan: Plan, measured: Measured) -> Result:
    cases = qthreads.cases_of(measured, qthreads.NINE)
    rows = []
    for config in plan.configs:
        cells = []
        for case in cases:
            found = deviation([*measured.series(tag=case.name, config=config).values()])
            here = "-" if found is None else f"{found:.2g}"
            cells.append(f"{here} ({published_deviation(config, case)})")
        rows.append([config, *cells])
    title = (
        f"Standard deviation of {plan.rounds} runs with {plan.most} threads in percent of the "
        "fastest; in parentheses the paper's, of ten runs with 32 threads."
    )
    return Result([Table(title, ["", *(case.name for case in cases)], rows)])


def published_deviation(config: str, case: Case) -> object:
    """The paper's, or a dash where it does not have the configuration."""
    rows = {"ICC": "ICC 32 threads", "GCC": "GCC 32 threads"}
    rows |= {"MTS": "Qthreads MTS 32 workers", "WS": "Qthreads WS 32 shepherds"}
    return load(5, "table3").value(rows[config], case.name) if config in rows else "-"


def table1(plan: Plan, measured: Measured) -> Result:
    """Its schedulers, and what stands for each here."""
    told = load(5, "table1")
    rows = [
        [config.name, str(told.value(config.name, told.columns[1])), label, config.note or "-"]
        for config in plan.experiment.configs
        if (label := config.label or "-")
    ]
    header = ["paper", "scheduler there", "here", "what differs"]
    return Result([Table("What stands for the paper's schedulers.", header, rows)])


def _figure(item: str, case: Case, order: tuple) -> Experiment:
    return Experiment(
        5,
        item,
        f"{case.name}: speedup by scheduler",
        "section 4.2",
        Needs(apps=(case.app,), cores=qthreads.CORES, nodes=qthreads.NODES, memory=8.0),
        ALL,
        qthreads.PINNED,
        threads="scale",
        rounds=qthreads.ROUNDS,
        jobs=figure_jobs(case),
        result=figure_result(case, order),
    )


_EVERY = Needs(
    apps=qthreads.apps_of(qthreads.NINE), cores=qthreads.CORES, nodes=qthreads.NODES, memory=8.0
)

EXPERIMENTS = (
    *(_figure(*each) for each in FIGURES),
    Experiment(
        5,
        "table1",
        "The schedulers",
        "section 3",
        configs=(Q, L, CQ, WS, MTS, ICC, GCC),
        result=table1,
    ),
    Experiment(
        5,
        "table2",
        "Sequential and parallel times",
        "section 4.1",
        _EVERY,
        (ICC, GCC, MTS, OWN),
        qthreads.PINNED,
        rounds=qthreads.ROUNDS,
        jobs=most_threads,
        result=table2,
    ),
    Experiment(
        5,
        "table3",
        "Variability from run to run",
        "section 4.3",
        _EVERY,
        (ICC, GCC, MTS, WS, OWN),
        qthreads.PINNED,
        rounds=qthreads.ROUNDS,
        jobs=most_threads,
        result=table3,
    ),
)
