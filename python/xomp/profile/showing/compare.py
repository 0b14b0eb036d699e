# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two runs side by side: two schedulers, two builds, before and after."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.markup import escape

from xomp.profile.analysing.advice import findings
from xomp.profile.analysing.summary import Profile
from xomp.profile.analysing.tasks import Tasks
from xomp.profile.reading.format import Kind
from xomp.profile.reading.lines import words_of
from xomp.profile.showing.console import heading, table
from xomp.profile.showing.numbers import numbers, states
from xomp.profile.showing.terminal import conditions, notes
from xomp.shared.text import count, digits, percent, seconds

NAMES = ("A", "B")
SAME = 1.01  # times as fast: no difference
RECORDING = "XOMP_PERFLOG"  # settings of the log itself


def show(console: Console, first: Profile, second: Profile) -> None:
    both = (first, second)
    for name, profile in zip(NAMES, both, strict=True):
        profile.load_places()
        command = escape(profile.log.command)
        console.print(f"[bold]{name}[/bold] {command}", highlight=False)
        console.print(f"  [dim]{escape(conditions(profile.log))}[/dim]", highlight=False)
    for name, *values in differences(*both):
        console.print(
            f"  [dim]{escape(name)}: {escape(' and '.join(values))}[/dim]", highlight=False
        )
    console.print(f"\n[bold]{verdict(*both)}[/bold]", highlight=False)
    heading(console, "Numbers")
    table(console, ("", *NAMES, "B / A"), numbers_beside(*both))
    rows = tasks_beside(*both)
    if rows:
        heading(console, "Tasks by place")
        table(console, ("place", "tasks A", "B", "mean A", "B", "B / A"), rows)
    heading(console, "Why")
    for name, profile in zip(NAMES, both, strict=True):
        found = findings(profile)
        if not found:
            console.print(f"{name}: nothing stands out.")
        for finding in found:
            where = f": {finding.where}" if finding.where else ""
            share = percent(finding.lost / profile.losses.total)
            text = f"{name}: {finding.title}{where} ({seconds(finding.lost)}, {share})"
            console.print(escape(text), highlight=False)
    for name, profile in zip(NAMES, both, strict=True):
        notes(console, profile, f"Notes on {name}")


def verdict(first: Profile, second: Profile) -> str:
    a, b = first.losses.elapsed, second.losses.elapsed
    if not a or not b:
        return "One of the runs took no time."
    factor = a / b if a >= b else b / a
    if factor < SAME:
        return "Both take the same time."
    faster = "B" if b < a else "A"
    also = ", and another program" if _program(first) != _program(second) else ""
    return f"{faster} is {digits(factor)} times as fast{also}."


def _program(profile: Profile) -> str:
    """Its name, wherever it lies: what else differs, arguments and settings, is told beside."""
    words = words_of(profile.log.texts.get("command", "")) or profile.log.command.split()
    return Path(words[0]).name


def differences(first: Profile, second: Profile) -> list[tuple[str, str, str]]:
    """Settings that were not the same: name, value in A, value in B."""
    here, there = first.log.settings, second.log.settings
    names = [name for name in dict.fromkeys([*here, *there]) if not name.startswith(RECORDING)]
    rows = [(name, here.get(name, "unset"), there.get(name, "unset")) for name in names]
    return [row for row in rows if row[1] != row[2]]


def numbers_beside(first: Profile, second: Profile) -> list[tuple[str, str, str, str]]:
    """Name, values of A and B, B over A."""
    rows = []
    for parts in (numbers, states):
        there = {each.key: each for each in parts(second)}
        here = {each.key: each for each in parts(first)}
        for key in dict.fromkeys([*here, *there]):
            a, b = here.get(key), there.get(key)
            if parts is states and not (a.value or b.value):
                continue
            values = ratio(a.value, b.value) if a and b else ""
            rows.append(((a or b).name, a.text if a else "-", b.text if b else "-", values))
    return rows


def tasks_beside(first: Profile, second: Profile) -> list[tuple[str, ...]]:
    """Place, number of tasks in A and B, mean size in A and B, B over A.

    Places are matched by their source: in two builds the addresses differ.
    """
    places = [
        {_name(profile, each): each for each in profile.places} for profile in (first, second)
    ]
    rows = []
    for name in dict.fromkeys([*places[0], *places[1]]):
        a, b = places[0].get(name), places[1].get(name)
        cells = [count(each.count) if each else "-" for each in (a, b)]
        cells += [seconds(each.mean) if each else "-" for each in (a, b)]
        rows.append((name, *cells, ratio(a.mean, b.mean) if a and b else ""))
    return rows


def ratio(a: float, b: float) -> str:
    """B over A."""
    return digits(b / a) if a > 0 and b > 0 else ""


def _name(profile: Profile, tasks: Tasks) -> str:
    return profile.place(tasks.place, Kind.TASK).text() if tasks.place else "others, summed up"
