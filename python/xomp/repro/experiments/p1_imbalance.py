# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paper 1, Fig. 3: how unequally XGOMP's static balancing loads the threads.

The paper's own profiler tells the states of each thread. Until xomp has one, perf's samples tell
work from the runtime, and what is missing to the whole is time without a processor.
"""

from __future__ import annotations

from xomp.repro import balance
from xomp.repro.experiments.paper1 import CORES, NODES, SETTINGS, XGOMP, run
from xomp.repro.model import Experiment, Needs, Result
from xomp.repro.plan import Measured, Plan, Run


def jobs(plan: Plan) -> list[Run]:
    return [
        balance.sampled(run(plan, config, app, plan.most))
        for app in plan.apps
        for config in plan.configs
    ]


def result(plan: Plan, measured: Measured) -> Result:
    names = [(each.app, each.config) for each in measured.runs]
    claims = [
        balance.uneven(measured, f"{app}: the threads are loaded unequally", app=app, config=config)
        for app, config in names
    ]
    notes = [balance.NOTE, "Tasks created and run by each thread are not told by the library yet."]
    plots = [
        balance.stacks(measured, f"{app}: time of each thread, {config}", app=app, config=config)
        for app, config in names
    ]
    table = balance.table(measured, "Share of a thread's time, and how unequal the work is.")
    return Result([table], plots, claims, notes)


EXPERIMENTS = (
    Experiment(
        1,
        "fig3",
        "Load imbalance of Fib and Sort: states and tasks of each thread",
        "section IV.A",
        Needs(
            apps=("fib", "sort"),
            cores=CORES,
            nodes=NODES,
            variables=("XOMP_PERFLOG",),
            programs=("perf",),
            essential=frozenset({"perf"}),
        ),
        (XGOMP,),
        SETTINGS,
        jobs=jobs,
        result=result,
    ),
)
