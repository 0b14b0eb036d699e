# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tasks by the place in the source that makes them: how many, how large, who ran them, where.

A task's size is the time of its own code, without the tasks that ran while it waited, and with that
in which its thread was kept off the processors, which is known of many tasks together only. Decades
are those of the papers: powers of ten of processor ticks.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from xomp.profile.analysing.blame import Blame
from xomp.profile.analysing.spans import Spans, look_up, numbered
from xomp.profile.reading.format import NO_DOMAIN, Kind, TaskFlag, reasons_of, was_taken
from xomp.profile.reading.kinds import AT_ONCE_REASONS

LEVELS = 100  # of tasks that are looked at; in a damaged log a task may be its own parent
DECADES = 20  # 10^19 ticks are longer than any run
_REASONS = len(AT_ONCE_REASONS)


@dataclass
class Tasks:
    """Those of one place. Times in seconds, of single tasks in ticks."""

    place: int  # address of the body
    recorded: int = 0
    summed_up: int = 0
    work: float = 0.0  # of the recorded ones, without the time in which a thread was kept off
    summed_work: float = 0.0  # of the others, what lies in them included
    sizes: float = 0.0  # the sum of the recorded ones' sizes
    smallest: int = 0
    median: int = 0
    largest: int = 0
    decades: np.ndarray = field(default_factory=lambda: np.zeros(DECADES, dtype=np.int64))
    at_once: int = 0  # run by their creator inside the construct
    by_reason: np.ndarray = field(default_factory=lambda: np.zeros(_REASONS, dtype=np.int64))
    undeferred: int = 0
    dependent: int = 0
    creators: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    ran_self: int = 0  # by the thread that created them
    ran_local: int = 0  # by another in the same locality domain
    ran_remote: int = 0
    remote_work: float = 0.0  # of those
    taken: int = 0  # by another worker than the one they were given to
    placed: int = 0  # tasks whose data have a domain
    misplaced: int = 0  # of these, run in another
    misplaced_work: float = 0.0
    placed_work: float = 0.0
    blame: float = 0.0  # idle time of others while they ran

    @property
    def count(self) -> int:
        return self.recorded + self.summed_up

    @property
    def why_at_once(self) -> list[tuple[str, str, int]]:
        """For each reason to run a task at once: a column of tables, words, and how many."""
        return [
            (*reason, int(number))
            for reason, number in zip(AT_ONCE_REASONS, self.by_reason, strict=True)
        ]

    @property
    def mean(self) -> float:
        """The mean size in seconds: as the median, with the time in which a thread was kept off."""
        return (self.sizes + self.summed_work) / self.count if self.count else 0.0

    def add(self, other: Tasks) -> None:
        """Makes the totals of several places; what is no sum stays as it is."""
        for name in (
            *("recorded", "summed_up", "work", "summed_work", "sizes", "at_once"),
            *("undeferred", "dependent", "ran_self", "ran_local", "ran_remote", "remote_work"),
            *("taken", "placed", "misplaced", "misplaced_work", "placed_work", "blame"),
        ):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.decades = self.decades + other.decades
        self.by_reason = self.by_reason + other.by_reason
        width = max(len(self.creators), len(other.creators))
        self.creators = np.pad(self.creators, (0, width - len(self.creators)))
        self.creators[: len(other.creators)] += other.creators


def by_place(spans: Spans, blame: Blame) -> list[Tasks]:
    """The tasks of each place, most work first."""
    rate = spans.log.clock.rate / 1e9
    found: dict[int, Tasks] = {}
    worked, blamed = blame.own_work(spans), blame.of_code(spans)
    rows = spans.indices(Kind.TASK)
    places, index = numbered(spans.column("place")[rows])
    order = np.argsort(index, kind="stable")
    parts = np.split(rows[order], np.cumsum(np.bincount(index))[:-1]) if len(rows) else []
    for place, chosen in zip(places.tolist(), parts, strict=True):
        found[place] = _of_place(spans, place, chosen, worked[chosen], blamed[chosen])
    for record in spans.log.of(Kind.SUMMARY):
        if record["worker"] == Kind.TASK:
            place = int(record["place"])
            _add_summary(found.setdefault(place, Tasks(place)), record, rate)
    return sorted(found.values(), key=lambda tasks: -(tasks.work + tasks.summed_work))


