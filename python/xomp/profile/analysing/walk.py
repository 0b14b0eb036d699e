# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The walk along the task graph that finds its critical path.

The steps are taken once, in the order in which they happened. An owner of code (a task, an implicit
task, a thread outside of regions) knows the moment at which it would be with as many threads as it
likes: `base` + how much of its own code it has executed. Only waits raise the base.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from xomp.profile.analysing.dependences import Dependences
from xomp.profile.analysing.spans import starts
from xomp.profile.analysing.strict import Strict

NOBODY = -1


class Step(IntEnum):
    NONE = -1
    START = 0  # the owner creates a task (argument)
    END = 1  # the owner ends
    JOIN = 2  # the end of a taskwait
    JOIN_ALL = 3  # the end of a taskgroup, which waits for more than children
    ARRIVE = 4  # at a barrier of a region (argument)
    LEAVE = 5  # the barrier
    FORK = 6  # begins a region (argument)
    UNITE = 7  # ends it
    ENTER = 8  # an implicit task begins in a region (argument)
    READY = 9  # a task begins that had to wait for others


class Link(IntEnum):
    """What a part of the path follows by."""

    BEGIN = 0
    CREATION = 1
    WAIT = 2
    DEPENDENCE = 3


@dataclass
class Leaves:
    """Tasks that take no steps, in groups: those of one owner between two of its waits.

    What owners' code comes to, these tasks' creations and the waits between them among others, are
    items, in rows by owner and time.
    """

    last: np.ndarray  # of each group: the latest end, in ticks of the owner's base
    first_item: np.ndarray  # of each group; the next group's is its end
    ends: np.ndarray  # of each item: when the leaf ends, as `last`
    task: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))  # of each item
    offset: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    group: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    strict: Strict | None = None

    def latest(self, group: int) -> int:
        """The task that ends last."""
        start = self.first_item[group]
        return int(self.task[start + self.ends[start : self.first_item[group + 1]].argmax()])


@dataclass
class Steps:
    """Row by row what happened, and what is known of each span that owns code; only `nodes` are
    walked."""

    what: np.ndarray
    owner: np.ndarray
    argument: np.ndarray
    offset: np.ndarray  # ticks of the owner's own code before it
    group: np.ndarray  # of leaves created before it; NOBODY: none
    leaves: Leaves
    nodes: np.ndarray
    own: np.ndarray  # ticks of an owner's code
    creator: np.ndarray
    created_at: np.ndarray  # in ticks of the creator's code
    made_as: np.ndarray  # the item that created it
    is_task: np.ndarray
    undeferred: np.ndarray
    regions: int
    dependences: Dependences


@dataclass
class Path:
    """The critical path from its end on: parts of owners' code, in ticks of it."""

    owner: list[int] = field(default_factory=list)
    begin: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    link: list[Link] = field(default_factory=list)


def walk(steps: Steps) -> tuple[int, Path]:
    """The critical path's ticks, and the path."""
    walker = _Walker(steps)
    walker.go()
    return walker.finish()


