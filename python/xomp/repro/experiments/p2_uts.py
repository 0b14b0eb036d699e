# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paper 2: Unbalanced Tree Search, a task per node with children, at several granularities."""

from __future__ import annotations

from itertools import pairwise
from math import isnan
from statistics import StatisticsError, correlation

from xomp.bench.pages import ratio_text
from xomp.bench.run import Outcome
from xomp.bench.run import run as run_once
from xomp.bench.stats import Ratio, ratio
from xomp.repro import compare
from xomp.repro.model import Claim, Config, Lines, Needs, Result, Table
from xomp.repro.plan import Experiment, Measured, Plan, Run
from xomp.repro.probes import through, told
from xomp.shared import machine
from xomp.shared.text import rounded

# Hashes per task at granularity 1 are m = 5, the children of a node (section 5).
CHILDREN = 5
GRANULARITIES = (1, 2, 4, 8, 16, 32)
WHOLE = 100.0  # percent
COARSEST = GRANULARITIES[-1]
PUBLISHED_IMPLEMENTATIONS = 9  # the rows of Table 1
# T3S (section 3) takes minutes on few cores; smaller trees of the same shape, with another q.
TREES = {
    "test": "200,0.19,5,7",
    "small": "2000,0.19,5,7",
    "medium": "2000,0.199,5,7",
    "paper": "T3S",
}
SETTINGS = {"OMP_PLACES": "cores", "OMP_PROC_BIND": "close"}  # section 5.1: a thread per core

ICC = Config(
    "ICC", "libiomp5", "Intel's runtime, with code of clang instead of ICC 19.0.5", "clang"
)
CLANG = Config("Clang", "libomp", "the installed versions instead of 9.0.1", "clang")
TBB = Config("TBB", "oneTBB", "compiled by g++ instead of ICC", tasking="tbb")
GCC = Config("GCC", "libgomp", "the paper says of 9.2 only that it does not scale")
XOMP = Config("xomp", "xomp", "not in the paper")
PGI = Config("PGI", None, "its compiler, for POWER9 in the paper, cannot be installed")
ARM = Config("Armclang", None, "its compiler is for Arm")
CRAY = Config("CCE", None, "its compiler is part of Cray's systems")
FOUND_HERE = (ICC, CLANG, TBB, GCC, XOMP)


def uts(plan: Plan, config: str, threads: int, granularity: int, variant: str, **more) -> Run:
    return plan.run(
        config,
        "uts",
        threads,
        variant,
        tree=TREES[plan.size],
        granularity=granularity,
        **more,
    )


def serial_tag(granularity: int) -> str:
    return f"serial {granularity}"


def serial(plan: Plan, granularities: tuple[int, ...]) -> list[Run]:
    """Of the compiler of each configuration: what its parallel time is compared with."""
    return [
        uts(plan, config, 1, g, "serial", tag=serial_tag(g))
        for config in plan.configs
        for g in granularities
    ]


def efficiency_jobs(plan: Plan) -> list[Run]:
    parallel = [
        uts(plan, config, plan.most, g, "paper", tag=str(g))
        for config in plan.configs
        for g in GRANULARITIES
    ]
    return serial(plan, GRANULARITIES) + parallel


def speedup(measured: Measured, config: str, granularity: int, threads: int) -> float | None:
    alone = measured.median(config=config, tag=serial_tag(granularity))
    together = measured.median(config=config, tag=str(granularity), threads=threads)
    return alone / together if alone and together else None


def efficiency(measured: Measured, config: str, granularity: int, threads: int) -> float | None:
    """In percent (section 5.1)."""
    found = speedup(measured, config, granularity, threads)
    return 100 * found / threads if found else None


def by_granularity(plan: Plan, title: str, value, form=rounded) -> tuple[Table, dict]:
    """A table, and the curves, of value(config, granularity)."""
    header = ["hashes per task", *plan.configs]
    rows, curves = [], {config: [] for config in plan.configs}
    for g in GRANULARITIES:
        row = [str(CHILDREN * g)]
        for config in plan.configs:
            found = value(config, g)
            row.append("-" if found is None else form(found))
            if found is not None:
                curves[config].append((CHILDREN * g, found))
        rows.append(row)
    return Table(title, header, rows), curves


