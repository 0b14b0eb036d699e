# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the terminal reports are made of: headings, items, and the division of a time as bars."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from xomp.shared.text import percent, seconds

BAR = 40  # columns of the whole


def heading(console: Console, text: str) -> None:
    console.print()
    console.print(f"[bold]{text}[/bold]")


def item(console: Console, sign: str, text: str) -> None:
    grid = Table.grid(padding=(0, 1))
    grid.add_row(f"   {sign}", escape(text))
    console.print(grid)


def bars(console: Console, total: float, parts: Iterable[tuple[str, float, str]]) -> None:
    """The parts of a time: name, seconds and colour of each."""
    block = "█" if (console.encoding or "").lower().startswith("utf") else "#"
    table = Table.grid(padding=(0, 2))
    for column in ("left", "right", "right", "left"):
        table.add_column(justify=column)
    for name, value, colour in parts:
        share = value / total if total else 0.0
        bar = block * round(BAR * max(0.0, share))
        table.add_row(name, seconds(value), percent(share), f"[{colour}]{bar}[/{colour}]")
    console.print(Padding(table, (0, 0, 0, 2)))
