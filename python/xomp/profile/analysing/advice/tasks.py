# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules about tasks: their size, their number, their order, and who makes them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from xomp.profile.analysing.advice.facts import Facts, tell_inflated_parts
from xomp.profile.analysing.advice.finding import Finding
from xomp.profile.analysing.advice.thresholds import DOMINANT, FEW_TASKS, SOME
from xomp.profile.analysing.tasks import Tasks
from xomp.profile.analysing.walk import Link
from xomp.profile.reading.format import Kind
from xomp.shared.text import count, digits, percent, seconds, several


def too_fine(facts: Facts) -> Iterator[Finding]:
    if not facts.fine:
        return
    profile, tasks = facts.profile, facts.tasks
    most = facts.most_tasks
    each = facts.cost / tasks.recorded
    idle = facts.fine_production + facts.kept
    parts = [
        ("to make, find and end them", facts.cost),
        ("in which others were idle meanwhile", idle),
        ("that their code took longer than on one thread", facts.inflated_parts),
    ]
    finding = Finding("too-fine", "Tasks are too small", facts.task(most), parts)
    finding.reasons = [
        f"{several(tasks.count, 'task')}, {count(most.count)} of them from here; a usual one takes "
        f"{seconds(facts.typical * profile.rate)} ({count(facts.typical)} ticks, its record "
        f"included), {seconds(tasks.mean)} is the mean. To make, find and end one costs about "
        f"{seconds(each)}.",
    ]
    if tasks.at_once:
        why = [
            words if number == tasks.at_once else f"{words} ({percent(number / tasks.recorded)})"
            for _, words, number in tasks.why_at_once
            if number
        ]
        finding.reasons.append(
            f"{percent(tasks.at_once / tasks.recorded)} ran at once in the thread that made them"
            + (f": {', '.join(why)}." if why else ".")
        )
    if idle:
        finding.reasons.append("Others were idle meanwhile: tasks this small do not feed them.")
    tell_inflated_parts(finding, facts, "tasks")
    finding.advice = [
        "Put more work into a task: stop making tasks at a certain depth or size "
        "(`if`, `final`, or a plain call), or give each several iterations "
        "(`taskloop grainsize`).",
        f"Some {seconds(10 * each)} a task would bring the cost below 10 %.",
    ]
    yield finding


def one_producer(facts: Facts) -> Iterator[Finding]:
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
        [("", facts.production)],
    )
    finding.reasons = [
        f"{count(producer.tasks)} of {several(facts.tasks.count, 'task')} were made by {who} "
        f"({where}), one every {seconds(producer.seconds / producer.tasks)}; a task runs for "
        f"{seconds(facts.tasks.mean)}.",
        f"In these {seconds(producer.seconds)} the threads were idle for "
        f"{facts.lost(producer.idle)}; it made tasks for "
        f"{percent(facts.production / producer.idle)} of them.",
    ]
    finding.advice = [
        "Let several threads make tasks: `taskloop`, a loop that is shared (`omp for`) around "
        "the tasks, or tasks that split their range in two and make tasks for the halves.",
        "Larger tasks need fewer of them: several iterations in each.",
    ]
    yield finding


def _creation_place(facts: Facts) -> str:
    creates = facts.culprits(Kind.CREATE)
    if not creates:
        return ""
    place = facts.profile.place(creates[0].place, Kind.CREATE)
    return place.text("tasks made") if place.source else ""


def tasks_that_others_wait_for(facts: Facts) -> Iterator[Finding]:
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


def _too_few(facts: Facts, worst: Tasks, in_region: float) -> Finding:
    parts = [("", facts.behind_tasks)]
    finding = Finding("too-few-tasks", "There are too few tasks", facts.task(worst), parts)
    finding.reasons = [
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


def _chain(facts: Facts, on_path: float) -> Finding:
    profile = facts.profile
    part = next(each for each in profile.on_path if each.kind == Kind.TASK)
    where = profile.place(part.place, Kind.TASK).text("task")
    dependences, waits = profile.links(Link.DEPENDENCE), profile.links(Link.WAIT)
    linked = ((dependences, "dependence"), (waits, "wait"))
    links = [several(number, what) for number, what in linked if number]
    finding = Finding("chain", "Tasks wait for one another", where, [("", facts.behind_tasks)])
    finding.reasons = [
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


def _few_are_to_blame(facts: Facts, worst: Tasks) -> bool:
    """Whether single tasks, as many as there are threads, explain most of the idle time; not tasks
    that are small, whose threads lost their processors."""
    blamed = np.sort(facts.profile.blame.of_code(facts.profile.spans)[_rows(facts, worst)])[::-1]
    few = float(blamed[: facts.threads].sum()) >= DOMINANT * float(blamed.sum())
    return few and _largest(facts, worst) > _ideal(facts)


def _rows(facts: Facts, tasks: Tasks) -> np.ndarray:
    spans = facts.profile.spans
    rows = spans.indices(Kind.TASK)
    return rows[spans.column("place")[rows] == tasks.place]


def _largest(facts: Facts, tasks: Tasks) -> float:
    """Seconds of the program's code in the largest, its thread not kept off."""
    work = facts.profile.blame.own_work(facts.profile.spans)[_rows(facts, tasks)]
    return float(work.max(initial=0.0))


def _ideal(facts: Facts) -> float:
    """The size that leaves each thread some tasks."""
    return facts.losses.work / facts.threads / SOME


def _too_coarse(facts: Facts, worst: Tasks) -> Finding:
    rate = facts.profile.rate
    share = facts.losses.work / facts.threads
    parts = [("", facts.behind_tasks)]
    finding = Finding("too-coarse", "Some tasks are too large", facts.task(worst), parts)
    finding.reasons = [
        f"The largest of {several(worst.count, 'task')} takes {seconds(_largest(facts, worst))}, "
        f"half of them less than {seconds(worst.median * rate)}; each thread's share of all work "
        f"is {seconds(share)}.",
        f"While they ran, other threads were idle for {facts.lost(finding.lost)}.",
    ]
    finding.advice = [
        f"Divide tasks that are larger than about {seconds(_ideal(facts))}, or begin with the "
        "largest (`priority`), so that small ones fill the gaps at the end.",
    ]
    return finding


def _uneven_tasks(facts: Facts, worst: Tasks) -> Finding:
    finding = Finding(
        "imbalance", "Work is not spread evenly", facts.task(worst), [("", facts.behind_tasks)]
    )
    finding.reasons = [
        f"The busiest thread works {percent(facts.losses.imbalance)} longer than the mean "
        f"(load balance error lambda {digits(facts.losses.imbalance)}).",
        f"While tasks ran, other threads were idle for {facts.lost(finding.lost)}, with an average "
        f"parallelism of {digits(facts.profile.graph.parallelism)} for {facts.threads} threads.",
    ]
    finding.advice = [_another_scheduler(facts.setting("XOMP_SCHEDULER"))]
    return finding


def _another_scheduler(current: str) -> str:
    if current in ("auto", "ws"):
        other = "ws" if current == "auto" else "auto"
        begin = f"`{current}` moves tasks already: divide the largest or begin with them, or try "
        begin += f"`XOMP_SCHEDULER={other}`"
    else:
        begin = "Let the scheduler move tasks: `XOMP_SCHEDULER=auto`, or `ws` for many uneven tasks"
    return f"{begin} (`xomp run --scheduler`); compare two runs with `xomp report A B`."
