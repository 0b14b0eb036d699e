# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paper 3, section 6.1: how long loads from memory take under each scheduler (Fig. 14 to 17)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import accumulate

from xomp.repro.experiments import qthreads
from xomp.repro.experiments.p3_locality import INTEL, LOCALITY, QTHREADS, variants
from xomp.repro.experiments.qthreads import OWN, Case
from xomp.repro.model import Lines, Needs, Result, Stacks, Table
from xomp.repro.plan import Experiment, Measured, Plan, Run
from xomp.repro.probes import through, told

SEQUENTIAL = "sequential"
NOTES = (
    "By `perf mem`: the processor tells of some loads how many cycles each took. The whole process "
    "counts, all rounds together.",
)


def jobs_of(case: Case) -> Callable[[Plan], list[Run]]:
    def jobs(plan: Plan) -> list[Run]:
        runs = []
        for each in qthreads.usable(plan, [case]):
            runs.append(through(qthreads.serial_run(plan, each), "latency"))
            for config in plan.configs:
                if wanted := variants(plan, each, config):
                    run = qthreads.parallel_run(plan, each, config, plan.most, wanted)
                    runs.append(through(run, "latency"))
        return runs

    return jobs


def loads(measured: Measured, **words: object) -> dict[int, int]:
    """Of all measured runs: loads by the power of two up to which their cycles are."""
    sums: Counter[int] = Counter()
    for outcome in measured.series(lambda outcome: outcome, **words).values():
        for name, count in told(outcome, "latency").items():
            if name.startswith("le"):
                sums[int(name.removeprefix("le"))] += count
    return dict(sorted(sums.items()))


def by_scheduler(plan: Plan, measured: Measured, case: Case) -> dict[str, dict[int, int]]:
    found = {SEQUENTIAL: loads(measured, tag=f"{qthreads.SERIAL} {case.name}")}
    found |= {each: loads(measured, tag=case.name, config=each) for each in plan.configs}
    return {name: counts for name, counts in found.items() if counts}


def cumulative(counts: dict[int, int]) -> list[tuple[float, float]]:
    """The share of loads that took so many cycles or fewer, in percent."""
    whole = sum(counts.values())
    return [
        (cycles, 100 * done / whole)
        for cycles, done in zip(counts, accumulate(counts.values()), strict=True)
    ]


def contributions(counts: dict[int, int]) -> dict[int, float]:
    """The share of the time by range, in percent; of each load the low end, as section 6.1 has it:
    one of 33 to 64 cycles counts 33."""
    low = {cycles: count * (cycles // 2 + 1) for cycles, count in counts.items()}
    return {cycles: 100 * time / sum(low.values()) for cycles, time in low.items()}


def percent(values: dict[int, float], cycles: int) -> str:
    return f"{values[cycles]:.1f}" if cycles in values else "-"


def shown(plan: Plan, measured: Measured, case: Case, shares: bool) -> Result:
    found = by_scheduler(plan, measured, case)
    ranges = sorted({cycles for counts in found.values() for cycles in counts})
    values = {
        name: contributions(counts) if shares else dict(cumulative(counts))
        for name, counts in found.items()
    }
    rows = [[name, *(percent(each, cycles) for cycles in ranges)] for name, each in values.items()]
    what = "time in loads" if shares else "loads completed"
    title = f"{case.name}: {what} by cycles, {plan.most} threads"
    table = Table(f"{title}, percent.", ["", *(f"to {cycles}" for cycles in ranges)], rows)
    if shares:
        parts = {f"to {c} cycles": [values[n].get(c, 0.0) for n in values] for c in ranges}
        plot = Stacks(title, "percent of the time in loads", list(values), parts)
    else:
        curves = {name: cumulative(counts) for name, counts in found.items()}
        plot = Lines(title, "cycles", "percent of the loads", {"loads": curves}, logx=True)
    return Result([table], [plot], notes=NOTES)


def _experiment(item: str, case: Case, shares: bool) -> Experiment:
    title = "share of the time by latency of loads" if shares else "latency of loads, cumulative"
    return Experiment(
        3,
        item,
        f"{case.name}: {title}",
        "section 6.1",
        Needs(
            apps=(case.app,),
            programs=("perf mem",),
            cores=qthreads.CORES,
            nodes=qthreads.NODES,
            memory=8.0,
            essential=frozenset({"perf mem"}),
        ),
        (INTEL, QTHREADS, LOCALITY, OWN),
        qthreads.PINNED,
        jobs=jobs_of(case),
        result=lambda plan, measured: shown(plan, measured, case, shares),
    )


EXPERIMENTS = (
    _experiment("fig14", qthreads.HEALTH, shares=False),
    _experiment("fig15", qthreads.HEALTH, shares=True),
    _experiment("fig16", qthreads.HEAT, shares=False),
    _experiment("fig17", qthreads.HEAT, shares=True),
)
