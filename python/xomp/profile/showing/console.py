# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the terminal reports are made of: headings, items, tables, a time and its parts as bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from xomp.shared.text import percent, seconds, wrapped

BAR, SHORTEST = 40, 8  # columns of the whole; of fewer a bar says nothing
INDENT = 2
BETWEEN = INDENT + 3 * 2  # columns of a bar's row that hold nothing


def heading(console: Console, text: str) -> None:
    console.print()
    console.print(f"[bold]{text}[/bold]")


def item(console: Console, sign: str, text: str) -> None:
    grid = Table.grid(padding=(0, 1))
    grid.add_row(f"   {sign}", escape(wrapped(text, console.width - len(f"   {sign} "))))
    console.print(grid)


def sentence(console: Console, text: str, style: str = "", styled: int | None = None) -> None:
    """A text over as many lines as it takes, of which so many letters have the style; all: None."""
    found = Text(wrapped(text, console.width))
    found.stylize(style, 0, styled)
    console.print(found, highlight=False)


def bars(console: Console, total: float, parts: Iterable[tuple[str, float, str]]) -> None:
    """The parts of a time: name, seconds and colour of each."""
    rows = [
        (name, seconds(value), value / total if total else 0.0, *more)
        for name, value, *more in parts
    ]
    words = [sum(map(len, (name, value, percent(share)))) for name, value, share, _ in rows]
    room = console.width - max(words, default=0) - BETWEEN
    width = min(BAR, room) if room >= SHORTEST else 0
    block = "█" if (console.encoding or "").lower().startswith("utf") else "#"
    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="fold")
    for justify in ("right", "right", "left"):
        table.add_column(justify=justify, no_wrap=True)
    for name, value, share, colour in rows:
        bar = block * round(width * max(0.0, share))
        table.add_row(name, value, percent(share), f"[{colour}]{bar}[/{colour}]")
    console.print(Padding(table, (0, 0, 0, INDENT)))


def table(console: Console, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """The first column is a name, the others are numbers. Where they have no room beside one
    another, each name has its numbers below it: nothing is cut."""
    found = Table(box=None, pad_edge=False, padding=(0, 1))
    found.add_column(columns[0], overflow="fold")
    for name in columns[1:]:
        found.add_column(name, justify="right", no_wrap=True)
    for name, *cells in rows:
        found.add_row(escape(name), *cells)
    if _fits(console, 1, [columns, *rows], {0}):
        console.print(Padding(found, (0, 0, 0, INDENT)))
        return
    for name, *cells in rows:
        named = ", ".join(
            f"{column} {cell}" for column, cell in zip(columns[1:], cells, strict=True) if cell
        )
        for text, indent in ((name, INDENT), (named, 2 * INDENT)):
            lines = Text(wrapped(text, console.width - indent), overflow="fold")
            console.print(Padding(lines, (0, 0, 0, indent)))


def pairs(console: Console, rows: Sequence[tuple[str, str]]) -> None:
    """Names and values, in two columns where there is room."""
    half = (len(rows) + 1) // 2
    beside = [(*a, *b) for a, b in zip_longest(rows[:half], rows[half:], fillvalue=("", ""))]
    for chosen, folded in ((beside, set()), (rows, {0})):
        grid = Table.grid(padding=(0, 2))
        for at in range(len(chosen[0])):
            grid.add_column(justify="right" if at % 2 else "left", no_wrap=at not in folded)
        for cells in chosen:
            grid.add_row(*cells)
        if _fits(console, 2, chosen, folded):
            break
    console.print(Padding(grid, (0, 0, 0, INDENT)))


def _fits(console: Console, between: int, rows: Sequence[Sequence[str]], folded: set[int]) -> bool:
    """Whether no word of columns that may be folded, and no cell of the others, is broken."""
    width = INDENT
    for at, cells in enumerate(zip(*rows, strict=True)):
        parts = [word for cell in cells for word in cell.split()] if at in folded else cells
        width += max(map(cell_len, parts), default=0) + (between if at else 0)
    return width <= console.width
