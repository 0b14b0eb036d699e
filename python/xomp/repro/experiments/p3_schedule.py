# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paper 3, section 6.2: which thread ran which leaf task of Health when (Fig. 18). xomp tells it by
its own log; on the others, and once more on xomp, bench/recorder does, which needs nothing of the
runtime."""

from __future__ import annotations

from collections import Counter
from statistics import median

from xomp.repro import counting
from xomp.repro.experiments import qthreads
from xomp.repro.experiments.p3_locality import INTEL, LOCALITY, QTHREADS, variants
from xomp.repro.experiments.qthreads import GCC, HEALTH, OWN
from xomp.repro.model import Config, Needs, Result, Schedule, Table
from xomp.repro.plan import Experiment, Measured, Plan, Run
from xomp.repro.probes import logged, records, through, told
from xomp.shared import apps, machine

# The paper draws time step 100; the recorder knows no steps, but all have equally many leaf tasks.
STEP, STEPS = 100, 365
WINDOW = 3.1e-3  # seconds, the paper's time axis
OUTSIDE = "from outside"  # xomp, seen as the others are
IN_ORDER = 100  # leaf tasks of a thread, where order is drawn and not time
TURN = 0.05  # seconds for which a thread may wait for its turn on a processor
LINES = 8  # threads that are drawn: the first eight, as in the paper

NOT_STRICT = Config("Q Locality, not strict", "xomp@XOMP_SCHEDULER=mts")
# The paper's (a): the program says where its data are, and the scheduler takes no notice.
OBLIVIOUS = Config(QTHREADS.name, "xomp@XOMP_SCHEDULER=mts,XOMP_LOCALITY=oblivious")
SAYING = {OBLIVIOUS.name, NOT_STRICT.name, OWN.name}  # run the variant of Q Locality


def window(plan: Plan) -> float:
    """In seconds. On a described machine long enough that each thread has its turn."""
    return TURN * plan.most / machine.processors() if plan.topology else WINDOW


def jobs(plan: Plan) -> list[Run]:
    recorder = str(apps.build("recorder.so"))
    runs = []
    for case in qthreads.usable(plan, [HEALTH]):
        for config in plan.configs:
            calling = LOCALITY.name if config in SAYING else config
            if wanted := variants(plan, case, calling):
                run = qthreads.parallel_run(plan, case, config, plan.most, wanted)
                if records(run):
                    runs.append(logged(run, (STEP / STEPS, window(plan))))
                # From outside one sees where memory is on the real machine.
                if not records(run) or (config == OWN.name and not plan.topology):
                    tag = f"{case.name}, {OUTSIDE}" if records(run) else ""
                    run = qthreads.parallel_run(plan, case, config, plan.most, wanted, tag=tag)
                    runs.append(through(run, "recorded", recorder, str(STEP / STEPS), str(WINDOW)))
    return runs


def leaves(measured: Measured, config: str, tag: str) -> tuple[dict, list[dict]]:
    """Of the first measured run: the line about all leaf tasks, and those of the window."""
    for run in measured.find(config=config, tag=tag):
        for outcome in measured.outcomes:
            if outcome.job.key == run.job.key and outcome.round >= 0 and not outcome.failure:
                shown = [line for line in outcome.records if line["program"] == "leaf"]
                return told(outcome, "recorded"), shown
    return {}, []


def kind(leaf: dict) -> str:
    """The box's colour: the node in which the task's data lies."""
    return f"data on node {leaf['data_node']}" if leaf["data_node"] >= 0 else "data anywhere"


def in_time(drawn: list[dict]) -> list[tuple[int, float, float, str]]:
    """Boxes in milliseconds."""
    return [(e["thread"], 1e3 * e["start"], 1e3 * e["seconds"], kind(e)) for e in drawn]


def in_order(drawn: list[dict]) -> list[tuple[int, float, float, str]]:
    """The first, second ... box of each thread, all of one length."""
    before: Counter[int] = Counter()
    boxes = []
    for leaf in drawn:
        boxes.append((leaf["thread"], float(before[leaf["thread"]]), 1.0, kind(leaf)))
        before[leaf["thread"]] += 1
    return boxes


def result(plan: Plan, measured: Measured) -> Result:
    rows, panels = [], {}
    again = f"{HEALTH.name}, {OUTSIDE}"
    panels_of = [(config, config, HEALTH.name) for config in plan.configs]
    panels_of.append((f"{OWN.name}, {OUTSIDE}", OWN.name, again))
    for name, config, tag in panels_of:
        total, shown = leaves(measured, config, tag)
        drawn = [leaf for leaf in shown if leaf["thread"] < LINES]
        if not total:
            continue
        local = f"{100 * total['local'] / total['placed']:.0f} %" if total["placed"] else "-"
        middle = f"{1e6 * median(leaf['seconds'] for leaf in drawn):.1f}" if drawn else "-"
        work = f"{total['work']:.4g}"
        row = [name, str(total["leaves"]), local, str(len(drawn))]
        rows.append(row if plan.topology else [*row, work, middle])
        panels[name] = in_order(drawn) if plan.topology else in_time(drawn)
    header = ["", "leaf tasks", "data on the own node", "leaf tasks in the window"]
    header += [] if plan.topology else ["seconds in all", "median in the window, us"]
    title = f"Leaf tasks of a run with {plan.most} threads"
    title += "." if plan.topology else f", and those of {1e3 * WINDOW:g} ms of it."
    # On a described machine the threads take turns on few processors: there is an order, no time.
    axis = "leaf tasks of each thread, in order" if plan.topology else "milliseconds"
    length = IN_ORDER if plan.topology else 1e3 * WINDOW
    plots = (
        [Schedule("Leaf tasks of Health on their threads", axis, panels, length)] if panels else []
    )
    notes = (
        "xomp's rows are by its own log, in which data are where the program says they are "
        "(`omp_child_task_affinity`). The others are by a library that stands before the runtime, "
        "and asks the kernel where that lies what the task's first pointer points to; so is "
        f"`{OWN.name}, {OUTSIDE}`. A leaf is a task that made no other.",
        *([counting.NOTE] if plan.topology else []),
        f"The window opens when {STEP}/{STEPS} of the leaf tasks have begun, that is with time "
        f"step {STEP}. The first run is drawn. A "
        "task whose thread lost its processor to another program looks long.",
    )
    return Result([Table(title, header, rows)], plots, notes=notes)


EXPERIMENTS = (
    Experiment(
        3,
        "fig18",
        "Schedules of Health, drawn",
        "section 6.2",
        Needs(
            apps=("health",),
            symbols=qthreads.LOCALITY_CALLS,
            cores=qthreads.CORES,
            nodes=qthreads.NODES,
        ),
        (OBLIVIOUS, NOT_STRICT, LOCALITY, INTEL, GCC, OWN),
        qthreads.PINNED,
        rounds=1,
        counts=True,
        jobs=jobs,
        result=result,
    ),
)
