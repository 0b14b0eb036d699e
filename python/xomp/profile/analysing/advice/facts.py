# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What several rules ask for of a run."""

from __future__ import annotations

from functools import cached_property

from xomp.profile.analysing import chunks
from xomp.profile.analysing.advice.finding import Finding
from xomp.profile.analysing.advice.thresholds import (
    AT_ONCE_TICKS,
    BRIEF,
    FEW_TASKS,
    KEPT,
    LARGE_ENOUGH,
    MOSTLY_HELD,
    ONE_THREAD,
    PRODUCER_SHARE,
    PRODUCER_WAITS,
    RECORD_TICKS,
    SHORT_REGION,
    TOLERABLE_OVERHEAD,
)
from xomp.profile.analysing.chunks import Chunks
from xomp.profile.analysing.culprits import Culprit, shared_out
from xomp.profile.analysing.spans import State
from xomp.profile.analysing.summary import Profile
from xomp.profile.analysing.tasks import Tasks
from xomp.profile.reading.format import Kind
from xomp.shared.text import percent, seconds


class Facts:
    """What several rules ask for."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.losses = profile.losses
        self.threads = profile.losses.threads
        self.tasks = profile.tasks

    @property
    def processors(self) -> int:
        """That the process may use."""
        return self.profile.log.number("processors") or self.threads

    @property
    def crowded(self) -> bool:
        return self.threads > self.processors

    def setting(self, name: str) -> str:
        """As it was in force; "": the log does not tell."""
        return self.profile.log.settings.get(name, "")

    @cached_property
    def largest_team(self) -> int:
        """Threads of the largest region; 0: that is not known."""
        spans = self.profile.spans
        return int(spans.column("worker")[spans.indices(Kind.REGION)].max(initial=0))

    @cached_property
    def short_regions(self) -> bool:
        """Whether the regions are so short that to begin and end them is what takes the time."""
        regions = self.profile.regions
        if not regions or self.tasks.count >= regions * self.threads:
            return False
        return self.losses.elapsed / regions < SHORT_REGION

    @cached_property
    def between_regions(self) -> float:
        """Idle time while one thread began and ended regions."""
        outside = sum(each.alone for each in self.culprits(Kind.THREAD))
        code = sum(length for _, length in self.profile.serial_stretches)
        return max(0.0, outside - code) * (self.threads - 1)

    def culprits(self, *kinds: Kind) -> list[Culprit]:
        return [each for each in self.profile.culprits if each.kind in kinds]

    @cached_property
    def split_regions(self) -> tuple[list[Culprit], list[Culprit]]:
        """Code of regions outside of tasks and loops: serial, and shared by several threads."""
        serial, shared = [], []
        for each in self.culprits(Kind.SINGLE, Kind.IMPLICIT, Kind.CREATE):
            alone = each.kind != Kind.IMPLICIT or (
                shared_out(self.profile.spans, each.place) >= ONE_THREAD
            )
            (serial if alone else shared).append(each)
        return serial, shared

    @cached_property
    def production(self) -> float:
        """Idle time that the making of tasks explains, tasks that are run in between left out."""
        producer = self.profile.producer
        enough = FEW_TASKS * self.threads
        if producer is None or producer.share < PRODUCER_SHARE or producer.tasks < enough:
            return 0.0
        if producer.busy + producer.at_once < 1 - PRODUCER_WAITS:
            return 0.0
        return 0.0 if self.only_makes else producer.idle * producer.busy

    @cached_property
    def only_makes(self) -> bool:
        """Whether the producer does little else than to make tasks, which are too small."""
        producer = self.profile.producer
        if producer is None or producer.share < PRODUCER_SHARE or not self.fine:
            return False
        return producer.seconds < producer.tasks * BRIEF * self.profile.rate

    @cached_property
    def fine_production(self) -> float:
        """Idle time while a producer makes tasks that are too small to be handed over, or runs
        such tasks itself."""
        producer = self.profile.producer
        if self.only_makes:
            return producer.idle * min(1.0, producer.busy + producer.at_once)
        return producer.idle * producer.at_once if self.production and self.fine else 0.0

    @cached_property
    def behind_tasks(self) -> float:
        """Idle time while tasks ran, as far as their producer does not explain it."""
        return 0.0 if self.kept else self._behind_all_tasks

    @cached_property
    def kept(self) -> float:
        """Idle time while threads run tasks at once that are too small to be handed over."""
        worst = self.worst_tasks
        if not self.fine or worst is None or worst.at_once < KEPT * max(1, worst.recorded):
            return 0.0
        small = TOLERABLE_OVERHEAD * (AT_ONCE_TICKS + worst.median - RECORD_TICKS) < AT_ONCE_TICKS
        return self._behind_all_tasks if small else 0.0

    @cached_property
    def _behind_all_tasks(self) -> float:
        in_region_code = sum(each.idle for each in self.split_regions[0])
        taken = max(0.0, self.production + self.fine_production - in_region_code)
        return max(0.0, sum(each.idle for each in self.culprits(Kind.TASK)) - taken)

    @cached_property
    def worst_tasks(self) -> Tasks | None:
        return max(self.profile.places, key=lambda tasks: tasks.blame, default=None)

    @cached_property
    def cost(self) -> float:
        """What the runtime spends on tasks, in seconds: on those run at once by estimate."""
        if not self.tasks.recorded:
            return 0.0
        states = self.losses.by_state
        at_once = self.tasks.at_once * AT_ONCE_TICKS * self.profile.rate
        return float(states[State.CREATE] + states[State.SCHEDULE]) + at_once

    @cached_property
    def fine(self) -> bool:
        """Whether the management of tasks takes too much of their time."""
        most = self.most_tasks
        if most is None or not self.tasks.recorded or self.typical >= LARGE_ENOUGH:
            return False
        each = self.cost / self.profile.rate / self.tasks.recorded
        # The usual task counts: a few that were interrupted by the system make a mean too large.
        return each > TOLERABLE_OVERHEAD * (each + max(0.0, self.typical - RECORD_TICKS))

    @cached_property
    def chunks(self) -> Chunks | None:
        """The loops whose chunks cost too much to hand out."""
        found = chunks.handed_out(self.profile.spans, self.losses.waits)
        if found is None:
            return None
        cost = found.cost - found.count * RECORD_TICKS * self.profile.rate
        return found if cost > TOLERABLE_OVERHEAD * (cost + found.work) else None

    @property
    def inflation(self) -> float | None:
        """What the same work took longer than on one thread; None: that is not known."""
        return None if self.profile.other_work else self.losses.inflation

    @cached_property
    def inflated_parts(self) -> float:
        """Inflation of work in parts so small that what they share with others, their arguments and
        their records, is most of it. No more than these parts, and code that does little else
        than to make them, took: other code may take longer, too."""
        inflation = max(0.0, self.inflation or 0.0)
        if self.fine:
            producer = self.profile.producer
            making = producer.seconds * producer.busy if self.only_makes else 0.0
            return min(inflation, self.tasks.work + self.tasks.summed_work + making)
        return min(inflation, self.chunks.work) if self.chunks is not None else 0.0

    @cached_property
    def bottleneck(self) -> tuple[int, float]:
        """The address of the lock that is held for longest, and the share of the time in which it
        is, where that is most of it."""
        held: dict[int, float] = {}
        for each in self.profile.mutexes:
            held[each.address] = held.get(each.address, 0.0) + each.held
        lock = max(held, key=held.__getitem__, default=0)
        share = min(1.0, held.get(lock, 0.0) / self.losses.elapsed)
        return (lock, share) if share >= MOSTLY_HELD else (0, 0.0)

    @cached_property
    def locked_out(self) -> float:
        """What threads without a processor could not have used one for: another held the lock."""
        if not self.losses.counted:
            return 0.0
        return self.bottleneck[1] * (self.losses.kept_off + self.profile.blame.kept_off)

    @cached_property
    def most_tasks(self) -> Tasks | None:
        """The place that makes the most."""
        return max(self.profile.places, key=lambda tasks: tasks.count, default=None)

    @cached_property
    def typical(self) -> float:
        """Ticks of a usual task from there."""
        most = self.most_tasks
        if most is None:
            return 0.0
        mean = most.mean / self.profile.rate
        return min(mean, most.median) if most.recorded > most.summed_up else mean

    def task(self, tasks: Tasks) -> str:
        return self.profile.place(tasks.place, Kind.TASK).text("task")

    def region_code(self, culprit: Culprit) -> str:
        names = {Kind.SINGLE: "single", Kind.IMPLICIT: "region", Kind.CREATE: "creation of tasks"}
        return self.profile.place(culprit.place, culprit.kind).text(names[culprit.kind])

    def lost(self, value: float) -> str:
        return f"{seconds(value)} ({percent(value / self.losses.total)} of the threads' time)"


def tell_inflated_parts(finding: Finding, facts: Facts, parts: str) -> None:
    if facts.inflated_parts:
        finding.reasons.append(
            f"Their code took longer than on one thread: {parts} this small bring their data to "
            "another processor, and their records are a part of it."
        )
