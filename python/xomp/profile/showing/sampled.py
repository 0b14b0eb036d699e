# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The terminal report of a run that was sampled from outside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from xomp.profile.recording.sample import STEP, Division
from xomp.profile.showing.console import bars, heading
from xomp.shared.text import digits, percent, seconds, several

COLOURS = ("green", "yellow", "magenta", "blue", "red")
ENOUGH = 100  # samples, of which a number can be told
NOTES = (
    "sampled from outside every half a millisecond of processor time; less than a hundred samples "
    "of a part say little",
    "the runtime: creation of tasks, search for tasks, and waiting that spins are not told apart",
    "memory: whether the program or the runtime allocates cannot be told, either",
    "without a processor: asleep in a wait or on a lock, in a system call that blocks, or other "
    "programs had the processors; thread creation and the time before a thread is there are part "
    "of it",
    "tasks, their sizes, steals, the critical path and causes are not seen: only xomp records them",
)


def show(
    console: Console, command: str, runtime: Path, division: Division, serial: Division | None
) -> None:
    elapsed = seconds(division.elapsed)
    console.print(f"[bold]{escape(command)}[/bold]", highlight=False)
    console.print(f"[dim]on {escape(str(runtime))}[/dim]", highlight=False, soft_wrap=True)
    console.print(f"{elapsed} on {several(division.threads, 'thread')}, sampled", highlight=False)
    heading(console, "Where the time went")
    console.print(
        f"{_speedup(division, serial)} Of {several(division.threads, 'thread')} "
        f"x {elapsed} = {seconds(division.total)}:",
        highlight=False,
    )
    coloured = zip(parts(division, serial), COLOURS, strict=False)
    bars(console, division.total, ((name, value, colour) for (name, value), colour in coloured))
    heading(console, "What is measured, and what is not")
    for note in NOTES:
        grid = Table.grid(padding=(0, 1))
        grid.add_row("-", escape(note))
        console.print(Padding(grid, (0, 0, 0, 3)), highlight=False)


def _speedup(division: Division, serial: Division | None) -> str:
    """Of a few samples it would be a guess, to three digits."""
    useful = serial.work if serial is not None else division.work
    over = "the work on one thread" if serial is not None else "the sampled work"
    found = round(useful / STEP)
    if found < ENOUGH or not division.elapsed:
        return f"No speed-up: {over} has {several(found, 'sample')}, fewer than {ENOUGH}."
    speedup = useful / division.elapsed
    efficiency = percent(speedup / max(1, division.threads))
    return f"Speed-up {digits(speedup)} over {over}: efficiency {efficiency}."


def parts(division: Division, serial: Division | None) -> Iterator[tuple[str, float]]:
    """They add up to threads x elapsed."""
    if serial is None:
        yield "work", division.work
    else:
        yield "work as on one thread", serial.work
        yield "work time inflation", division.work - serial.work
    yield "in the runtime", division.runtime
    yield "allocating memory", division.heap
    yield "without a processor", division.off
