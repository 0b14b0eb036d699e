# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why a run lost time, and what to do about it: every rule, and every threshold, stands here.

A rule explains a part of the lost time (overhead, idle time, work time inflation) and claims it, in
seconds of a thread. The causes are told in the order of what they claim. Idle time is divided
first by what ran meanwhile (blame.py), so that no two rules claim the same of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from xomp.profile import barriers, chunks
from xomp.profile.chunks import Chunks
from xomp.profile.culprits import Culprit, shared_out
from xomp.profile.format import Kind
from xomp.profile.spans import State
from xomp.profile.summary import Profile
from xomp.profile.tasks import Tasks
from xomp.profile.texts import count, digits, percent, seconds, several
from xomp.profile.walk import Link

# A cause that explains less of the threads' time than this is not worth a reader's minute. What
# others took of it does not count, or a busy machine would hide what the program lacks.
WORTH_TELLING = 0.03
# Paper 2, section 5: tasks of O(100k) instructions reach 90 % efficiency on most runtimes.
LARGE_ENOUGH = 100_000  # ticks: such a task is not too fine, whatever else is wrong
# Tasks whose management takes more than a tenth of their own time are too fine.
TOLERABLE_OVERHEAD = 0.1
# What a task costs that runs at once, in ticks: its bookkeeping is some 20 instructions, the call
# and the copies of its arguments as many again. It is part of the work that is recorded.
AT_ONCE_TICKS = 40
# And what its record costs, which is part of its size.
RECORD_TICKS = 40
# Fewer tasks than this for each thread leave nothing to even out differences with.
FEW_TASKS = 2
# Ticks from one task to the next in which a producer computes hardly anything.
BRIEF = 1000
# From this share of all tasks on one creator is the producer.
PRODUCER_SHARE = 0.8
# One that waits for more than this share of the time, for its tasks, is not what others wait for.
PRODUCER_WAITS = 0.5
# A part of the critical path's tasks that is larger than this is a task too coarse, not a chain.
DOMINANT = 0.5
# Where more tasks than this run at once, those are what keeps threads busy.
KEPT = 0.5
# A region whose code is executed to this share by one of its threads is serial there; below it the
# others have parts of it, which are too small.
ONE_THREAD = 0.9
# Data that are elsewhere for less than this share of the tasks' time do not slow a program down.
REMOTE_SHARE = 0.2
# A lock that is held for this share of the time leaves hardly anything to do for a second thread.
MOSTLY_HELD = 0.7
# A region should last long enough for its threads to be woken and gathered, and so should what is
# between two barriers.
SHORT_REGION = 100e-6  # seconds
# From so many records a second on the log itself takes processor time that is worth mentioning.
MANY_RECORDS = 1_000_000


@dataclass
class Finding:
    """One cause."""

    cause: str
    title: str
    where: str  # the place in the source; "": the whole program
    lost: float  # seconds of threads
    evidence: list[str] = field(default_factory=list)
    advice: list[str] = field(default_factory=list)


def findings(profile: Profile) -> list[Finding]:
    """The causes, what explains most first; none where all is well."""
    if not profile.losses.total:
        return []
    found = [finding for rule in RULES for finding in rule(_Facts(profile))]
    taken = profile.losses.kept_off + profile.blame.kept_off
    least = WORTH_TELLING * max(0.0, profile.losses.total - taken)
    return sorted((each for each in found if each.lost >= least), key=lambda each: -each.lost)


class _Facts:
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

    @cached_property
    def inflated_parts(self) -> float:
        """Inflation of work in parts so small that what they share with others, their arguments and
        their records, is most of it."""
        inflation = self.losses.inflation or 0.0
        return max(0.0, inflation) if self.fine or self.chunks is not None else 0.0

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


