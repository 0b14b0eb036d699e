# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The schedulers of the papers to the letter, simulated: what makespan each algorithm gives as it
is written, on workers that never sleep, with a clock of its own.

A task is a list of what it does: a number of units of work, or a task that it creates. Time goes in
ticks, `UNIT` of which are a unit of work; in one tick a worker that does not work takes up to
`ACTIONS` steps. Nothing of xomp is in here.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

UNIT = 10
ACTIONS = 64
QUEUE = 64  # entries of an XQueue queue


class Task(list):
    """What it does, in order."""


def leaf(units: int) -> Task:
    return Task([units])


# ---- shapes: those of `xomp bench balance` that wait for nothing ----


def producer(workers: int) -> Task:
    return Task([leaf(1) for _ in range(16 * (workers - 1))] + [16])


def long_first(workers: int) -> Task:
    return Task([leaf(16)] + [leaf(1) for _ in range(16 * (workers - 1))])


def parents(workers: int) -> Task:
    return Task([Task([leaf(1) for _ in range(16)] + [16]) for _ in range(max(1, workers // 2))])


def mixed(workers: int) -> Task:
    drawn = [((i * 2654435761) & 0xFFFFFFFF) >> 28 for i in range(16 * workers)]
    return Task([leaf(6 if each < 3 else 1) for each in drawn])


def skewed(workers: int) -> Task:
    def part(leaves: int) -> Task:
        if leaves == 1:
            return leaf(1)
        fewer = 1 if leaves < 8 else leaves // 8
        return Task([part(leaves - fewer), part(fewer)])

    return part(16 * workers)


def taskloop(workers: int) -> Task:
    return Task([leaf(8 if i % 16 == 8 else 1) for i in range(32 * workers)])


def tree(workers: int, nodes: int = 24) -> Task:
    """A node works and then has three children; so many nodes for each worker."""

    def unfold(below: int) -> Task:
        parts = [(below - 1) * 5 // 8, (below - 1) // 4]
        parts.append(below - 1 - sum(parts))
        return Task([1, *(unfold(part) for part in parts if part)])

    return unfold(nodes * workers)


def priorities(workers: int) -> Task:
    """The papers have no priorities: the long tasks are simply the last."""
    return Task([leaf(1) for _ in range(12 * workers)] + [leaf(8) for _ in range(workers // 2)])


SHAPES: dict[str, Callable[[int], Task]] = {
    "taskloop": taskloop,
    "producer": producer,
    "long-first": long_first,
    "parents": parents,
    "mixed": mixed,
    "skewed": skewed,
    "tree": tree,
    "priorities": priorities,
}


def total(task: Task) -> int:
    return sum(total(each) if isinstance(each, Task) else each for each in task)


def longest(task: Task) -> int:
    """The critical path."""
    path = end = 0
    for each in task:
        if isinstance(each, Task):
            end = max(end, path + longest(each))
        else:
            path += each
    return max(path, end)


def ideal(task: Task, workers: int) -> float:
    """In units."""
    return max(total(task) / workers, longest(task))


# ---- schedulers ----


class Scheduler:
    """What a worker does with a task that it creates, and where it looks for one."""

    def __init__(self, workers: int, rng: random.Random) -> None:
        self.workers, self.rng = workers, rng

    def put(self, worker: int, task: Task) -> bool:
        """False: no room, the creator runs the task at once."""
        raise NotImplementedError

    def take(self, worker: int) -> Task | None:
        raise NotImplementedError

    def found(self, worker: int) -> None:
        """It has found a task to execute."""

    def found_none(self, worker: int) -> None:
        """It has not."""


class XQueue(Scheduler):
    """Paper 1, section II.B, and paper 4, section 3.2: a master queue, and auxiliary queues from
    the workers before this one; targets in turn, the master first."""

    def __init__(self, workers: int, rng: random.Random, auxiliaries: int) -> None:
        super().__init__(workers, rng)
        self.targets = min(auxiliaries, workers - 1) + 1
        self.queues = [[deque() for _ in range(workers)] for _ in range(workers)]
        self.held = [0] * workers  # in all queues of a consumer: most looks find nothing
        self.turn = [0] * workers
        self.scan = [0] * workers

    def full(self, consumer: int, creator: int) -> bool:
        return len(self.queues[consumer][creator]) >= QUEUE

    def push(self, consumer: int, creator: int, task: Task) -> None:
        self.queues[consumer][creator].append(task)
        self.held[consumer] += 1

    def put(self, worker: int, task: Task) -> bool:
        target = (worker + self.turn[worker]) % self.workers
        self.turn[worker] = (self.turn[worker] + 1) % self.targets
        if self.full(target, worker):
            return False
        self.push(target, worker, task)
        return True

    def take(self, worker: int) -> Task | None:
        """The paper does not say in which order a worker looks at its auxiliary queues. Here: on
        from where it last found something."""
        if not self.held[worker]:
            return None
        self.held[worker] -= 1
        master = self.queues[worker][worker]
        if master:
            return master.popleft()
        for step in range(self.targets):
            creator = worker - self.targets + 1 + (self.scan[worker] + step) % self.targets
            queue = self.queues[worker][creator % self.workers]
            if queue:
                self.scan[worker] = (self.scan[worker] + step) % self.targets
                return queue.popleft()
        raise AssertionError("no queue has what is held")


class StealingXQueue(XQueue):
    """Paper 4, section 3.1: the original design, and others take from its queues."""

    def __init__(self, workers: int, rng: random.Random) -> None:
        super().__init__(workers, rng, 1)

    def take(self, worker: int) -> Task | None:
        first = self.rng.randrange(self.workers)
        victims = [(first + n) % self.workers for n in range(self.workers)]
        for owner in [worker, *victims]:
            if task := super().take(owner):
                return task
        return None


@dataclass
class Cells:
    """Of a victim (paper 1, section IV.B)."""

    round: int = 1
    request: tuple[int, int] = (0, -1)  # round, thief
    thief: int = -1  # whom it redirects to
    pushed: int = 0
    asked: bool = False
    idle: int = 0


class Messaging(XQueue):
    """Paper 1, section IV, Alg. 1 and 2. T_interval in ticks, as a look takes no time here."""

    def __init__(
        self,
        workers: int,
        rng: random.Random,
        victims: int = 24,
        steal: int = 32,
        interval: int = 5,
    ) -> None:
        super().__init__(workers, rng, workers)
        self.victims, self.steal, self.interval = victims, steal, interval
        self.cells = [Cells() for _ in range(workers)]
        self.moved = 0

    def found_none(self, worker: int) -> None:
        own = self.cells[worker]
        own.idle += 1
        if own.asked and own.idle < self.interval:
            return
        own.asked, own.idle = True, 0
        # Any other worker, as randrange(workers - 1) draws one: here most of the time goes.
        cells, others, draw = self.cells, self.workers - 1, self.rng.getrandbits
        bits = others.bit_length()
        for _ in range(self.victims):
            drawn = draw(bits)
            while drawn >= others:
                drawn = draw(bits)
            victim = cells[worker - others + drawn]
            if victim.request[0] < victim.round:
                victim.request = (victim.round, worker)

    def found(self, worker: int) -> None:
        own = self.cells[worker]
        own.asked, own.idle = False, 0
        if own.request[0] == own.round:
            self.balance(worker, own.request[1])

    def balance(self, worker: int, thief: int) -> None:
        raise NotImplementedError


class NaRp(Messaging):
    """Alg. 3. The round ends with the redirecting, as the text of section IV.C says."""

    gives_up = False  # xomp: the round also ends when the victim finds nothing itself

    def found_none(self, worker: int) -> None:
        own = self.cells[worker]
        if self.gives_up and own.thief >= 0:
            own.thief = -1
            own.round += 1
        super().found_none(worker)

    def balance(self, worker: int, thief: int) -> None:
        own = self.cells[worker]
        if own.thief < 0:
            own.thief, own.pushed = thief, 0

    def put(self, worker: int, task: Task) -> bool:
        own = self.cells[worker]
        if own.thief >= 0 and (own.pushed >= self.steal or self.full(own.thief, worker)):
            own.thief = -1
            own.round += 1
        if own.thief < 0:
            return super().put(worker, task)
        self.push(own.thief, worker, task)
        own.pushed += 1
        self.moved += 1
        return True


class NaWs(Messaging):
    """Alg. 4, whose line 3 means: while neither the thief's queue is full nor its own is empty."""

    at_creation = False  # xomp: it also answers when it creates a task and holds some of its own

    def put(self, worker: int, task: Task) -> bool:
        own = self.cells[worker]
        if self.at_creation and self.queues[worker][worker] and own.request[0] == own.round:
            self.balance(worker, own.request[1])
        return super().put(worker, task)

    def balance(self, worker: int, thief: int) -> None:
        for _ in range(self.steal):
            if self.full(thief, worker):
                break
            task = self.take(worker)
            if task is None:
                break
            self.push(thief, worker, task)
            self.moved += 1
        self.cells[worker].round += 1


class NaRpOfXomp(NaRp):
    gives_up = True


class NaWsOfXomp(NaWs):
    at_creation = True


class PerWorker(Scheduler):
    """Paper 5, Table 1: Q and L, a queue for each worker, filled in turn."""

    def __init__(self, workers: int, rng: random.Random, newest: bool) -> None:
        super().__init__(workers, rng)
        self.queues = [deque() for _ in range(workers)]
        self.newest = newest
        self.turn = list(range(workers))

    def put(self, worker: int, task: Task) -> bool:
        self.queues[self.turn[worker]].append(task)
        self.turn[worker] = (self.turn[worker] + 1) % self.workers
        return True

    def take(self, worker: int) -> Task | None:
        queue = self.queues[worker]
        if not queue:
            return None
        return queue.pop() if self.newest else queue.popleft()


class Shepherds(Scheduler):
    """Paper 5, Table 1: CQ (one domain), WS (a domain for each worker) and MTS. A LIFO for each
    domain; who finds it empty steals a chunk of the oldest tasks of another, the nearest first."""

    def __init__(self, workers: int, rng: random.Random, domains: int) -> None:
        super().__init__(workers, rng)
        self.domains, self.each = domains, workers // domains
        self.queues = [deque() for _ in range(domains)]

    def put(self, worker: int, task: Task) -> bool:
        self.queues[worker // self.each].append(task)
        return True

    def take(self, worker: int) -> Task | None:
        own = worker // self.each
        if self.queues[own]:
            return self.queues[own].pop()
        for step in range(1, self.domains):
            away = (step + 1) // 2 * (1 if step % 2 else -1)
            victim = self.queues[(own + away) % self.domains]
            if victim:
                chunk = [victim.popleft() for _ in range(min(self.each, len(victim)))]
                self.queues[own].extend(chunk[1:])
                return chunk[0]
        return None


SCHEDULERS: dict[str, Callable[[int, random.Random], Scheduler]] = {
    "slb": lambda workers, rng: XQueue(workers, rng, workers),
    "xqueue1": lambda workers, rng: XQueue(workers, rng, 1),
    "xqueue2": lambda workers, rng: XQueue(workers, rng, 2),
    "xqueue-ws": StealingXQueue,
    "na-rp": NaRp,
    "na-ws": NaWs,
    "q": lambda workers, rng: PerWorker(workers, rng, newest=False),
    "l": lambda workers, rng: PerWorker(workers, rng, newest=True),
    "cq": lambda workers, rng: Shepherds(workers, rng, 1),
    "ws": lambda workers, rng: Shepherds(workers, rng, workers),
    "mts": lambda workers, rng: Shepherds(workers, rng, 2),
}
# With the changes of docs/schedulers/na-rp.md and na-ws.md that make a difference here.
CHANGED: dict[str, Callable[[int, random.Random], Scheduler]] = {
    "na-rp": NaRpOfXomp,
    "na-ws": NaWsOfXomp,
}


# ---- the clock ----


@dataclass
class Worker:
    frames: list[list] = field(default_factory=list)  # [task, next step]
    busy_until: int = 0
    units: int = 0  # that it has done


@dataclass
class Outcome:
    makespan: float  # in units
    units: list[int]  # by worker
    scheduler: Scheduler


def simulate(root: Task, workers: int, scheduler: Scheduler, rng: random.Random) -> Outcome:
    """Runs `root` on worker 0, which creates everything else; the others look for tasks."""
    crew = [Worker() for _ in range(workers)]
    crew[0].frames.append([root, 0])
    left, tick = total(root), 0
    order = list(range(workers))
    while left or any(each.busy_until > tick for each in crew):
        rng.shuffle(order)  # nobody is always the first
        for number in order:
            if crew[number].busy_until <= tick:
                left -= _step(crew[number], number, scheduler, tick)
        tick += 1
    return Outcome(
        max(each.busy_until for each in crew) / UNIT, [each.units for each in crew], scheduler
    )


def _step(worker: Worker, number: int, scheduler: Scheduler, tick: int) -> int:
    """One tick of a worker that is not working. The units that it begins."""
    for _ in range(ACTIONS):
        if not worker.frames:
            task = scheduler.take(number)
            if task is None:
                scheduler.found_none(number)
                return 0
            scheduler.found(number)
            worker.frames.append([task, 0])
        frame = worker.frames[-1]
        task, step = frame
        if step == len(task):
            worker.frames.pop()
            continue
        frame[1] += 1
        action = task[step]
        if not isinstance(action, Task):
            worker.busy_until = tick + action * UNIT
            worker.units += action
            return action
        if not scheduler.put(number, action):
            worker.frames.append([action, 0])
    return 0


def makespans(
    root: Task,
    scheduler: Callable[..., Scheduler],
    workers: int,
    seeds: int = 5,
    **more: int,
) -> list[float]:
    """Makespan over ideal with each seed, sorted. `more` are parameters of the scheduler."""
    found, best = [], ideal(root, workers)
    for seed in range(seeds):
        rng = random.Random(seed)
        outcome = simulate(root, workers, scheduler(workers, rng, **more), rng)
        found.append(outcome.makespan / best)
    return sorted(found)