def efficiency_result(plan: Plan, measured: Measured) -> Result:
    most = plan.most
    table, curves = by_granularity(
        plan,
        f"Parallel efficiency in percent, {most} threads.",
        lambda config, g: efficiency(measured, config, g, most),
        lambda value: rounded(value) if value <= WHOLE else f"over {WHOLE:g}",
    )
    claims = [
        _level(measured, plan, 8, 80, "over 80% at 40 hashes per task", "Clang"),
        _level(measured, plan, 8, 90, "over 90% at 40 hashes per task", "ICC"),
        _level(measured, plan, 8, 90, "over 90% at 40 hashes per task", "TBB"),
        *(
            _level(measured, plan, COARSEST, 89.7, "at least 89.7% at the coarsest", config)
            for config in ("ICC", "Clang")
        ),
        _vendor(plan, measured),
        _gcc(measured, most),
    ]
    title = f"Parallel efficiency of UTS, {most} threads"
    plot = over_granularity(plan, curves, title, "efficiency, percent", most=WHOLE)
    each = kilo_instructions(plan)
    notes = [
        "More than 100 percent is no efficiency: other programs disturbed the sequential runs more "
        "than the parallel ones. It is a mark at the edge of the picture.",
        f"A hash takes {each:.3g} thousand instructions (callgrind)."
        if each
        else "Without callgrind the axis has hashes: p2-table2 translates them into instructions.",
    ]
    return Result([table, _times(plan, measured)], [plot], claims, notes)


def _times(plan: Plan, measured: Measured) -> Table:
    def cell(config: str, g: int) -> str:
        alone = measured.median(config=config, tag=serial_tag(g))
        together = measured.median(config=config, tag=str(g), threads=plan.most)
        return f"{compare.exact(together)} of {compare.exact(alone)}" if together and alone else "-"

    title = "Seconds, of the serial program's."
    return by_granularity(plan, title, cell, str)[0]


def bounds(measured: Measured, config: str, granularity: int, threads: int) -> Ratio | None:
    """The speedup with its interval."""
    alone = measured.series(config=config, tag=serial_tag(granularity))
    return ratio(alone, measured.series(config=config, tag=str(granularity), threads=threads))


def _level(
    measured: Measured, plan: Plan, granularity: int, least: float, text: str, config: str
) -> Claim:
    text = f"{config}: {text} (section 5.1)"
    found = bounds(measured, config, granularity, plan.most)
    if found is None:
        return Claim(text, None, "not measured")
    low, value, high = (100 * each / plan.most for each in (found.low, found.value, found.high))
    evidence = f"{rounded(value)}% [{rounded(low)}, {rounded(high)}]"
    holds = True if low >= least else False if high < least else None
    return Claim(text, holds, evidence)


def _vendor(plan: Plan, measured: Measured) -> Claim:
    text = "at the finest granularity the vendor's runtime is the more efficient (section 5.1)"
    found = {name: bounds(measured, name, 1, plan.most) for name in ("ICC", "Clang")}
    if None in found.values():
        return Claim(text, None, "not measured")
    evidence = ", ".join(f"speedup of {name} {ratio_text(each)}" for name, each in found.items())
    icc, clang = found.values()
    holds = True if icc.low > clang.high else False if icc.high < clang.low else None
    return Claim(text, holds, evidence)


def _gcc(measured: Measured, most: int) -> Claim:
    text = "GCC does not scale: two threads are no faster than the serial program (section 4)"
    found = bounds(measured, "GCC", 1, most)
    if found is None or most < 2:
        return Claim(text, None, "not measured")
    holds = True if found.high <= 1.05 else False if found.low > 1.05 else None
    claim = Claim(text, holds, f"speedup {ratio_text(found)} with {most} threads")
    return claim


def table1_jobs(plan: Plan) -> list[Run]:
    return serial(plan, GRANULARITIES)


def _inner(outcome: Outcome) -> int:
    return outcome.record["nodes"] - outcome.record["leaves"]


def table1(plan: Plan, measured: Measured) -> Result:
    rows = []
    for config in plan.configs:
        medians = [
            measured.median(
                lambda o: o.record["seconds"] / _inner(o) * 1e6, config=config, tag=serial_tag(g)
            )
            for g in GRANULARITIES
        ]
        alone = medians[-1] / (CHILDREN * COARSEST) if medians[-1] else None
        rows.append([config, *(rounded(value) if value else "-" for value in (alone, *medians))])
    header = ["compiler", "us per op.", *(f"{CHILDREN * g} ops." for g in GRANULARITIES)]
    notes = ["The time of one operation is that of a task of 160 operations, divided by 160."]
    return Result([Table("Time per task in microseconds.", header, rows)], notes=notes)


def instructions_runs(plan: Plan, config: str) -> list[Run]:
    """Callgrind counts the whole process: the difference of two granularities is its hashes."""
    tree = TREES["small" if plan.size == "paper" else "test"]
    return [
        through(
            plan.run(config, "uts", 1, "serial", tag=serial_tag(g), tree=tree, granularity=g),
            "instructions",
        )
        for g in GRANULARITIES[:2]
    ]


def per_hash(one: float, two: float, nodes: float) -> float:
    """Thousands of instructions, of the counts at granularity 1 and 2."""
    return (two - one) / (nodes - 1) / 1000


