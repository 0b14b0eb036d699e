# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paper 1, Fig. 3: how unequally XGOMP's static balancing loads the threads: their states, and the
tasks that each of them ran. As in the paper, the runtime's own recorder tells."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, median

from xomp.bench.run import Outcome
from xomp.repro.experiments.paper1 import CORES, NODES, SETTINGS, XGOMP, run
from xomp.repro.model import Claim, Needs, Result, Rows, Table
from xomp.repro.plan import Experiment, Measured, Plan, Run
from xomp.repro.probes import by_thread as parts_of
from xomp.repro.probes import logged as logged_run
from xomp.repro.probes import told
from xomp.shared.parts import PARTS
from xomp.shared.text import rounded

# The paper's states (section V), and those of xomp's log that they are.
STATES = {
    "TASK": ("work",),
    "GOMP_TASK": ("create",),
    "TASKWAIT, BARRIER": ("schedule", "fork", "mutex"),
    "STALL": ("stall", "order"),
    "outside": ("outside",),
    PARTS["kept_off"].name: ("kept_off",),
}
NOTE = (
    "By the log of each run (XOMP_PERFLOG), whose records slow the smallest tasks down; outside is "
    "the time before and behind the parallel region, the making of the input included; kept off is "
    "that in which other programs had the processors. Of a run whose log was full the time until "
    "then is looked at."
)
UNEQUAL = 1.1  # the most of a thread, of the mean


def jobs(plan: Plan) -> list[Run]:
    return [
        logged_run(run(plan, config, app, plan.most))
        for app in plan.apps
        for config in plan.configs
    ]


def by_thread(outcome: Outcome, name: str) -> list[float]:
    return parts_of(told(outcome, "logged"), name)


def logged(measured: Measured, app: str, config: str) -> list[Outcome]:
    """The measured runs that left a log."""
    found = measured.series(lambda outcome: outcome, app=app, config=config)
    return [outcome for outcome in found.values() if sum(by_thread(outcome, "work")) > 0]


def most(values: Sequence[float]) -> float:
    """The busiest thread's, of the mean."""
    return max(values) / mean(values) if sum(values) else 1.0


def state(outcome: Outcome, name: str) -> list[float]:
    parts = [by_thread(outcome, each) for each in STATES[name]]
    return [sum(each) for each in zip(*parts, strict=True)]


def table(measured: Measured) -> Table:
    lines = []
    for each in measured.runs:
        row = [each.app, each.config, str(each.threads)]
        outcomes = logged(measured, each.app, each.config)
        if not outcomes:
            lines.append([*row, *["-"] * (len(STATES) + 4)])
            continue
        whole = [sum(sum(state(outcome, name)) for name in STATES) for outcome in outcomes]
        for name in STATES:
            shares = [sum(state(o, name)) / all_ for o, all_ in zip(outcomes, whole, strict=True)]
            row.append(f"{median(shares):.0%}")
        row.append(rounded(median(most(by_thread(outcome, "work")) - 1 for outcome in outcomes)))
        ran = [by_thread(outcome, "tasks_run") for outcome in outcomes]
        row.append(f"{sum(ran[0]):.0f}")
        row.append(f"{median(min(each) / mean(each) for each in ran if sum(each)):.0%}")
        row.append(f"{median(map(most, ran)):.0%}")
        lines.append(row)
    header = ["application", "configuration", "threads", *STATES, "lambda"]
    title = (
        "Shares of the threads' time, load balance error, and tasks run by a thread, of the mean."
    )
    return Table(title, [*header, "tasks", "fewest", "most"], lines)


def claim(text: str, measured: Measured, values: list[float], unequal: bool) -> Claim:
    if not values:
        return Claim(text, None, "no log was left")
    sides = {value > UNEQUAL for value in values}
    evidence = (
        f"most of a thread {', '.join(f'{value:.0%}' for value in sorted(values))} of the mean"
    )
    holds = None if len(sides) > 1 else sides.pop() == unequal
    return Claim(text, holds, evidence)


def rows(outcome: Outcome, app: str, config: str) -> Rows:
    """The paper's two panels, as `xomp report --figures` draws them."""
    # Not before: it needs numpy, which who only asks what there is may lack.
    from xomp.profile.showing.figures import ACTIVITIES

    told_ = told(outcome, "activities")
    parts = {
        name: values
        for index, (name, _) in enumerate(ACTIVITIES)
        if any(values := parts_of(told_, f"a{index}"))
    }
    counts = (list(map(int, by_thread(outcome, f"tasks_{each}"))) for each in ("made", "run"))
    return Rows(f"{app} on {config}, thread by thread", "seconds", parts, *counts)


def result(plan: Plan, measured: Measured) -> Result:
    """Section IV.A: the threads are loaded unequally; Fib's tasks are spread so, Sort's not."""
    claims, plots = [], []
    for each in measured.runs:
        outcomes = logged(measured, each.app, each.config)
        work = [most(by_thread(outcome, "work")) for outcome in outcomes]
        text = f"{each.app}: the threads are loaded unequally"
        claims.append(claim(text, measured, work, unequal=True))
        unequal = each.app == "fib"
        text = f"{each.app}: the threads run {'un' if unequal else ''}equally many tasks"
        ran = [most(by_thread(outcome, "tasks_run")) for outcome in outcomes]
        claims.append(claim(text, measured, ran, unequal))
        if outcomes:
            ranked = sorted(outcomes, key=lambda outcome: most(by_thread(outcome, "work")))
            plots.append(rows(ranked[len(ranked) // 2], each.app, each.config))
    return Result([table(measured)], plots, claims, [NOTE])


EXPERIMENTS = (
    Experiment(
        1,
        "fig3",
        "Load imbalance of Fib and Sort: states, and tasks by thread",
        "section IV.A",
        Needs(
            apps=("fib", "sort"),
            cores=CORES,
            nodes=NODES,
            variables=("XOMP_PERFLOG",),
            essential=frozenset({"XOMP_PERFLOG"}),
        ),
        (XGOMP,),
        SETTINGS,
        jobs=jobs,
        result=result,
    ),
)
