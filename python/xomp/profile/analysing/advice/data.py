# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules about work that takes longer than on one thread, because its data are far away or else."""

from __future__ import annotations

from collections.abc import Iterator

from xomp.profile.analysing.advice.facts import Facts
from xomp.profile.analysing.advice.finding import Finding
from xomp.profile.analysing.advice.processors import blame_number_of_threads
from xomp.profile.analysing.advice.thresholds import REMOTE_SHARE, SAME_LENGTH
from xomp.profile.analysing.tasks import Tasks
from xomp.shared.text import count, percent, seconds, several


def remote_data(facts: Facts) -> Iterator[Finding]:
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
    if facts.inflation is not None and facts.inflation > lost:
        lost = facts.inflation * share if not lost else facts.inflation
        evidence.append(
            f"The same work took {seconds(facts.inflation)} longer than on one thread "
            f"({percent(facts.inflation / losses.serial)})."
        )
    parts = [("", lost)]
    finding = Finding("remote-data", "Data are far away", facts.task(worst), parts, evidence)
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


def inflation(facts: Facts) -> Iterator[Finding]:
    losses = facts.losses
    explained = sum(finding.lost for finding in remote_data(facts)) + facts.inflated_parts
    if facts.inflation is None or facts.inflation - explained < SAME_LENGTH * losses.serial:
        return
    lost = facts.inflation - explained
    finding = Finding("inflation", "The same work takes longer", "", [("", lost)])
    largest = facts.profile.places[0] if facts.profile.places else None
    if largest is not None and largest.work > losses.work / 2:
        finding.where = facts.task(largest)
    finding.reasons = [
        f"It took {seconds(losses.work)} on {facts.threads} threads and "
        f"{seconds(losses.serial)} on one ({percent(facts.inflation / losses.serial)} more).",
    ]
    if explained:
        finding.reasons.append(f"{seconds(explained)} of this belong to another cause.")
    if facts.crowded and not losses.counted:  # the time counts in which they wait for one
        blame_number_of_threads(finding, facts)
    else:
        others = "" if losses.counted else ", and for other programs on the machine"
        finding.advice = [
            "Look for memory bandwidth (does it grow with the number of threads?), and for "
            f"variables of several threads in one cache line{others}.",
        ]
    yield finding
