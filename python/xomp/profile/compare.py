# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two runs side by side: two schedulers, two builds, before and after."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from xomp.profile.advice import findings
from xomp.profile.format import Kind
from xomp.profile.numbers import numbers, states
from xomp.profile.page import conditions, heading, notes
from xomp.profile.summary import Profile
from xomp.profile.tasks import Tasks
from xomp.profile.texts import count, digits, percent, seconds

NAMES = ("A", "B")


def show(console: Console, first: Profile, second: Profile) -> None:
    both = (first, second)
    for name, profile in zip(NAMES, both, strict=True):
        profile.load_places()
        command = escape(profile.log.command)
        console.print(f"[bold]{name}[/bold] {command}", highlight=False)
        console.print(f"  [dim]{escape(conditions(profile.log))}[/dim]", highlight=False)
    _verdict(console, *both)
    _numbers(console, *both)
    _tasks(console, *both)
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


def _verdict(console: Console, first: Profile, second: Profile) -> None:
    a, b = first.losses.elapsed, second.losses.elapsed
    console.print()
    if not a or not b:
        return
    factor = a / b if a >= b else b / a
    if factor < 1.01:
        text = "Both take the same time."
    else:
        text = f"{'B' if b < a else 'A'} is {digits(factor)} times as fast."
    console.print(f"[bold]{text}[/bold]", highlight=False)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    table.add_column(columns[0])
    for name in columns[1:]:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def ratio(a: float, b: float) -> str:
    """B over A."""
    return digits(b / a) if a > 0 and b > 0 else ""


def _numbers(console: Console, first: Profile, second: Profile) -> None:
    heading(console, "Numbers")
    table = _table("", *NAMES, "B / A")
    for parts in (numbers, states):
        there = {each.key: each for each in parts(second)}
        here = {each.key: each for each in parts(first)}
        for key in dict.fromkeys([*here, *there]):
            a, b = here.get(key), there.get(key)
            if parts is states and not (a.value or b.value):
                continue
            name = (a or b).name
            values = ratio(a.value, b.value) if a and b else ""
            table.add_row(name, a.text if a else "-", b.text if b else "-", values)
    console.print(Padding(table, (0, 0, 0, 2)))


def _tasks(console: Console, first: Profile, second: Profile) -> None:
    """Places are matched by their source: in two builds the addresses differ."""
    places = [
        {_name(profile, each): each for each in profile.places} for profile in (first, second)
    ]
    names = list(dict.fromkeys([*places[0], *places[1]]))
    if not names:
        return
    heading(console, "Tasks by place")
    table = _table("place", "tasks A", "B", "mean A", "B", "B / A")
    for name in names:
        a, b = places[0].get(name), places[1].get(name)
        cells = [count(each.count) if each else "-" for each in (a, b)]
        cells += [seconds(each.mean) if each else "-" for each in (a, b)]
        table.add_row(escape(name), *cells, ratio(a.mean, b.mean) if a and b else "")
    console.print(Padding(table, (0, 0, 0, 2)))


def _name(profile: Profile, tasks: Tasks) -> str:
    return profile.place(tasks.place, Kind.TASK).text() if tasks.place else "others, summed up"