def _too_fine(facts: _Facts) -> Iterator[Finding]:
    if not facts.fine:
        return
    profile, tasks = facts.profile, facts.tasks
    most = facts.most_tasks
    each = facts.cost / tasks.recorded
    idle = facts.fine_production + facts.kept
    lost = facts.cost + idle + facts.inflated_parts
    finding = Finding("too-fine", "Tasks are too small", facts.task(most), lost)
    finding.evidence = [
        f"{several(tasks.count, 'task')}, {count(most.count)} of them from here; a usual one takes "
        f"{seconds(facts.typical * profile.rate)} ({count(facts.typical)} ticks, its record "
        f"included), {seconds(tasks.mean)} is the mean. To make, find and end one costs about "
        f"{seconds(each)}.",
    ]
    if tasks.at_once:
        finding.evidence.append(
            f"{percent(tasks.at_once / tasks.recorded)} ran at once in the thread that made them: "
            "they were not worth handing over."
        )
    if idle:
        finding.evidence.append(
            f"Others were idle for {facts.lost(idle)} meanwhile: tasks this small do not feed them."
        )
    _tell_inflated_parts(finding, facts, "tasks")
    finding.advice = [
        "Put more work into a task: stop making tasks at a certain depth or size "
        "(`if`, `final`, or a plain call), or give each several iterations "
        "(`taskloop grainsize`).",
        f"Some {seconds(10 * each)} a task would bring the cost below 10 %.",
    ]
    yield finding


def _evening_out(facts: _Facts, worst: Culprit) -> list[str]:
    if worst.kind == Kind.SECTIONS:
        return ["Divide the largest section, or make tasks of the sections' parts."]
    if worst.kind != Kind.LOOP:
        return [
            "A loop in it that is divided beforehand (no `schedule` clause, or `static`) wants "
            "`schedule(dynamic)` or `schedule(guided)` if its iterations differ.",
            "Other code: give each thread an equal part, or make tasks of the parts.",
        ]
    at_a_time = chunks.usual(facts.profile.spans, worst.place)
    if at_a_time > 1:
        return [
            f"Its usual chunk has {count(at_a_time)} iterations: smaller ones, by the second "
            "number of the `schedule` clause, leave something to share at the end."
        ]
    if at_a_time == 1:
        return [
            "Its iterations are handed out one by one: divide those that are larger than others, "
            "or begin with them."
        ]
    return [
        "Iterations of different length want `schedule(dynamic)` or `schedule(guided)`, or a "
        "`taskloop`; if it is a fixed part that is larger, divide it."
    ]


def _tell_inflated_parts(finding: Finding, facts: _Facts, parts: str) -> None:
    if facts.inflated_parts:
        finding.evidence.append(
            f"Their code took {facts.lost(facts.inflated_parts)} longer than on one thread: "
            f"{parts} this small bring their data to another processor, and their records are a "
            "part of it."
        )


def _one_producer(facts: _Facts) -> Iterator[Finding]:
    producer = facts.profile.producer
    if producer is None or not facts.production:
        return
    names = {Kind.TASK: "task", Kind.IMPLICIT: "region", Kind.THREAD: "code outside of regions"}
    where = facts.profile.place(producer.place, producer.kind).text(names[producer.kind])
    who = "one task" if producer.kind == Kind.TASK else "one thread"
    finding = Finding(
        "one-producer",
        "One thread makes the tasks, and cannot keep up",
        _creation_place(facts) or where,
        facts.production,
    )
    finding.evidence = [
        f"{count(producer.tasks)} of {several(facts.tasks.count, 'task')} were made by {who} "
        f"({where}), one every {seconds(producer.seconds / producer.tasks)}; a task runs for "
        f"{seconds(facts.tasks.mean)}.",
        f"In these {seconds(producer.seconds)} the threads were idle for "
        f"{facts.lost(producer.idle)}.",
    ]
    finding.advice = [
        "Let several threads make tasks: `taskloop`, a loop that is shared (`omp for`) around "
        "the tasks, or tasks that split their range in two and make tasks for the halves.",
        "Larger tasks need fewer of them: several iterations in each.",
    ]
    yield finding


def _creation_place(facts: _Facts) -> str:
    creates = facts.culprits(Kind.CREATE)
    if not creates:
        return ""
    place = facts.profile.place(creates[0].place, Kind.CREATE)
    return place.text("tasks made") if place.source else ""