def kilo_instructions(plan: Plan) -> float | None:
    """Of one hash, as gcc compiles it: the papers' axis. None where callgrind is not installed."""
    config = next((c.name for c in plan.runtimes if (c.compiler, c.tasking) == ("gcc", "")), None)
    if config is None or not machine.program("valgrind"):
        return None
    if "hash" not in plan.facts:
        one, two = (run_once(run.job) for run in instructions_runs(plan, config))
        failed = one.failure or two.failure
        counts = [] if failed else [told(each, "instructions").get("all") for each in (one, two)]
        known = counts and None not in counts
        plan.facts["hash"] = per_hash(*counts, one.record["nodes"]) if known else None
    return plan.facts["hash"]


def over_granularity(plan: Plan, curves: dict, title: str, ylabel: str, **more) -> Lines:
    """Over thousands of instructions per task, as section 5.1 has it, or over hashes."""
    each = kilo_instructions(plan)
    xlabel = "thousands of instructions per task" if each else "SHA-1 hashes per task"
    scaled = {
        name: [(hashes * (each or 1), y) for hashes, y in points] for name, points in curves.items()
    }
    return Lines(title, xlabel, ylabel, {"uts": scaled}, logx=True, **more)


def table2_jobs(plan: Plan) -> list[Run]:
    return [run for config in plan.configs for run in instructions_runs(plan, config)]


def table2(plan: Plan, measured: Measured) -> Result:
    rows, found = [], {}
    for config in plan.configs:
        one, two = (
            measured.median(
                lambda o: told(o, "instructions").get("all"), config=config, tag=serial_tag(g)
            )
            for g in GRANULARITIES[:2]
        )
        nodes = measured.median(lambda o: o.record["nodes"], config=config, tag=serial_tag(1))
        if not (one and two and nodes):
            rows.append([config, *("-",) * (1 + len(GRANULARITIES))])
            continue
        found[config] = per_hash(one, two, nodes)
        per_task = [found[config] * CHILDREN * g for g in GRANULARITIES]
        rows.append([config, *(rounded(value) for value in (found[config], *per_task))])
    text = "a hash takes 1.39 to 1.74 thousand instructions on every machine (section 5)"
    evidence = ", ".join(f"{name} {value:.3f}" for name, value in found.items())
    holds = all(1.39 <= value <= 1.74 for value in found.values()) if found else None
    header = ["compiler", "per op.", *(f"{CHILDREN * g} ops." for g in GRANULARITIES)]
    notes = [
        "Compiled with -O2; in the paper with -O3 for the machine. "
        "Counted by callgrind: the difference between granularity 2 and 1, divided by the nodes. "
        "Whatever else a task does besides its hashes is left out."
    ]
    table = Table("Thousands of instructions per task.", header, rows)
    claim = Claim(text, holds, evidence or "not measured", counts=True)
    return Result([table], claims=[claim], notes=notes)


def fig4_jobs(plan: Plan) -> list[Run]:
    parallel = [
        uts(plan, config, threads, COARSEST, "paper", tag=str(COARSEST))
        for config in plan.configs
        for threads in plan.threads
    ]
    return serial(plan, (COARSEST,)) + parallel


def fig4(plan: Plan, measured: Measured) -> Result:
    rows, curves = [], {config: [] for config in plan.configs}
    for threads in plan.threads:
        row = [str(threads)]
        for config in plan.configs:
            found = speedup(measured, config, COARSEST, threads)
            row.append(rounded(found) if found else "-")
            if found:
                curves[config].append((threads, found))
        rows.append(row)
    claims = []
    for config in plan.configs:
        text = f"{config}: the speedup grows with the threads up to one per core (section 5.2)"
        found = [bounds(measured, config, COARSEST, threads) for threads in plan.threads]
        known = [each for each in found if each]
        evidence = ", ".join(map(ratio_text, known)) or "not measured"
        grows = [a.high < b.low for a, b in pairwise(known)]
        falls = [a.low > b.high for a, b in pairwise(known)]
        holds = False if any(falls) else True if grows and all(grows) else None
        claims.append(Claim(text, holds, evidence))
    plot = Lines(
        "Speedup of UTS at the coarsest granularity", "threads", "speedup", {"uts": curves}
    )
    return Result([Table("Speedup.", ["threads", *plan.configs], rows)], [plot], claims)


def moved_jobs(plan: Plan) -> list[Run]:
    """oneTBB's version does not count: the paper does not either."""
    return [
        uts(plan, config, plan.most, g, "paper", tag=str(g), count_moved=1)
        for config in plan.configs
        for g in GRANULARITIES
    ]


def moved_rate(outcome: Outcome) -> float:
    return outcome.record["moved_per_thread_second"]


