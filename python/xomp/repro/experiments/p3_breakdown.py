# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paper 3: where the threads' time goes: the sequential time, work time inflation, overhead and
idleness (Fig. 2, 4, 10, 12). xomp tells it by its own log (probes/logged.py); the others are
sampled, as in the paper (probes/sampled.py), and so is xomp's default for comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from xomp.bench.run import Outcome, seconds
from xomp.bench.stats import ratio
from xomp.repro.compare import exact, faster
from xomp.repro.experiments import qthreads
from xomp.repro.experiments.p3_locality import INTEL, LOCALITY, QTHREADS, SPREAD, variants
from xomp.repro.experiments.qthreads import GCC, OWN, Case
from xomp.repro.model import Claim, Config, Needs, Result, Stacks, Table
from xomp.repro.plan import Experiment, Measured, Plan, Run
from xomp.repro.probes import by_thread, can_sample, logged, records, through, told
from xomp.shared import parts as names

# Threads that wait for tasks leave their processors, so that what is left in the runtime is
# overhead and not waiting. (Threads that spin are in the runtime all the time.)
SETTINGS = {**qthreads.PINNED, "OMP_WAIT_POLICY": "passive"}
# What the paper finds of an application, and whether it is so here; None where it finds nothing.
Finding = Callable[[Plan, Measured, Case], Claim | None]

# As `xomp profile` names them; the paper: sequential equivalent, inflation, overhead, idle.
NAMED = ("serial_work", "inflation", "overhead", "idle", "kept_off")
DRAWN = tuple(names.PARTS[key].name for key in NAMED)
(*PARTS, KEPT_OFF) = DRAWN
STATES = {"work": ("work",), "heap": (), "runtime": ("create", "schedule", "fork", "mutex")}
SAMPLED = "sampled"  # xomp, seen as the others are

NOTES = (
    "The column `by` says which instrument measured a row: `log` is xomp's own (XOMP_PERFLOG), "
    "which is without guesses, but whose records make small tasks larger; `samples` are perf's. "
    f"`{OWN.name}, {SAMPLED}` is the same configuration as `{OWN.name}` by the other instrument.",
    "In both, idle is what is left of threads x elapsed time. In the log overhead is the creation "
    "of tasks, the search for them, and what regions and waits cost; threads that spin are idle.",
    "Sampled: the processor time of the program and its libraries is work, that of the OpenMP "
    "runtime is overhead; what is left of threads x elapsed time is idle. Work as on one thread: "
    "the processor time of the program without OpenMP. Inflation: work beyond that; it may be "
    "negative. While kept off, threads were ready, but other programs had the processors: the last "
    "part of each bar, which is neither in the total nor in the paper.",
    "Memory allocation counts as work, though a runtime that allocates its tasks has its share in "
    "it; the column says how much it is. Threads wait passively (OMP_WAIT_POLICY). There is a "
    "sample every 0.5 ms of a thread's time: parts of a few milliseconds say little.",
)


@dataclass(frozen=True)
class Breakdown:
    """Seconds summed over all threads."""

    serial: float
    work: float
    heap: float | None  # of it; None: the log does not tell
    runtime: float
    idle: float
    kept_off: float = 0.0  # not in the total

    @property
    def inflation(self) -> float:
        return self.work - self.serial

    @property
    def total(self) -> float:
        return self.work + self.runtime + self.idle


def instrumented(plan: Plan, case: Case, config: str, threads: int) -> list[Run]:
    wanted = variants(plan, case, config)
    if wanted is None:
        return []
    run = qthreads.parallel_run(plan, case, config, threads, wanted)
    runs = [logged(run)] if records(run) else []
    if not can_sample():
        if not runs:
            plan.missing[config] = "perf is not installed"
        return runs
    if runs and config != OWN.name:
        return runs
    tag = f"{case.name}, {SAMPLED}" if runs else ""
    run = qthreads.parallel_run(plan, case, config, threads, wanted, tag=tag)
    return [*runs, through(run, "sampled", str(run.job.runtime.library))]