class _Walker:
    def __init__(self, steps: Steps) -> None:
        # Owners are known by their numbers among the nodes, as most spans are none; where the path
        # is traced they are spans again.
        count = len(steps.nodes)
        self.steps = steps
        self.number = np.full(len(steps.own), NOBODY, dtype=np.int32)
        self.number[steps.nodes] = np.arange(count)
        creator = steps.creator[steps.nodes]
        self.creator = np.where(creator >= 0, self.number[creator], NOBODY).tolist()
        self.created_at = steps.created_at[steps.nodes].tolist()
        self.is_task = steps.is_task[steps.nodes].tolist()
        self.base = [0] * count
        self.ended = [NOBODY] * count
        # The latest end among an owner's children, and all that were created below it; and whose.
        # Groups of leaves stand for the last of them: group g is -2 - g.
        self.children = [NOBODY] * count
        self.child = [NOBODY] * count
        self.below = [NOBODY] * count
        self.below_task = [NOBODY] * count
        self.above = list(self.creator)
        self.region = [steps.regions] * count
        self.done = [(NOBODY, NOBODY)] * (steps.regions + 1)  # the latest end in a region
        self.forked = [(0, NOBODY, 0)] * (steps.regions + 1)  # base, owner, its offset
        self.entered: dict[int, tuple[int, int]] = {}  # implicit tasks: who forked, its offset
        self.arrivals: dict[tuple[int, int], tuple[int, int]] = {}
        self.arrived, self.left = [0] * count, [0] * count
        self.before: dict[int, list[int]] = {}  # groups of tasks
        found = steps.dependences
        tasks = self.number[found.task].tolist()
        for task, group in zip(tasks, found.group.tolist(), strict=True):
            self.before.setdefault(task, []).append(group)
        self.group_ended: dict[int, tuple[int, int]] = {}
        # How bases were raised: whose, to what, at which offset, and who was waited for. Rows of
        # numbers, as a million small objects would keep Python's memory management busy.
        self.raised: tuple[list[int], ...] = ([], [], [], [])
        self.waited_for: dict[int, int] = {}  # at a task's begin: the predecessor that came last

    def go(self) -> None:
        steps = self.steps
        base, ended, region = self.base, self.ended, self.region
        children, child, done = self.children, self.child, self.done
        creator, is_task = self.creator, self.is_task
        last = steps.leaves.last.tolist()
        undeferred = steps.undeferred[steps.nodes].tolist()
        below = bool((steps.what == Step.JOIN_ALL).any())
        owners, started = self.number[steps.owner], steps.what == Step.START
        arguments = np.where(started, self.number[steps.argument * started], steps.argument)
        columns = (steps.what, owners, arguments, steps.offset, steps.group)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        for what, owner, argument, offset, group in rows:
            if group >= 0:
                latest = base[owner] + last[group]
                if latest > children[owner]:
                    children[owner], child[owner] = latest, -2 - group
                if latest > done[region[owner]][0]:
                    done[region[owner]] = (latest, -2 - group)
            if what == Step.START:
                base[argument] = base[owner] + offset
                region[argument] = region[owner]
            elif what == Step.END:
                end = ended[owner] = base[owner] + offset
                if end > done[region[owner]][0]:
                    done[region[owner]] = (end, owner)
                parent = creator[owner]
                if parent < 0 or not is_task[owner]:
                    continue
                if end > children[parent]:
                    children[parent], child[parent] = end, owner
                if undeferred[owner]:
                    self._raise(parent, self.created_at[owner], end, owner)
                if below:
                    self._tell_above(owner)
            elif what == Step.JOIN:
                if children[owner] >= 0:
                    self._raise(owner, offset, children[owner], child[owner])
            else:
                self._seldom(what, owner, argument, offset)

    def _seldom(self, what: int, owner: int, argument: int, offset: int) -> None:
        """The steps of taskgroups, regions, barriers and dependences."""
        now = self.base[owner] + offset
        if what == Step.JOIN_ALL:
            direct = (self.children[owner], self.child[owner])
            self._raise(owner, offset, *max(direct, (self.below[owner], self.below_task[owner])))
        elif what == Step.ARRIVE:
            turn = (argument, self.arrived[owner])
            self.arrived[owner] += 1
            self.arrivals[turn] = max(self.arrivals.get(turn, (NOBODY, NOBODY)), (now, owner))
        elif what == Step.LEAVE:
            turn = (argument, self.left[owner])
            self.left[owner] += 1
            arrived = self.arrivals.get(turn, (NOBODY, NOBODY))  # none: a damaged log
            self._raise(owner, offset, *max(arrived, self.done[argument]))
        elif what == Step.FORK:
            self.forked[argument] = (now, owner, offset)
        elif what == Step.ENTER:
            self.region[owner] = argument
            self.base[owner], by, at = self.forked[argument]
            self.entered[owner] = (by, at)
        elif what == Step.UNITE:
            self._raise(owner, offset, *self.done[argument])
        elif what == Step.READY:
            latest, before = max(map(self._last_of, self.before[owner]))
            if latest > self.base[owner]:
                self.base[owner] = latest
                self.waited_for[owner] = before

    def _raise(self, owner: int, offset: int, until: int, by: int) -> None:
        raised = until - offset
        if raised <= self.base[owner]:
            return
        self.base[owner] = raised
        owners, bases, offsets, whom = self.raised
        owners.append(owner)
        bases.append(raised)
        offsets.append(offset)
        whom.append(by)

    def _last_of(self, group: int) -> tuple[int, int]:
        """The latest end in a group that another task waits for, and whose."""
        if group not in self.group_ended:
            members = self.number[self.steps.dependences.of(group)].tolist()
            self.group_ended[group] = max((self.ended[each], each) for each in members)
        return self.group_ended[group]

    def _tell_above(self, owner: int) -> None:
        """What ends below a task that has ended counts for the one above that has not."""
        latest = max(
            (self.ended[owner], owner),
            (self.children[owner], self.child[owner]),
            (self.below[owner], self.below_task[owner]),
        )
        above = self.above[owner]
        while above >= 0 and self.ended[above] >= 0 and self.is_task[above]:
            above = self.above[above]
        self.above[owner] = above
        if above >= 0 and latest[0] > self.below[above]:
            self.below[above], self.below_task[above] = latest

    def finish(self) -> tuple[int, Path]:
        ended = np.array(self.ended, np.int64)
        owner = len(ended) - 1 - int(ended[::-1].argmax())
        critical = int(ended[owner])
        latest, task = max(self.done)
        if latest > critical:
            critical, owner = latest, task
        path = Path()
        if critical != NOBODY:
            self._trace(self._span(owner), critical, path)
        return critical, path

    def _span(self, owner: int) -> int:
        """Groups of leaves, and nobody, stay what they are."""
        return int(self.steps.nodes[owner]) if owner >= 0 else owner

    def _trace(self, owner: int, now: int, path: Path) -> None:
        """From the end back to the begin, each time to what was waited for."""
        leaves, strict = self.steps.leaves, self.steps.leaves.strict
        owners, bases, offsets, whom = (np.array(values, np.int64) for values in self.raised)
        order = np.argsort(owners, kind="stable")
        rows = starts(owners, len(self.base))
        owner, end, item = self._at_its_end(owner)
        for _ in range(len(self.steps.own) + len(self.steps.what)):
            if strict.known[owner]:
                wait = strict.last_wait(owner, item)
                begin = int(leaves.offset[wait]) if wait >= 0 else 0
                waited_for = -2 - int(leaves.group[wait]) if wait >= 0 else NOBODY
            else:
                number = self.number[owner]
                own = order[rows[number] : rows[number + 1]]
                index = int(np.searchsorted(bases[own], now - end, side="right")) - 1
                begin = int(offsets[own[index]]) if index >= 0 else 0
                waited_for = self._span(int(whom[own[index]])) if index >= 0 else NOBODY
            path.owner.append(owner)
            path.begin.append(begin)
            path.end.append(end)
            now -= end - begin
            if waited_for != NOBODY:
                path.link.append(Link.WAIT)
                owner, end, item = self._at_its_end(waited_for)
            elif self.number[owner] in self.waited_for:
                path.link.append(Link.DEPENDENCE)
                before = self.waited_for[self.number[owner]]
                owner, end, item = self._at_its_end(self._span(before))
            else:
                creator, created_at = self._made(owner)
                if creator < 0:
                    path.link.append(Link.BEGIN)
                    return
                path.link.append(Link.CREATION)
                item = int(self.steps.made_as[owner])
                owner, end = creator, created_at

    def _made(self, owner: int) -> tuple[int, int]:
        """By whom, and where in its code."""
        entered = self.entered.get(self.number[owner])
        if entered is not None:
            return self._span(entered[0]), entered[1]
        return int(self.steps.creator[owner]), int(self.steps.created_at[owner])

    def _at_its_end(self, task: int) -> tuple[int, int, int]:
        """A task, or the last of a group of leaves; its end in its own code and among its items."""
        leaves = self.steps.leaves
        if task < 0:
            task = leaves.latest(-2 - task)
        return task, int(self.steps.own[task]), int(leaves.strict.first[task + 1])
