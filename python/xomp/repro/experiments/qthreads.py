# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What papers 3 and 5 share: the machine, the applications as they run them, and the speedup over
the sequential program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xomp.bench.pages import ratio_text
from xomp.bench.run import Outcome, seconds
from xomp.bench.stats import Ratio, ratio
from xomp.repro import offer
from xomp.repro.compare import faster
from xomp.repro.model import Claim, Config, Lines, Table
from xomp.repro.plan import Measured, Plan, Run
from xomp.shared.text import rounded

# Four Intel x7550 with eight cores each, a thread pinned to each core (paper 3 section 6, paper 5
# section 4).
CORES, NODES = 32, 4
PINNED = {"OMP_PLACES": "cores", "OMP_PROC_BIND": "close"}

ICC = Config("ICC", "libiomp5", "gcc's binary on Intel's runtime, not Intel's compiler")
GCC = Config("GCC", "libgomp", "the system's gcc and libgomp instead of 4.4.4")
OWN = Config("xomp", "xomp", "the default scheduler; not in the paper")

ROUNDS = 10  # of which the best counts (paper 3 section 6, paper 5 Table 2), or the mean
SERIAL = "serial"  # the tag of the sequential runs
LOCALITY_CALLS = ("omp_child_task_affinity", "omp_get_num_locality_domains")  # paper 3 section 5.1


@dataclass(frozen=True)
class Case:
    """An application as the papers run it."""

    name: str  # the paper's
    app: str
    variants: tuple[str, ...]  # the first that the application has
    paper: dict[str, object] = field(default_factory=dict, hash=False)  # parameters at size paper
    of_config: dict[str, dict[str, object]] = field(default_factory=dict, hash=False)  # likewise


# Paper 5 section 4 (paper 3 section 2 has the same inputs). Neither says whether tasks are tied, or
# how Health's 144 cities are made of levels: there it is the application's own size `paper`.
ALIGNMENT_SINGLE = Case("Alignment (single)", "alignment", ("single-tied",), {"proteins": 100})
ALIGNMENT_FOR = Case("Alignment (for)", "alignment", ("for-tied",), {"proteins": 100})
FIB = Case("Fib", "fib", ("tied-manual",), {"n": 50})
HEALTH = Case("Health", "health", ("tied-manual",))
NQUEENS = Case("NQueens", "nqueens", ("tied-manual",), {"n": 14})
SORT = Case("Sort", "sort", ("tied",), {"n": 128 << 20, "quick": 32 << 10, "merge": 32 << 10})
SPARSELU_SINGLE = Case("SparseLU (single)", "sparselu", ("single-tied",))
SPARSELU_FOR = Case("SparseLU (for)", "sparselu", ("for-tied",))
STRASSEN = Case(
    "Strassen",
    "strassen",
    ("tied",),
    {"n": 8192, "block": 64},
    {"CQ": {"block": 128}, "MTS": {"block": 128}},  # paper 5 section 4.2
)
HEAT = Case("Heat", "heat", ("tied",))

# Paper 5's nine, in the order of its Table 3, and paper 3's seven.
NINE = (
    *(ALIGNMENT_SINGLE, ALIGNMENT_FOR, FIB, HEALTH, NQUEENS, SORT),
    *(SPARSELU_SINGLE, SPARSELU_FOR, STRASSEN),
)
SEVEN = (ALIGNMENT_FOR, FIB, HEALTH, NQUEENS, SORT, SPARSELU_FOR, STRASSEN)


def apps_of(cases: Sequence[Case]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(case.app for case in cases))


def usable(plan: Plan, cases: Sequence[Case]) -> list[Case]:
    """The cases whose application can be built here and has the variant; the others are named."""
    there = plan.apps
    found = []
    for case in cases:
        if case.app not in there:
            continue
        if plan.variant(case.app, *case.variants) is None:
            plan.missing[case.name] = f"{case.app} has no variant {' or '.join(case.variants)}"
        else:
            found.append(case)
    return found


def parameters(plan: Plan, case: Case, config: str = "") -> dict[str, object]:
    """The paper's arguments at size paper."""
    return {**case.paper, **case.of_config.get(config, {})} if plan.size == "paper" else {}