def data_domains(spans: Spans, tasks: np.ndarray) -> np.ndarray:
    """Where each task's data are: as the program says of it, or of the nearest task above it of
    which it says so; NO_DOMAIN: of none."""
    ids, parents = spans.column("task"), spans.column("other")
    rows = spans.indices(Kind.TASK)
    known = spans.column("data_domain")
    found, above = known[tasks], tasks.copy()
    for _ in range(LEVELS):
        open_ = np.flatnonzero((found == NO_DOMAIN) & (above >= 0))
        if not len(open_):
            break
        above[open_] = look_up(ids, rows, parents[above[open_]])
        there = open_[above[open_] >= 0]
        found[there] = known[above[there]]
    return found


def total(places: list[Tasks]) -> Tasks:
    result = Tasks(0)
    for tasks in places:
        result.add(tasks)
    return result


def decades_of(ticks: np.ndarray) -> np.ndarray:
    """floor(log10), exact at the powers of ten."""
    powers = 10 ** np.arange(1, 19, dtype=np.int64)
    return np.searchsorted(powers, ticks, side="right")


def _of_place(
    spans: Spans, place: int, rows: np.ndarray, worked: np.ndarray, blamed: np.ndarray
) -> Tasks:
    sizes = spans.own_work[rows]
    flags = spans.column("flags")[rows]
    creator, runner = spans.column("worker")[rows], spans.column("track")[rows]
    made_in, run_in = spans.column("creator_domain")[rows], spans.column("domain")[rows]
    data_in = spans.column("data_domain")[rows]
    same = creator == runner
    # Where domains are not known there is only one.
    elsewhere = (made_in != NO_DOMAIN) & (run_in >= 0) & (made_in != run_in) & ~same
    placed = (data_in != NO_DOMAIN) & (run_in >= 0)
    misplaced = placed & (data_in != run_in)

    def having(flag: TaskFlag) -> int:
        return int(np.count_nonzero(flags & flag))

    return Tasks(
        place,
        recorded=len(rows),
        work=float(worked.sum()),
        sizes=float(sizes.sum()) * spans.log.clock.rate / 1e9,
        smallest=int(sizes.min()),
        median=int(np.median(sizes)),
        largest=int(sizes.max()),
        decades=np.bincount(decades_of(sizes), minlength=DECADES),
        at_once=having(TaskFlag.AT_ONCE),
        by_reason=np.bincount(reasons_of(flags) + 1, minlength=1 + _REASONS)[1:],
        undeferred=having(TaskFlag.UNDEFERRED),
        dependent=having(TaskFlag.DEPENDENCES),
        creators=np.bincount(creator) if creator.max() < 1 << 16 else np.zeros(0, np.int64),
        ran_self=int(np.count_nonzero(same)),
        ran_local=int(np.count_nonzero(~same & ~elsewhere)),
        ran_remote=int(np.count_nonzero(elsewhere)),
        remote_work=float(worked[elsewhere].sum()),
        taken=int(np.count_nonzero(was_taken(flags))),
        placed=int(np.count_nonzero(placed)),
        misplaced=int(np.count_nonzero(misplaced)),
        misplaced_work=float(worked[misplaced].sum()),
        placed_work=float(worked[placed].sum()),
        blame=float(blamed.sum()),
    )


def _add_summary(tasks: Tasks, record: np.ndarray, rate: float) -> None:
    number = int(record["task"])
    tasks.summed_up += number
    tasks.summed_work += int(record["other"]) * rate
    tasks.decades[min(int(record["flags"]), DECADES - 1)] += number
