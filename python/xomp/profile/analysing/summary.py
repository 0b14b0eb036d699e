# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All that is found out about one recorded run, each part when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from xomp.profile.analysing import blame, culprits, graph, losses, mutexes, spans, tasks
from xomp.profile.analysing.walk import Link
from xomp.profile.reading.format import Kind, StealFlag, is_any
from xomp.profile.reading.kinds import BODIES
from xomp.profile.reading.log import OPEN_REGION, Log
from xomp.profile.reading.symbols import Place, Symbols
from xomp.shared.text import count, seconds, several

# Two runs with numbers of tasks that differ by less than this share did the same work.
SAME_WORK = 0.01
# Where they differ more, work that takes as long within this share is taken to be the same.
SAME_LENGTH = 0.1


@dataclass
class Steals:
    """How tasks came to other workers than the one that they were meant for."""

    taken: int  # tasks that another ran
    moves: int  # how often a worker took some from another
    given: int  # how often one gave some to another that had asked (na-rp, na-ws)
    remote: int  # moves of both sorts between locality domains
    failed: int
    requests: int  # by thieves, which those make that sleep as well
    in_vain: int  # handled by victims that had nothing
    target_full: int  # likewise, the thief's queue was full

    @property
    def handled(self) -> int:
        return self.given + self.in_vain + self.target_full


@dataclass
class OnPath:
    """A construct's share of the critical path."""

    kind: Kind
    place: int
    seconds: float
    parts: int
    longest: float


