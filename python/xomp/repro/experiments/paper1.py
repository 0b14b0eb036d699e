# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paper 1: what its experiments share: machine, applications, inputs, runtimes, size of a task."""

from __future__ import annotations

from xomp.bench.run import run as run_once
from xomp.repro.model import Config
from xomp.repro.plan import Plan, Run
from xomp.shared import machine

# In the order of Fig. 1 and Table I.
APPS = ("fib", "nqueens", "fft", "floorplan", "health", "uts", "strassen", "sort", "alignment")
CORES, NODES = 192, 8  # Skylake-192 (section VI)
MEMORY = 8.0  # two arrays of 10^9 integers of four bytes: Sort at size paper
SETTINGS = {"OMP_PLACES": "cores", "OMP_PROC_BIND": "close"}  # section VI

GOMP = Config("GOMP", "libgomp", "the system's libgomp instead of GCC 12.2.1's")
LOMP = Config("LOMP", "libomp", "the installed versions instead of 14.0.0", "clang")
XGOMP = Config("XGOMP", "xomp@XOMP_SCHEDULER=slb,XOMP_BARRIER=central")
XGOMPTB = Config("XGOMPTB", "xomp@XOMP_SCHEDULER=slb,XOMP_BARRIER=tree")
MALLOC = Config(
    "XGOMPTB malloc",
    "xomp@XOMP_SCHEDULER=slb,XOMP_BARRIER=tree,XOMP_TASK_MEMORY=malloc",
    "with the paper's malloc for each task",
)
# LLVM's runtime with XQueue: static load balancing (section I), LLVM's barrier, which gathers and
# releases along a tree as XGOMPTB's does (section III.B), and memory of tasks that threads keep
# (section VI.A), which is what xomp has without XOMP_TASK_MEMORY=malloc.
XLOMP = Config(
    "XLOMP", XGOMPTB.label, "for XQueue in LLVM 14's runtime; the barrier is xomp's", "clang"
)
NA_RP = Config("NA-RP", "xomp@XOMP_SCHEDULER=na-rp,XOMP_BARRIER=tree")
NA_WS = Config("NA-WS", "xomp@XOMP_SCHEDULER=na-ws,XOMP_BARRIER=tree")
POLLING = frozenset(config.name for config in (XGOMP, XGOMPTB, MALLOC, XLOMP, NA_RP, NA_WS))

# UTS makes a task for every node in the Barcelona suite; Align's tasks come from one thread
# (section VI.B.1). Of the others the paper does not name the variant: the applications' first.
VARIANTS = {"uts": ("bots",), "alignment": ("single-tied", "single-untied")}


# Parameters that differ from the applications' own at size paper. Align's proteins are drawn: no
# published input has as many.
INPUTS = {"alignment": {"proteins": 1000}}  # section VI


def polling(config: str, threads: int) -> dict[str, str]:
    """The paper's idle workers ask again and again (section IV.B); xomp's sleep after a while
    unless this is set. Not where threads share processors: they would keep each other from them."""
    polls = config in POLLING and threads <= machine.processors()
    return {"OMP_WAIT_POLICY": "active"} if polls else {}


def run(
    plan: Plan,
    config: str,
    app: str,
    threads: int,
    inputs: dict | None = None,
    settings: dict[str, str] | None = None,
    **more,
) -> Run:
    """`inputs` are like INPUTS and go before them."""
    variant = plan.variant(app, *VARIANTS[app]) if app in VARIANTS else None
    given = {**INPUTS, **(inputs or {})}.get(app, {}) if plan.size == "paper" else {}
    with_data = app != "alignment" or plan.size != "paper"
    settings = {**polling(config, threads), **(settings or {})}
    return plan.run(
        config, app, threads, variant, settings=settings, with_data=with_data, **more, **given
    )


def task_cycles(plan: Plan, app: str) -> float | None:
    """Cycles of processor time per task, by one run of XGOMPTB on one thread. Every other runtime
    measured here adds more to a task of its own."""
    key = f"cycles {app}"
    if key not in plan.facts:
        configs = {config.label: config.name for config in plan.runtimes}
        name = configs.get(XGOMPTB.label, plan.configs[0])
        # The size of the input says how many tasks there are, hardly how large they are.
        size = "small" if plan.size == "paper" else plan.size
        outcome = run_once(run(plan, name, app, 1, size=size).job)
        tasks = 0 if outcome.failure else outcome.record["tasks"]
        rate = machine.megahertz() * 1e6
        plan.facts[key] = outcome.record["cpu"] * rate / tasks if tasks and rate else None
    return plan.facts[key]