def _serial_section(facts: _Facts) -> Iterator[Finding]:
    profile = facts.profile
    outside = sum(each.alone for each in facts.culprits(Kind.THREAD))
    inside = max(facts.split_regions[0], key=lambda each: each.alone, default=None)
    in_regions = sum(each.alone for each in facts.split_regions[0])
    others = facts.threads - 1
    making = facts.production + (facts.fine_production if facts.only_makes else 0.0)
    in_regions_lost = max(0.0, in_regions * others - making)
    lost = outside * others + in_regions_lost
    if lost <= 0:
        return
    alone = outside + (in_regions_lost / others if others else 0.0)
    evidence = [
        f"For {seconds(alone)}, {percent(alone / facts.losses.elapsed)} of the elapsed time, one "
        "thread worked and the others had nothing to do."
    ]
    where = ""
    if outside * others >= in_regions_lost:
        stretches = profile.serial_stretches
        if stretches:
            where = _before(profile, stretches[0][0])
        for place, length in stretches[:3]:
            evidence.append(f"{seconds(length)} {_before(profile, place)}.")
        asleep = min(alone, facts.losses.asleep)
        if asleep >= DOMINANT * alone:
            evidence.append(
                f"It slept for {seconds(asleep)} in the program's own code: it waited for files, "
                "other processes, or a time."
            )
    elif inside is not None:
        where = facts.region_code(inside)
        evidence.append(f"{seconds(inside.alone)} of it in the {where}.")
    finding = Finding("serial-section", "A part runs on one thread", where, lost, evidence)
    finding.advice = [
        "Make this part parallel, or do it while something else runs (as a task, beside others): "
        f"as it is, the program takes these {seconds(alone)} with any number of threads.",
    ]
    yield finding


def _before(profile: Profile, region: int) -> str:
    if not region:
        return "behind the last parallel region"
    return "before the " + profile.place(region, Kind.REGION).text("parallel region")


def _tasks_that_others_wait_for(facts: _Facts) -> Iterator[Finding]:
    """Too few, too coarse, a chain: each leaves threads idle while tasks run."""
    worst = facts.worst_tasks
    if worst is None or facts.behind_tasks <= 0:
        return
    profile = facts.profile
    in_region = facts.tasks.count / max(1, profile.regions_with_tasks)
    on_path = [part for part in profile.on_path if part.kind == Kind.TASK]
    on_path_all = sum(part.seconds for part in on_path)
    longest = max((part.longest for part in on_path), default=0.0)
    outside = sum(part.seconds for part in profile.on_path if part.kind == Kind.THREAD)
    scarce = profile.graph.parallelism < facts.threads
    scarce &= on_path_all >= DOMINANT * (profile.critical - outside)
    if in_region < FEW_TASKS * facts.threads:
        yield _too_few(facts, worst, in_region)
    elif scarce and longest < DOMINANT * on_path_all:
        yield _chain(facts, on_path_all)
    elif _few_are_to_blame(facts, worst):
        yield _too_coarse(facts, worst)
    else:
        yield _uneven_tasks(facts, worst)


def _too_few(facts: _Facts, worst: Tasks, in_region: float) -> Finding:
    finding = Finding("too-few-tasks", "There are too few tasks", facts.task(worst), 0.0)
    finding.lost = facts.behind_tasks
    finding.evidence = [
        f"{digits(in_region)} tasks in a region of {facts.threads} threads, "
        f"{seconds(facts.tasks.mean)} each on average, "
        f"{seconds(worst.largest * facts.profile.rate)} the longest.",
        f"While they ran, other threads were idle for {facts.lost(finding.lost)}.",
    ]
    finding.advice = [
        f"Divide the work into more tasks: {count(8 * facts.threads)} or more, so that threads "
        "that are done find another one.",
    ]
    return finding


def _chain(facts: _Facts, on_path: float) -> Finding:
    profile = facts.profile
    part = next(each for each in profile.on_path if each.kind == Kind.TASK)
    where = profile.place(part.place, Kind.TASK).text("task")
    dependences, waits = profile.links(Link.DEPENDENCE), profile.links(Link.WAIT)
    linked = ((dependences, "dependence"), (waits, "wait"))
    links = [several(number, what) for number, what in linked if number]
    finding = Finding("chain", "Tasks wait for one another", where, facts.behind_tasks)
    finding.evidence = [
        f"The critical path takes {seconds(profile.critical)} of {seconds(facts.losses.elapsed)}: "
        f"the average parallelism is {digits(profile.graph.parallelism)}, for {facts.threads} "
        "threads.",
        f"{percent(on_path / profile.critical)} of it is a row of "
        f"{several(part.parts, 'part')} of {where}"
        f"{', linked by ' if links else ''}{' and '.join(links)}.",
    ]
    finding.advice = [
        "Loosen the order: dependences on parts instead of the whole (array sections), `in` "
        "where a task only reads, `inoutset` or `mutexinoutset` where the order does not matter."
        if dependences
        else "Wait later: make independent tasks before the `taskwait`, not one after the other.",
        "Divide the tasks on this path, so that each has parts that run side by side.",
    ]
    return finding


