# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paper 3, sections 3 to 5: what limits speedup (Fig. 3 and 5), and its drawings and listings
(Fig. 6 to 9)."""

from __future__ import annotations

from xomp.bench.run import Outcome
from xomp.repro.compare import exact
from xomp.repro.experiments.qthreads import CORES, NODES, PINNED
from xomp.repro.model import Config, Lines, Needs, Result, Table
from xomp.repro.plan import Experiment, Measured, Plan, Run

READING = Config("threads", "libgomp", "the runtime only starts the threads")
# The levels that section 3 names, and what it finds of Health and Heat besides.
INFLATIONS = (1.0, 1.25, 1.5, 2.0, 2.5, 3.0)


def reading_jobs(plan: Plan) -> list[Run]:
    return [
        plan.run(config, app, threads)
        for app in plan.apps
        for config in plan.configs
        for threads in plan.threads
    ]


def bandwidth(outcome: Outcome) -> float:
    """GB (10^9 bytes) per second and thread."""
    return outcome.record["thread_gbs"]


def fig3(plan: Plan, measured: Measured) -> Result:
    rows, curves = [], {}
    for config in plan.configs:
        found = [
            (threads, measured.median(bandwidth, config=config, threads=threads))
            for threads in plan.threads
        ]
        curves[config] = [(threads, value) for threads, value in found if value is not None]
        rows.append([config, *("-" if value is None else exact(value) for _, value in found)])
    header = ["GB/s per thread", *(f"{count} thread{'s' * (count > 1)}" for count in plan.threads)]
    title = "Bandwidth of memory per thread"
    notes = ("Each thread reads an array of its own, which it filled itself, several times.",)
    plots = [Lines(title, "threads", "GB/s per thread", {"reading": curves})]
    return Result([Table(f"{title} (medians).", header, rows)], plots, notes=notes)


def limit(threads: int, r: float) -> float:
    """The highest speedup where the work of all threads is r times the sequential (section 3)."""
    return threads / r


def fig5(plan: Plan, measured: Measured) -> Result:
    counts = [1 << power for power in range(CORES.bit_length())]
    rows = [[f"r = {r:g}", *(exact(limit(count, r)) for count in counts)] for r in INFLATIONS]
    curves = {f"r = {r:g}": [(count, limit(count, r)) for count in counts] for r in INFLATIONS}
    title = "Highest speedup by work time inflation"
    notes = (
        "Computed: p / r, where r is the work of all p threads over the sequential work. p3-fig2 "
        "and p3-fig4 measure r.",
    )
    return Result(
        [Table(f"{title}.", ["", *(f"{count} threads" for count in counts)], rows)],
        [Lines(title, "threads", "speedup", {"p / r": curves})],
        notes=notes,
    )


def _drawing(number: int, title: str, section: str, shows: str) -> Experiment:
    return Experiment(3, f"fig{number}", title, section, drawing=shows)


EXPERIMENTS = (
    Experiment(
        3,
        "fig3",
        "Bandwidth of memory per thread, by number of threads",
        "section 3",
        Needs(apps=("bandwidth",), cores=CORES, nodes=NODES),
        (READING,),
        PINNED,
        threads="scale",
        jobs=reading_jobs,
        result=fig3,
    ),
    Experiment(3, "fig5", "Limits of speedup by work time inflation", "section 3", result=fig5),
    _drawing(6, "First touch by loops", "section 4", "a listing: data laid out by a parallel loop"),
    _drawing(7, "First touch by tasks", "section 4", "a listing: the same with tasks"),
    _drawing(8, "Tasks put into domains", "section 5.1", "a listing: the calls of include/xomp.h"),
    _drawing(9, "Domains of two sockets", "section 5.2", "a queue for each socket, drawn"),
)