def jobs_of(cases: Sequence[Case]) -> Callable[[Plan], list[Run]]:
    def jobs(plan: Plan) -> list[Run]:
        runs = []
        for case in qthreads.usable(plan, cases):
            runs.append(qthreads.serial_run(plan, case))
            for config in plan.configs:
                for threads in plan.threads:
                    runs += instrumented(plan, case, config, threads)
        return runs

    return jobs


def breakdown(
    measured: Measured, case: Case, config: str, threads: int, tag: str = ""
) -> Breakdown | None:
    """Medians of the parts; None where nothing was measured."""
    words = {"tag": tag or case.name, "config": config, "threads": threads}

    def middle(value: Callable[[Outcome], float]) -> float | None:
        return measured.median(value, **words)

    serial = list(qthreads.serial_series(measured, case, qthreads.processor_seconds).values())
    if not serial or middle(seconds) is None:
        return None
    return Breakdown(
        serial=median(serial),
        work=middle(lambda outcome: spent(outcome, "work", "heap")),
        heap=None if middle(has_log) else middle(lambda outcome: spent(outcome, "heap")),
        runtime=middle(lambda outcome: spent(outcome, "runtime")),
        idle=middle(lambda outcome: max(0.0, present(outcome, threads) - spent(outcome))),
        kept_off=middle(kept_off),
    )


def has_log(outcome: Outcome) -> bool:
    return bool(told(outcome, "timed"))


def kept_off(outcome: Outcome) -> float:
    if has_log(outcome):
        return sum(by_thread(told(outcome, "timed"), "kept_off"))
    return outcome.record.get("kept_off", 0.0)


def present(outcome: Outcome, threads: int) -> float:
    """The seconds in which the threads could have worked."""
    return threads * seconds(outcome) - kept_off(outcome)


def spent(outcome: Outcome, *kinds: str) -> float:
    """The seconds of some kinds, or of all."""
    kinds = kinds or tuple(STATES)
    if has_log(outcome):
        states = [state for kind in kinds for state in STATES[kind]]
        return sum(sum(by_thread(told(outcome, "timed"), state)) for state in states)
    line = told(outcome, "sampled")
    return sum(line.get(kind, 0.0) for kind in kinds)


def shares(found: Breakdown) -> dict[str, float]:
    """The parts as they are drawn, none of them negative: together the total, and behind it what
    other programs took."""
    inflation = max(0.0, found.inflation)
    values = (found.work - inflation, inflation, found.runtime, found.idle, found.kept_off)
    return dict(zip(DRAWN, values, strict=True))


def work(measured: Measured, case: Case, config: str, threads: int) -> dict[int, float]:
    words = {"tag": case.name, "config": config, "threads": threads}
    return measured.series(lambda outcome: spent(outcome, "work", "heap"), **words)


def more(
    text: str, larger: dict[int, float], smaller: dict[int, float], of: tuple[str, ...] = ()
) -> Claim:
    """That one series of seconds is larger; not measured where a run was too short for samples."""
    known = smaller and all(smaller.values())
    return faster(text, ratio(larger, smaller) if known else None, of=of)


def inflated(plan: Plan, measured: Measured, case: Case) -> Claim | None:
    """Section 2, of all applications but Alignment."""
    if case is qthreads.ALIGNMENT_FOR:
        return None
    serial = qthreads.serial_series(measured, case, qthreads.processor_seconds)
    text = f"{case.name}: work is inflated with {plan.most} threads on Intel's runtime"
    return more(text, work(measured, case, INTEL.name, plan.most), serial)


def grows(plan: Plan, measured: Measured, case: Case) -> Claim:
    """Section 3."""
    least = min(plan.threads)
    series = [work(measured, case, INTEL.name, threads) for threads in (plan.most, least)]
    return more(f"{case.name}: more work with {plan.most} threads than with {least}", *series)


