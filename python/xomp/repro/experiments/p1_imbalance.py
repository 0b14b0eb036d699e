# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paper 1, Fig. 3: how unequally XGOMP's static balancing loads the threads.

The paper's own profiler tells the states of each thread. Until xomp has one, perf's samples tell
work from the runtime, and what is missing to the whole is time without a processor. Of the tasks
the leaves are counted: bench/recorder sees which thread runs them, on any runtime.
"""

from __future__ import annotations

from statistics import mean, median

from xomp.bench import apps
from xomp.repro import balance, compare
from xomp.repro.experiments.paper1 import CORES, NODES, SETTINGS, XGOMP, run
from xomp.repro.model import Claim, Experiment, Needs, Result, Stacks, Table
from xomp.repro.plan import Measured, Plan, Run
from xomp.repro.probes import through, told

COUNTED = "leaf tasks"  # the tag of the runs in which they are
NOTE = (
    "Leaf tasks are those that make no tasks of their own; they are counted with inputs of size "
    "small at most, because each takes 32 bytes. Which thread created a task is not told."
)


def jobs(plan: Plan) -> list[Run]:
    recorder = str(apps.build("recorder.so"))
    runs = []
    for app in plan.apps:
        for config in plan.configs:
            runs.append(balance.sampled(run(plan, config, app, plan.most)))
            size = "test" if plan.size == "test" else "small"
            counted = run(plan, config, app, plan.most, tag=COUNTED, size=size)
            runs.append(through(counted, "recorded", recorder, "0", "0"))
    return runs


def leaf_counts(measured: Measured, app: str, config: str) -> list[list[int]]:
    """By thread, of each measured run that had any."""
    found = measured.series(lambda outcome: outcome, app=app, config=config, tag=COUNTED)
    counts = []
    for outcome in found.values():
        text = str(told(outcome, "recorded").get("by_thread", ""))
        own = [int(part) for part in text.split(",") if part]
        counts.append(own + [0] * (outcome.job.threads - len(own)))
    return [count for count in counts if sum(count)]


def leaf_table(measured: Measured) -> Table:
    rows = []
    for each in measured.find(tag=COUNTED):
        row = [each.app, each.config, str(each.threads)]
        counts = leaf_counts(measured, each.app, each.config)
        if counts:
            least = median(min(count) / mean(count) for count in counts)
            most = median(max(count) / mean(count) for count in counts)
            rows.append([*row, str(sum(counts[0])), f"{least:.0%}", f"{most:.0%}"])
        else:
            rows.append([*row, "-", "-", "-"])
    title = "Leaf tasks run by a thread, of the mean of all threads (medians of the runs)."
    header = ["application", "configuration", "threads", "leaf tasks", "fewest", "most"]
    return Table(title, header, rows)


UNEQUAL = 1.1  # the most tasks of a thread, of the mean


def count_claim(measured: Measured, app: str, config: str) -> Claim:
    """Section IV.A: Fib's tasks are spread unequally over the threads, Sort's equally."""
    equally = app != "fib"
    text = f"{app}: the threads run {'equally' if equally else 'unequally'} many tasks"
    counts = leaf_counts(measured, app, config)
    if not counts:
        return Claim(text, None, "not measured")
    most = [max(count) / mean(count) for count in counts]
    sides = {value < UNEQUAL for value in most}
    evidence = f"most of a thread {', '.join(f'{value:.0%}' for value in sorted(most))} of the mean"
    holds = None if len(sides) > 1 else sides.pop() == equally
    return compare.believed(measured, Claim(text, holds, evidence))


def result(plan: Plan, measured: Measured) -> Result:
    claims, plots = [], []
    for each in measured.find(tag=""):
        app, config = each.app, each.config
        words = {"app": app, "config": config, "tag": ""}
        text = f"{app}: the threads are loaded unequally"
        claims.append(balance.uneven(measured, text, **words))
        claims.append(count_claim(measured, app, config))
        plots.append(balance.stacks(measured, f"{app}: time of each thread, {config}", **words))
        for count in leaf_counts(measured, app, config)[:1]:
            title = f"{app}: leaf tasks run by each thread, {config}"
            threads = [str(thread) for thread in range(len(count))]
            plots.append(Stacks(title, "tasks", threads, {COUNTED: list(map(float, count))}))
    table = balance.table(measured, "Share of a thread's time, and how unequal the work is.")
    return Result([table, leaf_table(measured)], plots, claims, [balance.NOTE, NOTE])


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
