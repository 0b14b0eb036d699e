# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of the pages' tables of applications: for the site, and for README.md."""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

from xomp.shared import looks

CELL = re.compile(r"^([0-9.]+)(?: \[([0-9.]+), ([0-9.]+)\])?$")
ROW_HEIGHT = 0.24  # inches, in README.md
SHOWN = ("libomp", "libiomp5", "xomp")
COLOURS = dict(zip(SHOWN, looks.colours(SHOWN), strict=True))


def rows(text: str) -> tuple[list[str], list[list[str]]]:
    """The first table of all applications in a page: times on libgomp, ratios to them."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if re.match(r"\| application +\| threads", line))
    table = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in line.strip("|").split("|")])
    return table[0], table[2:]


def digest(text: str) -> str:
    """Stands in a picture for the table that it was drawn of."""
    return hashlib.sha256(repr(rows(text)).encode()).hexdigest()[:16]


def draw(
    titles: list[str],
    table: list[list[str]],
    threads: str,
    path: Path,
    row_height: float = 0.36,
    source: str | None = None,
) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    matplotlib.rcParams["svg.hashsalt"] = "xomp"
    chosen = [row for row in table if row[1] == threads][::-1]
    figure, axes = pyplot.subplots(
        figsize=(7.2, row_height * len(chosen) + 1.4), layout="constrained"
    )
    for number, runtime in enumerate(COLOURS):
        column = titles.index(runtime)
        for y, row in enumerate(chosen):
            match = CELL.match(row[column])
            if match is None:
                continue
            middle, low, high = (float(each or match[1]) for each in match.groups())
            at = y + (1 - number) * 0.2
            axes.plot([low, high], [at, at], color=COLOURS[runtime], linewidth=1)
            label = runtime if y == 0 else None
            axes.plot(middle, at, "o", color=COLOURS[runtime], markersize=5, label=label)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_yticks(range(len(chosen)), [row[0] for row in chosen])
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel("time as a multiple of libgomp's (logarithmic)")
    axes.set_title(f"Applications on {threads} thread{'s' if threads != '1' else ''}")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.06), ncols=3, frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None, "Description": source})
    pyplot.close(figure)


def draw_performance(page: Path, path: Path) -> None:
    """The applications of one number of threads, those that gain most first."""
    text = page.read_text()
    titles, table = rows(text)
    column = titles.index("xomp")

    def gain(row: list[str]) -> float:
        match = CELL.match(row[column])
        return float(match[1]) if match else 1.0

    draw(titles, sorted(table, key=gain), table[0][1], path, ROW_HEIGHT, digest(text))