class Profile:
    """One process, and the serial-equivalent run of it where there is one."""

    def __init__(self, log: Log, serial: Log | None = None) -> None:
        self.log = log
        self.serial = Profile(serial) if serial is not None else None
        self.rate = log.clock.rate / 1e9  # seconds of a tick

    @property
    def is_whole(self) -> bool:
        """Whether all of the run is looked at."""
        return self.log.until == self.log.end

    @cached_property
    def cut_short(self) -> bool:
        """Whether the program ended in the middle of its work: killed, or by `exit` in a region."""
        begun = self.spans.column("begin")[self.spans.indices(Kind.TASK)].max(initial=0)
        done = self.spans.column("end")[self.spans.indices(Kind.REGION)].max(initial=0)
        return self.log.ended is None or int(begun) > int(done)

    @cached_property
    def ran(self) -> int:
        """How many tasks."""
        summaries = self.log.of(Kind.SUMMARY)
        summed_up = summaries[summaries["worker"] == Kind.TASK]["task"].sum()
        return len(self.log.of(Kind.TASK)) + int(summed_up)

    @cached_property
    def incomparable(self) -> str:
        """Why the serial run does not say what the work takes on one thread; "": it does."""
        if self.serial is None:
            return "there is none"
        if not (self.is_whole and self.serial.is_whole):
            return "not all of both runs is looked at"
        alike = self.serial.ran and not self.other_work
        if (self.cut_short or self.serial.cut_short) and not alike:
            return "not both of them came to their end"
        there, here = self.serial.losses.work, self._divided.work
        if self.other_work and abs(here - there) > SAME_LENGTH * there:
            return (
                f"it had {several(self.serial.ran, 'task')} and {seconds(there)} of work, this one "
                f"{count(self.ran)} and {seconds(here)}: whether the same work takes longer "
                "cannot be told"
            )
        return ""

    @cached_property
    def other_work(self) -> bool:
        """Whether the serial run had another number of tasks. It may have done other work, or
        divided the same one by the number of threads."""
        if self.serial is None:
            return False
        there, here = self.serial.ran, self.ran
        return abs(there - here) > SAME_WORK * max(there, here)

    @cached_property
    def symbols(self) -> Symbols:
        return Symbols(self.log)

    @cached_property
    def spans(self) -> spans.Spans:
        return spans.build(self.log)

    @cached_property
    def _divided(self) -> losses.Losses:
        return losses.divide(self.spans)

    @cached_property
    def losses(self) -> losses.Losses:
        found = self._divided
        if self.serial is not None and not self.incomparable:
            found.serial = self.serial.losses.work
        return found

    @cached_property
    def blame(self) -> blame.Blame:
        return blame.lay(self.spans, self.losses)

    @cached_property
    def graph(self) -> graph.Graph:
        return graph.build(self.spans)

    @cached_property
    def critical(self) -> float:
        """The critical path in seconds."""
        return self.graph.critical * self.rate

    @cached_property
    def places(self) -> list[tasks.Tasks]:
        return tasks.by_place(self.spans, self.blame)

    @cached_property
    def tasks(self) -> tasks.Tasks:
        return tasks.total(self.places)

    @cached_property
    def mutexes(self) -> list[mutexes.Waits]:
        return mutexes.by_place(self.spans)

    @cached_property
    def culprits(self) -> list[culprits.Culprit]:
        return culprits.culprits(self.spans, self.blame)

    @cached_property
    def producer(self) -> culprits.Producer | None:
        return culprits.producer(self.spans, self.blame, self.graph)

    @cached_property
    def serial_stretches(self) -> list[tuple[int, float]]:
        return culprits.before_regions(self.spans, self.blame)

    @cached_property
    def regions(self) -> int:
        """How often the program began a region, those it ended in the middle of among them."""
        ended = self.spans.column("other")[self.spans.indices(Kind.REGION)]
        members = self.spans.indices(Kind.BARRIER, Kind.IMPLICIT)
        # 0: no region, an initial thread's own code.
        others = np.setdiff1d(self.spans.column("other")[members], np.append(ended, np.uint64(0)))
        known = int(np.count_nonzero(others != np.uint64(OPEN_REGION)))
        return len(ended) + (known or len(others))

    @cached_property
    def steals(self) -> Steals:
        moves = self.log.of(Kind.STEAL)
        given = int(np.count_nonzero(moves["flags"] & StealFlag.GIVEN))
        failed = self.log.of(Kind.STEAL_FAILED)
        unanswered = failed["flags"] & StealFlag.GIVEN != 0
        full = int(np.count_nonzero(failed["flags"][unanswered] & StealFlag.FULL))
        return Steals(
            self.tasks.taken,
            len(moves) - given,
            given,
            int(np.count_nonzero(moves["flags"] & StealFlag.REMOTE)),
            len(failed) + self._summed(Kind.STEAL_FAILED),
            len(self.log.of(Kind.REQUEST)) + self._summed(Kind.REQUEST),
            int(np.count_nonzero(unanswered)) - full,
            full,
        )

    def _summed(self, kind: Kind) -> int:
        """How many records of a kind were not written one by one."""
        summaries = self.log.of(Kind.SUMMARY)
        return int(summaries[summaries["worker"] == kind]["task"].sum())

    @property
    def moved_per_second(self) -> float:
        """Tasks taken per thread and second, as paper 2 counts them."""
        total = self.losses.total
        return self.steals.taken / total if total else 0.0

    @cached_property
    def on_path(self) -> list[OnPath]:
        """What the critical path consists of, the largest share first."""
        path = self.graph.path
        owners = np.array(path.owner, dtype=np.int64)
        lengths = np.array(path.end, dtype=np.int64) - np.array(path.begin, dtype=np.int64)
        found: dict[tuple[int, int], OnPath] = {}
        kinds, places = self.spans.kind[owners].tolist(), self.spans.column("place")[owners]
        for kind, place, ticks in zip(kinds, places.tolist(), lengths.tolist(), strict=True):
            key = (kind, 0 if kind == Kind.THREAD else place)
            if key not in found:
                found[key] = OnPath(Kind(kind), key[1], 0.0, 0, 0.0)
            seconds = ticks * self.rate
            found[key].seconds += seconds
            found[key].parts += 1
            found[key].longest = max(found[key].longest, seconds)
        return sorted(found.values(), key=lambda part: -part.seconds)

    def links(self, link: Link) -> int:
        """How often a part of the critical path follows another in this way."""
        return self.graph.path.link.count(link)

    @cached_property
    def regions_with_tasks(self) -> int:
        """Regions of the outermost level in which tasks began."""
        rows = self.spans.indices(Kind.REGION)
        begins = np.sort(self.spans.column("begin")[rows])
        begun = self.spans.column("begin")[self.spans.indices(Kind.TASK)]
        return len(np.unique(np.searchsorted(begins, begun, side="right")))

    def place(self, address: int, kind: Kind) -> Place:
        """Where a record's place is; of most kinds it is where the call returns to."""
        return self.symbols.place(address, returned=kind not in BODIES)

    def load_places(self) -> None:
        """Looks up what a report may name, in one go."""
        self.symbols.load([tasks.place for tasks in self.places])
        bodies = is_any(self.spans.kind, (Kind.REGION, Kind.IMPLICIT))
        self.symbols.load(np.unique(self.spans.column("place")[bodies]).tolist())
        returned = [each.place for each in self.culprits if each.kind in culprits.RETURNED]
        returned += [waits.place for waits in self.mutexes]
        self.symbols.load(returned, returned=True)
