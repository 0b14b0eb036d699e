# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run in numbers, each with its name: for the page, two runs side by side, and exports."""

from __future__ import annotations

from dataclasses import dataclass

from xomp.profile.analysing.hardware import totals
from xomp.profile.analysing.spans import IDLE, OVERHEAD
from xomp.profile.analysing.summary import Profile
from xomp.profile.showing.categories import PARTS, STATES
from xomp.shared.text import count, digits, percent, seconds


@dataclass(frozen=True)
class Number:
    key: str  # for programs
    name: str  # for people
    value: float
    text: str


def times(profile: Profile) -> list[Number]:
    """Threads x elapsed time, and the parts that it is divided into; these add up to it."""
    losses = profile.losses
    parts = {"work": losses.work}
    if losses.serial is not None:
        parts = {"serial_work": losses.serial, "inflation": losses.inflation}
    parts |= {"overhead": losses.overhead, "idle": losses.idle}
    if losses.counted:
        parts["kept_off"] = losses.kept_off
    return [Number(key, PARTS[key].name, value, seconds(value)) for key, value in parts.items()]


def states(profile: Profile) -> list[Number]:
    """Overhead and idle time in more detail, in threads x seconds."""
    by_state = profile.losses.by_state
    found = []
    for state in (*OVERHEAD, *IDLE):
        value = float(by_state[state])
        key, name = f"time_{state.name.lower()}", STATES[state].name
        found.append(Number(key, name, value, seconds(value)))
    return found


def numbers(profile: Profile) -> list[Number]:
    losses, tasks, blame = profile.losses, profile.tasks, profile.blame
    elapsed = losses.elapsed or 1.0
    total = losses.total or 1.0
    found = [
        Number("elapsed", "elapsed time", losses.elapsed, seconds(losses.elapsed)),
        Number("threads", "threads", losses.threads, count(losses.threads)),
        Number("speedup", "speed-up", losses.speedup, digits(losses.speedup)),
        Number("efficiency", "efficiency", losses.efficiency, percent(losses.efficiency)),
        *(
            Number(each.key, each.name, each.value, f"{each.text} ({percent(each.value / total)})")
            for each in times(profile)
        ),
        Number("critical_path", "critical path", profile.critical, seconds(profile.critical)),
        Number(
            "parallelism",
            "average parallelism",
            profile.graph.parallelism,
            digits(profile.graph.parallelism),
        ),
        Number(
            "serial_part",
            "serial part (at most one thread busy)",
            blame.alone_or_nobody,
            f"{seconds(blame.alone_or_nobody)} ({percent(blame.alone_or_nobody / elapsed)})",
        ),
        Number("lambda", "load balance error", losses.imbalance, digits(losses.imbalance)),
        Number("regions", "parallel regions", profile.regions, count(profile.regions)),
        Number("tasks", "tasks", tasks.count, count(tasks.count)),
    ]
    if tasks.count:
        found += _of_tasks(profile)
    for name, value in totals(profile.log).items():
        found.append(Number(f"hardware_{name.replace(' ', '_')}", name, value, count(value)))
    return found


def _of_tasks(profile: Profile) -> list[Number]:
    tasks, steals = profile.tasks, profile.steals
    recorded = max(1, tasks.recorded)
    at_once = tasks.at_once / recorded
    found = [
        Number("task_mean", "mean size of a task", tasks.mean, seconds(tasks.mean)),
        Number("at_once", "run at once by their creator", at_once, percent(at_once)),
    ]
    for key, words, number in tasks.why_at_once:
        if number:
            found.append(Number(key, f"  {words}", number / recorded, percent(number / recorded)))
    for key, name, number in (
        ("self", "run by their creator's thread", tasks.ran_self),
        ("local", "by another in its locality domain", tasks.ran_local),
        ("remote", "in another locality domain", tasks.ran_remote),
    ):
        found.append(Number(key, name, number / recorded, percent(number / recorded)))
    if tasks.placed:
        share = tasks.misplaced / tasks.placed
        found.append(Number("misplaced", "away from their data's domain", share, percent(share)))
    moved = profile.moved_per_second
    found += [
        Number("taken", "tasks moved between workers", steals.taken, count(steals.taken)),
        Number("moved", "moved per thread and second", moved, digits(moved)),
        Number("steals", "steals", steals.moves, count(steals.moves)),
        Number("gifts", "times tasks were given on request", steals.given, count(steals.given)),
        Number("moves_remote", "between locality domains", steals.remote, count(steals.remote)),
        Number("steals_failed", "failed steals", steals.failed, count(steals.failed)),
    ]
    if steals.requests or steals.handled:
        found += [
            Number("requests", "requests of thieves", steals.requests, count(steals.requests)),
            Number("handled", "handled by victims", steals.handled, count(steals.handled)),
            Number("in_vain", "the victim had none", steals.in_vain, count(steals.in_vain)),
            Number(
                "target_full",
                "the thief's queue was full",
                steals.target_full,
                count(steals.target_full),
            ),
        ]
    return found