def _few_are_to_blame(facts: _Facts, worst: Tasks) -> bool:
    """Whether single tasks, as many as there are threads, explain most of the idle time."""
    spans = facts.profile.spans
    rows = spans.indices(Kind.TASK)
    rows = rows[spans.column("place")[rows] == worst.place]
    blamed = np.sort(facts.profile.blame.of_span[rows])[::-1]
    return float(blamed[: facts.threads].sum()) >= DOMINANT * float(blamed.sum())


def _too_coarse(facts: _Facts, worst: Tasks) -> Finding:
    rate = facts.profile.rate
    ideal = facts.losses.work / facts.threads
    finding = Finding("too-coarse", "Some tasks are too large", facts.task(worst), 0.0)
    finding.lost = facts.behind_tasks
    finding.evidence = [
        f"The largest of {several(worst.count, 'task')} takes {seconds(worst.largest * rate)}, "
        f"half of them less than {seconds(worst.median * rate)}; each thread's share of all work "
        f"is {seconds(ideal)}.",
        f"While they ran, other threads were idle for {facts.lost(finding.lost)}.",
    ]
    finding.advice = [
        f"Divide tasks that are larger than about {seconds(ideal / 10)}, or begin with the "
        "largest (`priority`), so that small ones fill the gaps at the end.",
    ]
    return finding


def _uneven_tasks(facts: _Facts, worst: Tasks) -> Finding:
    finding = Finding(
        "imbalance", "Work is not spread evenly", facts.task(worst), facts.behind_tasks
    )
    finding.evidence = [
        f"The busiest thread works {percent(facts.losses.imbalance)} longer than the mean "
        f"(load balance error lambda {digits(facts.losses.imbalance)}).",
        f"While tasks ran, other threads were idle for {facts.lost(finding.lost)}, with an average "
        f"parallelism of {digits(facts.profile.graph.parallelism)} for {facts.threads} threads.",
    ]
    finding.advice = [
        "Let the scheduler move tasks: `XOMP_SCHEDULER=auto`, or `ws` for many uneven tasks "
        "(`xomp run --scheduler`); compare two runs with `xomp report A B`.",
    ]
    return finding


def _uneven_loops(facts: _Facts) -> Iterator[Finding]:
    loops = facts.culprits(Kind.LOOP, Kind.SECTIONS)
    shared = [*loops, *facts.split_regions[1]]
    worst = max(shared, key=lambda each: each.idle, default=None)
    if worst is None:
        return
    names = {Kind.LOOP: "loop", Kind.SECTIONS: "sections", Kind.IMPLICIT: "region"}
    what = names.get(worst.kind, "region")
    where = facts.profile.place(worst.place, worst.kind).text(what)
    lost = sum(each.idle for each in shared)
    finding = Finding("imbalance", "Work is not spread evenly", where, lost)
    finding.evidence = [
        f"While some threads worked in this {what}, others had finished their part and were idle "
        f"for {facts.lost(worst.idle)}.",
        f"The busiest thread works {percent(facts.losses.imbalance)} longer than the mean "
        f"(load balance error lambda {digits(facts.losses.imbalance)}).",
    ]
    finding.advice = _evening_out(facts, worst)
    yield finding


def _fine_chunks(facts: _Facts) -> Iterator[Finding]:
    found = facts.chunks
    if found is None:
        return
    where = facts.profile.place(found.place, Kind.LOOP).text("loop")
    inflated = 0.0 if facts.fine else facts.inflated_parts
    finding = Finding("fine-chunks", "Chunks of a loop are too small", where, found.cost + inflated)
    each = found.cost / found.count
    finding.evidence = [
        f"{several(found.count, 'chunk')} of {several(found.iterations, 'iteration')}, "
        f"{seconds(found.work / found.count)} each on average; to hand one out takes "
        f"{seconds(each)}, its record included, {facts.lost(found.cost)} in all.",
    ]
    if inflated:
        _tell_inflated_parts(finding, facts, "chunks")
    finding.advice = [
        "Hand out more iterations at a time, by the second number of `schedule(dynamic, n)`: "
        f"chunks of some {seconds(10 * each)} would bring the cost below 10 %.",
        "Iterations that are all alike want no handing out: `schedule(static)`.",
    ]
    yield finding


