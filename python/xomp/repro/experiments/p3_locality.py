# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paper 3: speedups (Fig. 1, 11, 13), elapsed times (Tables 1 and 2) and the traffic between
sockets (Table 3), without and with locality-based scheduling."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xomp.bench.stats import ratio
from xomp.repro.compare import exact, faster
from xomp.repro.experiments import qthreads
from xomp.repro.experiments.p5_steals import KERNEL_EVENTS, PROCESSOR_EVENTS, averages
from xomp.repro.experiments.qthreads import GCC, OWN, Case
from xomp.repro.model import Claim, Config, Needs, Result, Table
from xomp.repro.plan import Experiment, Measured, Plan, Run
from xomp.repro.probes import through

# The paper's four (section 6): Qthreads is the scheduler of paper 5; Spread-init only lays the data
# out by tasks in their domains; Locality runs the tasks there too, in strict mode.
INTEL = Config("Intel", "libiomp5", "gcc's binary on Intel's runtime, not Intel's compiler")
QTHREADS = Config("Qthreads", "xomp@XOMP_SCHEDULER=mts")
SPREAD = Config("Q Spread-init", "xomp@XOMP_SCHEDULER=mts")
LOCALITY = Config("Q Locality", "xomp@XOMP_SCHEDULER=mts,XOMP_LOCALITY=strict")

# The variants of the applications that make the locality calls.
CALLING = {SPREAD.name: ("spread",), LOCALITY.name: ("locality",)}


def variants(plan: Plan, case: Case, config: str) -> tuple[str, ...] | None:
    """What the configuration runs; None where it would not be what its name says."""
    wanted = CALLING.get(config, case.variants)
    if plan.variant(case.app, *wanted) is None:
        plan.missing[f"{config}, {case.name}"] = f"{case.app} has no variant {wanted[0]}"
        return None
    if config in CALLING and (lack := qthreads.locality_lack()):
        plan.missing[config] = lack
        return None
    return wanted


def over_threads(*cases: Case) -> Callable[[Plan], list[Run]]:
    def jobs(plan: Plan) -> list[Run]:
        runs = []
        for case in qthreads.usable(plan, cases):
            runs.append(qthreads.serial_run(plan, case))
            for config in plan.configs:
                if (wanted := variants(plan, case, config)) is None:
                    continue
                for threads in plan.threads:
                    runs.append(qthreads.parallel_run(plan, case, config, threads, wanted))
        return runs

    return jobs


def speedups(*cases: Case) -> Callable[[Plan, Measured], Result]:
    def result(plan: Plan, measured: Measured) -> Result:
        there = qthreads.cases_of(measured, cases)
        return Result(
            [qthreads.speedup_table(plan, measured, case) for case in there],
            [qthreads.speedup_lines(plan, measured, there, "Speedup")] if there else [],
            [qthreads.beats(measured, case, *pair, plan.most) for case in there for pair in ORDER]
            if len(cases) == 1
            else [],
        )

    return result


# What section 6 finds on both applications.
ORDER = ((QTHREADS.name, INTEL.name), (LOCALITY.name, QTHREADS.name), (LOCALITY.name, INTEL.name))


def decrease(measured: Measured, case: Case, threads: int) -> str:
    """Of the time, in percent, from Intel to Q Locality: the paper's last row."""
    words = {"tag": case.name, "threads": threads}
    found = ratio(
        measured.series(config=LOCALITY.name, **words), measured.series(config=INTEL.name, **words)
    )
    if found is None:
        return "-"
    return (
        f"{100 * (1 - found.value):.1f} [{100 * (1 - found.high):.1f}, {100 * (1 - found.low):.1f}]"
    )


def elapsed(case: Case) -> Callable[[Plan, Measured], Result]:
    def result(plan: Plan, measured: Measured) -> Result:
        rows = []
        for config in plan.configs:
            series = (
                measured.series(tag=case.name, config=config, threads=threads)
                for threads in plan.threads
            )
            rows.append([config, *(exact(min(s.values())) if s else "-" for s in series)])
        falls = [decrease(measured, case, threads) for threads in plan.threads]
        rows.append(["% Decrease of the median [95%]", *falls])
        header = ["", *(f"{count} thread{'s' * (count > 1)}" for count in plan.threads)]
        title = f"{case.name}: seconds, best of {plan.rounds} runs (in the paper, of ten)."
        return Result([Table(title, header, rows)], claims=[decreases(plan, measured, case)])

    return result


