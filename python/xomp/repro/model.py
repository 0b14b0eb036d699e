# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an experiment compares, what it needs, and what it leaves behind. Data only; README.md says
how an experiment is declared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

SIZES = ("test", "small", "medium", "paper")


@dataclass(frozen=True)
class Config:
    """One of the runtimes that a paper compares, and what stands for it here."""

    name: str  # as the paper calls it, for example XGOMPTB
    label: (
        str | None
    )  # of xomp.shared.runtimes, for example xomp@XOMP_BARRIER=central; None: nothing
    note: str = ""  # what differs from the paper's, or why there is nothing
    compiler: str = "gcc"  # or clang: the family, as the harness calls it
    tasking: str = ""  # for another library of tasks: tbb; its applications are NAME-tbb


@dataclass(frozen=True)
class Needs:
    """What the paper's experiment uses. What is lacking is named; see verdict.py.

    The schedulers, barriers and parameters of xomp follow from the labels of `configs`: each
    KEY=VALUE there is asked of the library.
    """

    apps: tuple[str, ...] = ()  # folders of bench/apps
    variables: tuple[str, ...] = ()  # settings of the library by which a report is made
    statistics: tuple[str, ...] = ()  # names of counters, as the library's statistics print them
    symbols: tuple[str, ...] = ()  # functions that the library must export
    events: tuple[str, ...] = ()  # hardware counters, by perf's names
    programs: tuple[str, ...] = ()  # other programs on the path, for example valgrind
    cores: int = 1  # of the paper's machine, or the fewest with which the effect can be seen
    nodes: int = 1  # NUMA nodes, likewise
    memory: float = 0.0  # GiB, at size paper
    architecture: str = ""  # the paper's machine, if the figure is about it: aarch64
    # Names of the above, and of configurations: without one of `essential`, or without all of
    # `any_of`, nothing can be shown.
    essential: frozenset[str] = frozenset()
    any_of: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Table:
    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Bars:
    """Groups of bars; a value is None where there is none. `spreads` has (low, high) per value."""

    title: str
    ylabel: str
    groups: Sequence[str]
    series: dict[str, Sequence[float | None]]
    spreads: dict[str, Sequence[tuple[float, float] | None]] = field(default_factory=dict)
    log: bool = False
    line: float | None = None  # a level to compare with, for example 1 for ratios


@dataclass(frozen=True)
class Lines:
    """One panel per entry of `panels`: curves by name, each a list of (x, y)."""

    title: str
    xlabel: str
    ylabel: str
    panels: dict[str, dict[str, Sequence[tuple[float, float]]]]
    logx: bool = False
    logy: bool = False
    most: float | None = None  # what is more cannot be, and is a mark at this level


@dataclass(frozen=True)
class Stacks:
    """Stacked bars: per group the parts, in one order; lying on their side when there are many."""

    title: str
    ylabel: str
    groups: Sequence[str]
    parts: dict[str, Sequence[float]]


@dataclass(frozen=True)
class Surface:
    """Points (x, y, z) over two logarithmic axes, with triangles between them: one panel for each
    entry of `panels`."""

    title: str
    xlabel: str
    ylabel: str
    zlabel: str
    panels: dict[str, Sequence[tuple[float, float, float]]]


@dataclass(frozen=True)
class Rows:
    """Threads, one below the other: the time of each by what it did, and its tasks."""

    title: str
    xlabel: str
    parts: dict[str, Sequence[float]]  # by thread; in the colours of `xomp report --figures`
    created: Sequence[int]
    executed: Sequence[int]


@dataclass(frozen=True)
class Schedule:
    """Tasks as boxes on their threads' lines. One panel per entry of `panels`: a list of (thread,
    start, length, kind); kinds have colours."""

    title: str
    xlabel: str
    panels: dict[str, Sequence[tuple[int, float, float, str]]]
    window: float  # the length of the axis: what began in it and ends later is cut


Plot = Bars | Lines | Stacks | Surface | Rows | Schedule


@dataclass(frozen=True)
class Claim:
    """Something that the paper finds, and whether it is found here."""

    text: str
    holds: bool | None  # None: cannot be said here
    evidence: str  # the measured numbers, or why nothing can be said
    of: tuple[str, ...] = ()  # the configurations that it compares
    counts: bool = False  # it is about counts: neither load nor few rounds make it doubtful


@dataclass(frozen=True)
class Result:
    tables: Sequence[Table] = ()
    plots: Sequence[Plot] = ()
    claims: Sequence[Claim] = ()
    notes: Sequence[str] = ()