def _remote_data(facts: _Facts) -> Iterator[Finding]:
    profile, losses = facts.profile, facts.losses
    tasks = [each for each in profile.places if each.placed]
    placed = sum(each.placed for each in tasks)
    misplaced = sum(each.misplaced for each in tasks)
    ran = facts.tasks.recorded
    total = facts.tasks
    if placed and total.misplaced_work >= REMOTE_SHARE * total.placed_work:
        share = total.misplaced_work / total.placed_work
        worst = max(tasks, key=lambda each: each.misplaced_work)
        lost = sum(_slower(each) for each in tasks)
        evidence = [
            f"{count(misplaced)} of {several(placed, 'task')} whose data have a place ran in "
            f"another locality domain ({percent(share)} of their time).",
        ]
        here = worst.placed - worst.misplaced
        if here and lost:
            near = (worst.placed_work - worst.misplaced_work) / here
            far = worst.misplaced_work / worst.misplaced
            evidence.append(f"There a task takes {seconds(far)}, beside its data {seconds(near)}.")
    elif not placed and total.work and total.remote_work >= REMOTE_SHARE * total.work:
        share = total.remote_work / total.work
        worst = max(profile.places, key=lambda each: each.ran_remote)
        lost = 0.0
        evidence = [
            f"{count(total.ran_remote)} of {several(ran, 'task')} ran in another locality domain "
            f"than where they were made ({percent(share)} of their time)."
        ]
    else:
        return
    if losses.inflation is not None and losses.inflation > lost:
        lost = losses.inflation * share if not lost else losses.inflation
        evidence.append(
            f"The same work took {seconds(losses.inflation)} longer than on one thread "
            f"({percent(losses.inflation / losses.serial)})."
        )
    finding = Finding("remote-data", "Data are far away", facts.task(worst), lost, evidence)
    finding.advice = [
        "Run tasks where their data are: `omp_child_task_affinity` with `XOMP_LOCALITY=strict`, "
        "or a higher `XOMP_LOCAL`.",
        "Let the threads that will use data touch them first (initialise in parallel), and bind "
        "them (`OMP_PROC_BIND=true`).",
    ]
    yield finding


def _slower(tasks: Tasks) -> float:
    """What a place's tasks took longer because their data were elsewhere."""
    here = tasks.placed - tasks.misplaced
    if not here or not tasks.misplaced:
        return 0.0
    near = (tasks.placed_work - tasks.misplaced_work) / here
    return max(0.0, tasks.misplaced_work - near * tasks.misplaced)


def _kept_off(facts: _Facts) -> Iterator[Finding]:
    losses, waiting = facts.losses, facts.profile.blame.kept_off
    if not losses.counted:
        return
    lost = losses.kept_off + waiting - facts.locked_out
    finding = Finding("kept-off", "Others had the processors", "", lost)
    finding.evidence = [
        f"For {facts.lost(losses.kept_off)} threads had something to do, and no processor to do it "
        "on. This is no part of the work, nor of the overhead."
    ]
    if waiting >= WORTH_TELLING * losses.total:
        finding.evidence.append(
            f"Others were idle for {facts.lost(waiting)} meanwhile, and waited for them."
        )
    if facts.locked_out:
        finding.evidence.append(
            f"{facts.lost(facts.locked_out)} of it belong to a lock, which is a cause by itself."
        )
    if facts.crowded:
        _blame_number_of_threads(finding, facts)
    else:
        finding.advice = [
            "Measure while no other program has much to do: the times of this run say little. In a "
            "container or a batch job, ask for as many processors as there are threads.",
        ]
        if len(facts.profile.log.events) >= MANY_RECORDS * losses.elapsed:
            finding.advice.append(
                "Where every processor has a thread, a part may be the log: "
                f"{several(len(facts.profile.log.events), 'record')} were written while the "
                "program ran."
            )
    yield finding


def _blame_number_of_threads(finding: Finding, facts: _Facts) -> None:
    finding.cause, finding.title = "crowded", "More threads than processors"
    finding.evidence.append(
        f"{facts.threads} threads share {several(facts.processors, 'processor')}."
    )
    finding.advice = [f"Use `OMP_NUM_THREADS={facts.processors}`, or leave it unset."]


def _inflation(facts: _Facts) -> Iterator[Finding]:
    losses = facts.losses
    explained = sum(finding.lost for finding in _remote_data(facts)) + facts.inflated_parts
    if losses.inflation is None or losses.inflation <= explained:
        return
    finding = Finding("inflation", "The same work takes longer", "", losses.inflation - explained)
    largest = facts.profile.places[0] if facts.profile.places else None
    if largest is not None and largest.work > losses.work / 2:
        finding.where = facts.task(largest)
    finding.evidence = [
        f"It took {seconds(losses.work)} on {facts.threads} threads and "
        f"{seconds(losses.serial)} on one ({percent(losses.inflation / losses.serial)} more).",
    ]
    if facts.crowded and not losses.counted:  # the time counts in which they wait for one
        _blame_number_of_threads(finding, facts)
    else:
        others = "" if losses.counted else ", and for other programs on the machine"
        finding.advice = [
            "Look for memory bandwidth (does it grow with the number of threads?), and for "
            f"variables of several threads in one cache line{others}.",
        ]
    yield finding