def decreases(plan: Plan, measured: Measured, case: Case) -> Claim:
    words = {"tag": case.name, "threads": plan.most}
    found = ratio(
        measured.series(config=INTEL.name, **words), measured.series(config=LOCALITY.name, **words)
    )
    text = f"{case.name}: Q Locality takes less time than Intel"
    return faster(text, found, of=(INTEL.name, LOCALITY.name))


TRAFFIC = (qthreads.HEALTH, qthreads.HEAT)
SEQUENTIAL = "Seq. (gcc)"


def traffic_jobs(plan: Plan) -> list[Run]:
    events = ",".join(PROCESSOR_EVENTS + KERNEL_EVENTS)
    runs = []
    for case in qthreads.usable(plan, TRAFFIC):
        runs.append(through(qthreads.serial_run(plan, case), "hardware", events))
        for config in plan.configs:
            if wanted := variants(plan, case, config):
                run = qthreads.parallel_run(plan, case, config, plan.most, wanted)
                runs.append(through(run, "hardware", events))
    return runs


def table3(plan: Plan, measured: Measured) -> Result:
    rows = []
    for case in qthreads.cases_of(measured, TRAFFIC):
        counts = {SEQUENTIAL: averages(measured, "hardware", tag=f"{qthreads.SERIAL} {case.name}")}
        for config in plan.configs:
            counts[config] = averages(measured, "hardware", tag=case.name, config=config)
        for event in PROCESSOR_EVENTS + KERNEL_EVENTS:
            cells = [f"{found[event]:.3g}" if event in found else "-" for found in counts.values()]
            rows.append([case.name, event, *cells])
    header = ["application", "counter", SEQUENTIAL, *plan.configs]
    title = f"Means of all runs with {plan.most} threads; the whole process counts."
    notes = (
        "Data over QPI is counted by the links themselves, under names that differ from processor "
        "to processor. node-load-misses, where the machine counts them, times 64 bytes is what "
        "loads alone take from another node.",
    )
    return Result([Table(title, header, rows)], notes=notes)


def _experiment(
    item: str, title: str, section: str, cases: Sequence[Case], configs: tuple, result, **more
) -> Experiment:
    calls = qthreads.LOCALITY_CALLS if LOCALITY in configs else ()
    more.setdefault("jobs", over_threads(*cases))
    more.setdefault("rounds", qthreads.ROUNDS)
    programs = more.pop("programs", ())
    needs = Needs(
        apps=qthreads.apps_of(cases),
        symbols=calls,
        events=PROCESSOR_EVENTS if programs else (),
        programs=programs,
        cores=qthreads.CORES,
        nodes=qthreads.NODES,
        memory=8.0,
        essential=frozenset(programs),
    )
    return Experiment(
        3, item, title, section, needs, configs, qthreads.PINNED, result=result, **more
    )


EXPERIMENTS = (
    _experiment(
        "fig1",
        "Speedups of seven applications",
        "section 2",
        qthreads.SEVEN,
        (INTEL, GCC, OWN),
        speedups(*qthreads.SEVEN),
        threads="scale",
    ),
    _experiment(
        "fig11",
        "Health: speedup by scheduler",
        "section 6",
        (qthreads.HEALTH,),
        (INTEL, QTHREADS, SPREAD, LOCALITY, OWN),
        speedups(qthreads.HEALTH),
        threads="scale",
    ),
    _experiment(
        "fig13",
        "Heat: speedup by scheduler",
        "section 6",
        (qthreads.HEAT,),
        (INTEL, QTHREADS, LOCALITY, OWN),
        speedups(qthreads.HEAT),
        threads="scale",
    ),
    _experiment(
        "table1",
        "Health: elapsed times",
        "section 6",
        (qthreads.HEALTH,),
        (INTEL, LOCALITY, OWN),
        elapsed(qthreads.HEALTH),
        threads="scale",
    ),
    _experiment(
        "table2",
        "Heat: elapsed times",
        "section 6",
        (qthreads.HEAT,),
        (INTEL, LOCALITY, OWN),
        elapsed(qthreads.HEAT),
        threads="scale",
    ),
    _experiment(
        "table3",
        "Data between sockets",
        "section 6.1",
        TRAFFIC,
        (INTEL, QTHREADS, LOCALITY, OWN),
        table3,
        jobs=traffic_jobs,
        programs=("perf",),
    ),
)
