# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paper 5, section 4.4: remote steals (Table 4), the chunk that is stolen (Fig. 10), and what the
hardware counters say (Tables 5 and 6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from statistics import mean

from xomp.bench.stats import Summary, summarize
from xomp.repro import counting
from xomp.repro.compare import exact, less
from xomp.repro.experiments import qthreads
from xomp.repro.experiments.p5_speedup import MTS, WS
from xomp.repro.experiments.qthreads import GCC, OWN, Case
from xomp.repro.model import Bars, Claim, Config, Needs, Result, Table
from xomp.repro.plan import Experiment, Measured, Plan, Run
from xomp.repro.probes import through, told

CHUNKS = (1, 2, 4, 8, 16, 32)
CHUNK = "XOMP_CHUNK"  # how many tasks a thief takes at once for its domain

# By perf's names: misses of the last cache, loads from another node's memory; then what the kernel
# counts on every machine. The paper's bytes from memory and on QPI need the counters of the memory
# controllers, which are named differently on every processor.
PROCESSOR_EVENTS = ("LLC-load-misses", "node-load-misses")
KERNEL_EVENTS = ("cpu-migrations", "context-switches", "page-faults")


def counted(plan: Plan) -> list[Run]:
    return [
        through(qthreads.parallel_run(plan, case, config, plan.most), "counted")
        for case in qthreads.usable(plan, qthreads.NINE)
        for config in plan.configs
    ]


def lines_of(measured: Measured, probe: str, **words: object) -> list[dict]:
    """What a probe told of each measured run."""
    keys = {run.job.key for run in measured.find(**words)}
    lines = [
        told(outcome, probe)
        for outcome in measured.outcomes
        if outcome.job.key in keys and outcome.round >= 0 and outcome.failure is None
    ]
    return [line for line in lines if line]


def averages(measured: Measured, probe: str, **words: object) -> dict[str, float]:
    """The means over the measured runs, as in the paper (ten runs)."""
    lines = lines_of(measured, probe, **words)
    names = [name for name in lines[0] if name != "program"] if lines else []
    return {name: mean(line.get(name, 0) for line in lines) for name in names}


# The paper's columns: steals from another chip, and those that had the lock and found nothing.
STEALS = {"steals": "NSTEALS_REMOTE", "failed": "NSTEALS_FAILED"}
COMPARED = (qthreads.HEALTH, qthreads.SORT)  # those of which the caption and the text speak


def table4(plan: Plan, measured: Measured) -> Result:
    counters = {
        (case.name, config): found
        for case in qthreads.NINE
        for config in plan.configs
        if (found := averages(measured, "counted", tag=case.name, config=config))
    }
    cases = list(dict.fromkeys(case for case, _ in counters))
    who = [config for config in plan.configs if config != OWN.name]
    header = [f"{config} {what}" for config in who for what in STEALS]
    rows = [
        [case, *(shown(counters, case, config, name) for config in who for name in STEALS.values())]
        for case in cases
    ]
    title = f"Steals between locality domains with {plan.most} threads, means of all runs."
    tables = [Table(title, ["benchmark", *header], rows)] if who else []
    tables += [counters_of(config, plan, counters, cases) for config in plan.configs]
    notes = (
        "The paper counts steals from another chip, and those that found nothing once the lock was "
        f"taken. {OWN.name} does not count steals: the tasks that another worker ran than their "
        "creator come nearest (NTASKS_LOCAL, NTASKS_REMOTE). Counters that are zero everywhere are "
        "left out.",
    )
    return Result(
        tables,
        claims=fewer_steals(plan, measured),
        notes=(*notes, *([counting.NOTE] if plan.topology else [])),
    )


def shown(counters: dict, case: str, config: str, name: str) -> str:
    found = counters.get((case, config), {})
    return f"{found[name]:.0f}" if name in found else "-"


def counters_of(config: str, plan: Plan, counters: dict, cases: list[str]) -> Table:
    names = [
        name
        for name in counting.SHOWN
        if any(counters.get((case, config), {}).get(name) for case in cases)
    ]
    rows = [[case, *(shown(counters, case, config, name) for name in names)] for case in cases]
    title = f"{config}: the library's counters with {plan.most} threads, means of all runs."
    return Table(title, ["benchmark", *names], rows)


def fewer_steals(plan: Plan, measured: Measured) -> list[Claim]:
    if not {MTS.name, WS.name} <= set(plan.configs):
        return []

    def steals(case: Case, config: Config) -> Summary | None:
        lines = lines_of(measured, "counted", tag=case.name, config=config.name)
        found = [line[STEALS["steals"]] for line in lines if STEALS["steals"] in line]
        return summarize(found) if found else None

    claims = []
    for case in qthreads.usable(plan, COMPARED):
        text = f"{case.name}: MTS steals between chips less often than WS (section 4.4)"
        both = (steals(case, config) for config in (MTS, WS))
        found = less(text, *both, form=lambda count: f"{count:.0f}", of=(MTS.name, WS.name))
        claims.append(replace(found, counts=True))
    return claims


def chunks(plan: Plan) -> list[Run]:
    return [
        qthreads.parallel_run(
            plan, case, config, plan.most, settings={CHUNK: str(size)}, tag=f"chunk {size}"
        )
        for case in qthreads.usable(plan, [qthreads.HEALTH])
        for config in plan.configs
        for size in CHUNKS
    ]


def fig10(plan: Plan, measured: Measured) -> Result:
    rows, series = [], {}
    for config in plan.configs:
        found = [average(measured, config, f"chunk {size}") for size in CHUNKS]
        series[config] = found
        rows.append([config, *("-" if each is None else exact(each) for each in found)])
    groups = [str(size) for size in CHUNKS]
    title = f"Health with {plan.most} threads, by the number of tasks stolen at a time"
    return Result(
        [Table(f"{title}: seconds, mean of {plan.rounds} runs.", ["", *groups], rows)],
        [Bars(title, "seconds (mean)", groups, series)],
    )


def average(measured: Measured, config: str, tag: str) -> float | None:
    """As the paper has it."""
    found = measured.series(config=config, tag=tag).values()
    return mean(found) if found else None


def measured_by_perf(case: Case) -> Callable[[Plan], list[Run]]:
    def jobs(plan: Plan) -> list[Run]:
        events = ",".join(PROCESSOR_EVENTS + KERNEL_EVENTS)
        return [
            through(qthreads.parallel_run(plan, each, config, plan.most), "hardware", events)
            for each in qthreads.usable(plan, [case])
            for config in plan.configs
        ]

    return jobs


def difference(one: float, other: float) -> str:
    """In percent of the sum, which is what the paper's column %Diff turns out to be."""
    return f"{100 * (other - one) / (other + one):.2g}" if other + one else "-"


def memory_table(plan: Plan, measured: Measured) -> Result:
    counts = {config: averages(measured, "hardware", config=config) for config in plan.configs}
    seconds = {config: measured.median(config=config) for config in plan.configs}
    compared = {"MTS", "WS"} <= counts.keys()
    rows = []
    for event in PROCESSOR_EVENTS + KERNEL_EVENTS:
        values = {config: found[event] for config, found in counts.items() if event in found}
        row = [event, *(f"{values[c]:.3g}" if c in values else "-" for c in plan.configs)]
        if compared:
            both = "MTS" in values and "WS" in values
            row.append(difference(values["MTS"], values["WS"]) if both else "-")
        rows.append(row)
    shown = ("-" if value is None else exact(value) for value in seconds.values())
    rows.append(["seconds", *shown, *(["-"] if compared else [])])
    title = f"Means of all runs with {plan.most} threads; the whole process counts."
    header = ["metric", *plan.configs, *(["%Diff"] if compared else [])]
    notes = (
        "Bytes from memory are at least 64 per miss of the last cache, bytes between sockets at "
        "least 64 per load from another node; prefetches and writes are not in these counters.",
    )
    return Result([Table(title, header, rows)], notes=notes)


def _memory(item: str, case: Case) -> Experiment:
    return Experiment(
        5,
        item,
        f"Memory performance of {case.name} on MTS and WS",
        "section 4.4",
        Needs(
            apps=(case.app,),
            events=PROCESSOR_EVENTS,
            programs=("perf",),
            cores=qthreads.CORES,
            nodes=qthreads.NODES,
            essential=frozenset({"perf"}),
        ),
        (MTS, WS, OWN, GCC),
        qthreads.PINNED,
        rounds=qthreads.ROUNDS,
        jobs=measured_by_perf(case),
        result=memory_table,
    )


EXPERIMENTS = (
    Experiment(
        5,
        "table4",
        "Remote steals by MTS and WS",
        "section 4.4",
        Needs(
            apps=qthreads.apps_of(qthreads.NINE),
            statistics=("NSTEALS_REMOTE", "NSTEALS_FAILED"),
            cores=qthreads.CORES,
            nodes=qthreads.NODES,
        ),
        (MTS, WS, OWN),
        qthreads.PINNED,
        rounds=qthreads.ROUNDS,
        counts=True,
        jobs=counted,
        result=table4,
    ),
    Experiment(
        5,
        "fig10",
        "Health on MTS, by the number of tasks stolen at a time",
        "section 4.4",
        Needs(
            apps=("health",),
            variables=(CHUNK,),
            cores=qthreads.CORES,
            nodes=qthreads.NODES,
            essential=frozenset({"MTS", CHUNK}),
        ),
        (MTS,),
        qthreads.PINNED,
        rounds=qthreads.ROUNDS,
        jobs=chunks,
        result=fig10,
    ),
    _memory("table5", qthreads.HEALTH),
    _memory("table6", qthreads.SORT),
)