def parallel_run(
    plan: Plan,
    case: Case,
    config: str,
    threads: int,
    variants: tuple[str, ...] = (),
    settings: dict[str, str] | None = None,
    tag: str = "",
) -> Run:
    variant = plan.variant(case.app, *(variants or case.variants))
    tag = tag or case.name
    more = parameters(plan, case, config)
    return plan.run(config, case.app, threads, variant, tag, settings, **more)


def serial_run(plan: Plan, case: Case) -> Run:
    """The program without OpenMP; which runtime is loaded beside it does not matter."""
    more = parameters(plan, case)
    tag = f"{SERIAL} {case.name}"
    return plan.run(plan.configs[0], case.app, 1, SERIAL, tag, **more)


def over_threads(plan: Plan, cases: Sequence[Case]) -> list[Run]:
    """Every case on every configuration and number of threads, and the sequential program."""
    return [
        run
        for case in usable(plan, cases)
        for run in (
            serial_run(plan, case),
            *(
                parallel_run(plan, case, config, threads)
                for config in plan.configs
                for threads in plan.threads
            ),
        )
    ]


def cases_of(measured: Measured, cases: Sequence[Case]) -> list[Case]:
    return [case for case in cases if measured.find(tag=f"{SERIAL} {case.name}")]


def serial_series(measured: Measured, case: Case, value=seconds) -> dict[int, float]:
    return measured.series(value, tag=f"{SERIAL} {case.name}")


def processor_seconds(outcome: Outcome) -> float:
    return outcome.record["cpu"]


def speedup(measured: Measured, case: Case, config: str, threads: int) -> Ratio | None:
    parallel = measured.series(tag=case.name, config=config, threads=threads)
    return ratio(serial_series(measured, case), parallel)


def best(measured: Measured, case: Case, config: str, threads: int) -> float | None:
    """The papers' speedup: of the best of the runs over the best of the sequential program's."""
    parallel = measured.series(tag=case.name, config=config, threads=threads).values()
    serial = serial_series(measured, case).values()
    return min(serial) / min(parallel) if parallel and serial else None


def speedup_text(measured: Measured, case: Case, config: str, threads: int) -> str:
    found = best(measured, case, config, threads)
    medians = ratio_text(speedup(measured, case, config, threads))
    return f"{rounded(found)} ({medians})" if found else "-"


def speedup_table(plan: Plan, measured: Measured, case: Case) -> Table:
    rows = []
    for config in plan.configs:
        row = (speedup_text(measured, case, config, threads) for threads in plan.threads)
        rows.append([config, *row])
    serial = list(serial_series(measured, case).values())
    title = f"{case.name}: speedup over the sequential program, each the best of {plan.rounds} "
    title += "runs (of the medians [95%])"
    if serial:
        title += f", which takes {rounded(min(serial) * 1e3)} ms at best"
    header = ["", *(f"{count} thread{'s' * (count > 1)}" for count in plan.threads)]
    return Table(f"{title}.", header, rows)


def speedup_lines(plan: Plan, measured: Measured, cases: Sequence[Case], title: str) -> Lines:
    panels = {}
    for case in cases:
        curves = {"ideal": [(threads, float(threads)) for threads in plan.threads]}
        for config in plan.configs:
            found = [(count, best(measured, case, config, count)) for count in plan.threads]
            if points := [(count, each) for count, each in found if each]:
                curves[config] = points
        panels[case.name] = curves
    return Lines(title, "threads", "speedup", panels)


def beats(measured: Measured, case: Case, better: str, worse: str, threads: int) -> Claim:
    """The paper's finding that one configuration is faster than another."""
    words = {"tag": case.name, "threads": threads}
    found = ratio(measured.series(config=worse, **words), measured.series(config=better, **words))
    return faster(f"{case.name}: {better} is faster than {worse}", found, of=(better, worse))


def locality_lack() -> str | None:
    """Why the locality calls do nothing in this library, if so; a configuration that is made of
    them would otherwise pass for what it is not."""
    library = offer.of_xomp()
    absent = [name for name in LOCALITY_CALLS if library is None or name not in library.symbols]
    return f"xomp has no {absent[0]} yet" if absent else None
