# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables as Markdown and on the terminal, and the page beside a results file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from xomp.bench.stats import Ratio, Summary
from xomp.errors import BadInputError
from xomp.shared.console import output
from xomp.shared.text import factor, rounded


@dataclass
class Table:
    title: str
    header: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)
    left: int = 1  # that many columns hold names, not numbers
    summary: bool = False  # a page that only links to the other tables shows it

    def markdown(self) -> str:
        return f"{self.title}\n\n{markdown(self.header, self.rows)}"


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table whose columns also line up as plain text."""
    table = [list(header), *map(list, rows)]
    widths = [max(len(row[i]) for row in table) for i in range(len(header))]
    lines = [
        "| " + " | ".join(cell.ljust(widths[i]) for i, cell in enumerate(row)) + " |"
        for row in table
    ]
    lines.insert(1, "| " + " | ".join("-" * width for width in widths) + " |")
    return "\n".join(lines)


def spread(summary: Summary) -> str:
    return f"{rounded(summary.low)} to {rounded(summary.high)}"


def ratio_text(ratio: Ratio | None) -> str:
    if ratio is None:
        return "-"
    return f"{factor(ratio.value)} [{factor(ratio.low)}, {factor(ratio.high)}]"


def about(head: dict) -> str:
    """The line above the tables: what made them, when and where."""
    changed = " with changes" if head.get("changed") else ""
    try:
        return (
            f"`{head['command']}` at {head['time']}, commit {head['commit']}{changed}, "
            f"{head['cpu']}, {head['processors']} processors (load {head['load']:.1f}), "
            f"{head['compiler']}."
        )
    except (KeyError, ValueError) as error:
        raise BadInputError(f"the head of the results is not whole: {error}") from error


def show(tables: Iterable[Table]) -> None:
    """On a terminal with rich where it is installed, else as Markdown."""
    try:
        from rich.table import Table as Drawn
        from rich.text import Text
    except ImportError:
        for table in tables:
            print(table.markdown(), end="\n\n")
        return
    with output() as console:
        for table in tables:
            drawn = Drawn(title=Text(table.title), title_justify="left")
            for index, column in enumerate(table.header):
                side = "left" if index < table.left else "right"
                drawn.add_column(Text(column), justify=side, overflow="fold")
            groups = any(row[0] == after[0] for row, after in pairwise(table.rows))
            for index, row in enumerate(table.rows):
                last = index + 1 == len(table.rows) or table.rows[index + 1][0] != row[0]
                drawn.add_row(*map(Text, row), end_section=groups and last)
            console.print(drawn)


def insert(
    page: Path,
    name: str,
    head: dict,
    tables: Iterable[Table],
    whole: Path | None = None,
    note: str = "",
) -> None:
    """Replaces what stands in the page between `<!-- NAME -->` and `<!-- end of NAME -->`.

    whole: the page with the tables that this one lacks; it is linked to. note: as for write_page.
    """
    try:
        text = page.read_text()
    except OSError as error:
        raise BadInputError(f"cannot read {page}: {error.strerror}") from error
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise BadInputError(f"{page} has no place for the tables of {name}: {begin} ... {end}")
    parts = parts_of(head, tables, note)
    if whole:
        link = Path(os.path.relpath(whole, page.parent)).as_posix()
        parts.append(f"[All tables of this measurement]({link}).")
    body = "\n\n".join(parts)
    page.write_text(f"{before}{begin}\n\n{body}\n\n{end}{after}")


def parts_of(head: dict, tables: Iterable[Table], note: str) -> list[str]:
    return [about(head), *([note] if note else []), *(table.markdown() for table in tables)]


def write_page(results: Path, head: dict, tables: Iterable[Table], note: str = "") -> Path:
    """The tables as Markdown, beside the results. note: a line above them."""
    page = results.with_suffix(".md")
    text = "\n\n".join(parts_of(head, tables, note)) + "\n"
    try:
        page.write_text(text)
    except OSError as error:
        raise BadInputError(f"cannot write {page}: {error.strerror}") from error
    return page