def _mutex(facts: _Facts) -> Iterator[Finding]:
    waits = facts.profile.mutexes
    lost = float(facts.losses.by_state[State.MUTEX]) + facts.locked_out
    if not waits or not lost:
        return
    lock, share = facts.bottleneck
    worst = next((each for each in waits if each.address == lock), waits[0])
    where = facts.profile.place(worst.place, Kind.MUTEX_WAIT).text(worst.name)
    finding = Finding("mutex", "Threads wait for a lock", where, lost)
    finding.evidence = [
        f"{several(worst.count, 'time')} a thread asked for it here; "
        f"{percent(worst.contended / max(1, worst.count))} of them another held it. The wait was "
        f"{seconds(worst.waited / max(1, worst.count))} on average, {seconds(worst.longest)} at "
        f"most, {facts.lost(worst.waited)} in all.",
    ]
    if worst.held:
        busy = share or min(1.0, worst.held / facts.losses.elapsed)
        finding.evidence.append(
            f"It was held {percent(busy)} of the elapsed time" + ("." if share else " from here.")
        )
    if facts.locked_out:
        finding.evidence.append(
            f"For {facts.lost(facts.locked_out)} others had no processor or waited for those, and "
            "could have done little with one: threads that take turns often share a processor."
        )
    finding.advice = [
        "Do less inside: compute before, and enter only to store the result.",
        "Use a `reduction` or `task_reduction` for sums, `atomic` for single updates, or one lock "
        "for each part of the data.",
    ]
    yield finding


def _short_regions(facts: _Facts) -> Iterator[Finding]:
    profile, losses = facts.profile, facts.losses
    if not profile.regions or facts.tasks.count >= profile.regions * facts.threads:
        return
    length = losses.elapsed / profile.regions
    if length >= SHORT_REGION:
        yield from _frequent_barriers(facts)
        return
    states = losses.by_state
    spent = float(states[State.FORK] + states[State.SCHEDULE]) + profile.blame.nobody
    bodies = profile.spans.indices(Kind.REGION)
    places, number = np.unique(profile.spans.column("place")[bodies], return_counts=True)
    place = profile.place(int(places[number.argmax()]), Kind.REGION)
    finding = Finding(
        "short-regions", "Parallel regions are too short", place.text("region"), spent
    )
    finding.evidence = [
        f"{several(profile.regions, 'region')}, one each {seconds(length)}; to begin and end them, "
        f"and to wait at barriers, takes {facts.lost(spent)}."
    ]
    finding.advice = [
        "Open one region around the loop, with `omp for` inside, instead of one in each turn."
    ]
    yield finding


def _frequent_barriers(facts: _Facts) -> Iterator[Finding]:
    """Threads meet at barriers, and nobody has anything to do, more often than it is worth."""
    profile = facts.profile
    found = barriers.inside_regions(profile.spans, facts.losses.waits)
    if not found.rounds or found.between >= SHORT_REGION:
        return
    spent = min(profile.blame.nobody, found.waited) + found.cost
    where = profile.place(found.place, Kind.BARRIER).text("barrier")
    finding = Finding("frequent-barriers", "Threads meet too often", where, spent)
    finding.evidence = [
        f"{several(found.rounds, 'barrier')} inside of regions, the implicit ones behind loops and "
        f"`single` included, one each {seconds(found.between)}; to come to them and to wait while "
        f"nobody works takes {facts.lost(spent)}."
    ]
    finding.advice = [
        "Leave out barriers that nothing needs (`nowait`), and make one loop of several.",
        "Do more between two barriers: so little work is as fast on fewer threads.",
    ]
    yield finding


RULES: tuple[Callable[[_Facts], Iterator[Finding]], ...] = (
    _too_fine,
    _one_producer,
    _serial_section,
    _tasks_that_others_wait_for,
    _uneven_loops,
    _fine_chunks,
    _remote_data,
    _inflation,
    _kept_off,
    _mutex,
    _short_regions,
)