def fig5(plan: Plan, measured: Measured) -> Result:
    table, curves = by_granularity(
        plan,
        f"Child tasks moved per second and thread, {plan.most} threads.",
        lambda config, g: measured.median(moved_rate, config=config, tag=str(g)),
    )
    claims = []
    for config in plan.configs:
        text = f"{config}: fewer moved tasks with the coarsest tasks (section 5.3)"
        last, first = (
            measured.summary(moved_rate, config=config, tag=str(g)) for g in (COARSEST, 1)
        )
        claims.append(compare.less(text, last, first))
    positive = {name: [p for p in points if p[1] > 0] for name, points in curves.items()}
    title = f"Moved child tasks, {plan.most} threads"
    plot = over_granularity(plan, positive, title, "moved tasks per second and thread", logy=True)
    return Result([table], [plot], claims)


def table3_jobs(plan: Plan) -> list[Run]:
    return serial(plan, GRANULARITIES) + moved_jobs(plan)


def table3(plan: Plan, measured: Measured) -> Result:
    found = {}
    for g in GRANULARITIES:
        pairs = [
            (
                speedup(measured, config, g, plan.most),
                measured.median(moved_rate, config=config, tag=str(g)),
            )
            for config in plan.configs
        ]
        known = [pair for pair in pairs if None not in pair]
        try:
            found[g] = correlation([s for s, _ in known], [m for _, m in known])
        except StatisticsError:  # fewer than two, or all equal
            found[g] = float("nan")
    row = [
        "Pearson correlation",
        *("-" if isnan(each) else f"{each:.2f}" for each in found.values()),
    ]
    header = ["hashes per task", *(str(CHILDREN * g) for g in GRANULARITIES)]
    title = (
        f"Between speedup and moved tasks per second and thread, over {len(plan.configs)} runtimes."
    )
    first, last = found[GRANULARITIES[0]], found[COARSEST]
    enough = len(plan.configs) >= PUBLISHED_IMPLEMENTATIONS and not isnan(first + last)
    holds = first > last if enough else None
    text = "the finer the tasks, the stronger the correlation (section 5.3)"
    evidence = f"{first:.2f} at {CHILDREN}, {last:.2f} at {CHILDREN * COARSEST} hashes per task"
    notes = [
        f"The paper correlates over {PUBLISHED_IMPLEMENTATIONS} implementations on four machines. "
        "Over fewer a coefficient says little, so nothing is concluded from it."
    ]
    return Result([Table(title, header, [row])], claims=[Claim(text, holds, evidence)], notes=notes)


def _needs(**more) -> Needs:
    return Needs(apps=("uts",), nodes=2, **more)


def _experiment(item: str, title: str, section: str, needs: Needs, configs, make, show, **more):
    more = {"rounds": 10, **more}  # section 3
    return Experiment(
        2, item, title, section, needs, configs, SETTINGS, jobs=make, result=show, **more
    )


COUNTING = (ICC, CLANG, GCC, XOMP)  # those whose program counts moved tasks
SERIAL = (GCC, CLANG)

EXPERIMENTS = (
    Experiment(
        2, "fig1", "The code of UTS", "section 2", drawing="a listing, which bench/apps/uts follows"
    ),
    _experiment(
        "fig2",
        "Parallel efficiency over granularity, Xeon and POWER9",
        "section 5.1",
        _needs(cores=48),
        (*FOUND_HERE, PGI),
        efficiency_jobs,
        efficiency_result,
    ),
    _experiment(
        "fig3",
        "Parallel efficiency over granularity, ThunderX2 and Xeon Phi",
        "section 5.1",
        _needs(cores=56, architecture="aarch64"),
        (*FOUND_HERE, ARM, CRAY),
        efficiency_jobs,
        efficiency_result,
    ),
    _experiment(
        "fig4",
        "Speedup at the coarsest granularity over the threads",
        "section 5.2",
        _needs(cores=48),
        FOUND_HERE,
        fig4_jobs,
        fig4,
        threads="scale",
    ),
    _experiment(
        "fig5",
        "Child tasks moved to another thread over granularity",
        "section 5.3",
        _needs(cores=48),
        COUNTING,
        moved_jobs,
        fig5,
    ),
    _experiment(
        "table1",
        "Time per task at each granularity",
        "section 5",
        Needs(apps=("uts",)),
        SERIAL,
        table1_jobs,
        table1,
    ),
    _experiment(
        "table2",
        "Instructions per task at each granularity",
        "section 5",
        Needs(apps=("uts",), programs=("valgrind",), essential=frozenset({"valgrind"})),
        SERIAL,
        table2_jobs,
        table2,
        rounds=1,
    ),
    _experiment(
        "table3",
        "Correlation of speedup and moved tasks",
        "section 5.3",
        _needs(cores=48),
        COUNTING,
        table3_jobs,
        table3,
    ),
)