def saved(better: Config, worse: Config) -> Finding:
    """Section 6: one configuration inflates work less than another."""

    def claim(plan: Plan, measured: Measured, case: Case) -> Claim:
        series = [work(measured, case, each.name, plan.most) for each in (worse, better)]
        text = f"{case.name}: {better.name} inflates work less than {worse.name}"
        return more(text, *series, of=(better.name, worse.name))

    return claim


def result(
    plan: Plan, measured: Measured, cases: Sequence[Case], finds: Sequence[Finding]
) -> Result:
    rows, groups = [], []
    parts: dict[str, list[float]] = {name: [] for name in DRAWN}
    for case in qthreads.cases_of(measured, cases):
        for config in plan.configs:
            for threads in plan.threads:
                again = f"{case.name}, {SAMPLED}"
                for tag, name in ((case.name, config), (again, f"{config}, {SAMPLED}")):
                    found = breakdown(measured, case, config, threads, tag)
                    if found is None:
                        continue
                    by = "log" if found.heap is None else "samples"
                    rows.append([case.name, name, str(threads), by, *cells(found)])
                    groups.append(f"{case.name}\n{name}, {threads}")
                    for part, value in shares(found).items():
                        parts[part].append(value)
    header = [
        "application",
        "on",
        "threads",
        "by",
        *PARTS,
        "total",
        "r",
        "in allocation",
        KEPT_OFF,
    ]
    title = "Seconds summed over all threads; r is work over the sequential time."
    plot = Stacks("Time summed over all threads", "seconds", groups, parts)
    there = qthreads.cases_of(measured, cases)
    claims = [claim for find in finds for case in there if (claim := find(plan, measured, case))]
    return Result([Table(title, header, rows)], [plot] if groups else [], claims, NOTES)


def cells(found: Breakdown) -> list[str]:
    values = (found.serial, found.inflation, found.runtime, found.idle, found.total)
    r = f"{found.work / found.serial:.2f}" if found.serial else "-"
    heap = "-" if found.heap is None else exact(found.heap)
    return [*map(exact, values), r, heap, exact(found.kept_off)]


def _experiment(
    item: str,
    title: str,
    section: str,
    cases: Sequence[Case],
    configs: tuple[Config, ...],
    threads: str,
    finds: Sequence[Finding],
    symbols: tuple[str, ...] = (),
) -> Experiment:
    return Experiment(
        3,
        item,
        title,
        section,
        Needs(
            apps=qthreads.apps_of(cases),
            symbols=symbols,
            variables=("XOMP_PERFLOG",),
            programs=("perf",),
            cores=qthreads.CORES,
            nodes=qthreads.NODES,
            memory=8.0,
            any_of=frozenset({"perf", "XOMP_PERFLOG"}),
        ),
        configs,
        SETTINGS,
        threads=threads,
        jobs=jobs_of(cases),
        result=lambda plan, measured: result(plan, measured, cases, finds),
    )


EXPERIMENTS = (
    _experiment(
        "fig2",
        "Execution time broken down, seven applications",
        "section 2",
        qthreads.SEVEN,
        (INTEL, GCC, OWN),
        "all",
        (inflated,),
    ),
    _experiment(
        "fig4",
        "Health and Heat: time over all threads, by number of threads",
        "section 3",
        (qthreads.HEALTH, qthreads.HEAT),
        (INTEL, GCC, OWN),
        "scale",
        (grows,),
    ),
    _experiment(
        "fig10",
        "Health: time over all threads, by scheduler",
        "section 6",
        (qthreads.HEALTH,),
        (INTEL, QTHREADS, SPREAD, LOCALITY, OWN),
        "scale",
        (saved(QTHREADS, INTEL), saved(SPREAD, QTHREADS), saved(LOCALITY, SPREAD)),
        qthreads.LOCALITY_CALLS,
    ),
    _experiment(
        "fig12",
        "Heat: time over all threads, by scheduler",
        "section 6",
        (qthreads.HEAT,),
        (INTEL, QTHREADS, LOCALITY, OWN),
        "scale",
        (saved(QTHREADS, INTEL), saved(LOCALITY, QTHREADS)),
        qthreads.LOCALITY_CALLS,
    ),
)
