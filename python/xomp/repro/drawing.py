# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws a result's plots with matplotlib, as PNG and SVG."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log10
from pathlib import Path
from textwrap import wrap

from xomp.repro.model import Bars, Lines, Plot, Rows, Schedule, Stacks, Surface
from xomp.shared import looks
from xomp.shared.looks import COLOURS
from xomp.shared.parts import PARTS

MOST_UPRIGHT = 16  # more groups than this lie on their side
LONGEST_UPRIGHT = 9  # characters of their names
MOST_TICKS = 10
MOST_STEPS = 6  # of a linear scale
LINE = 0.16  # inches, of a line below a plot
LETTERS = 15  # in an inch of it
MANY_LINES = 6
OF_PARTS = {part.name: part.colour for part in PARTS.values()}
IDEAL = {"color": "0.5", "linestyle": "--"}  # no measurement
MANY_TIMES = 100.0  # bars of which one is so many times another are not compared on a linear scale


def has_something(plot: Plot) -> bool:
    if isinstance(plot, Bars):
        return any(value is not None for values in plot.series.values() for value in values)
    if isinstance(plot, Lines):
        return any(points for curves in plot.panels.values() for points in curves.values())
    if isinstance(plot, Rows):
        return len(plot.executed) > 0
    if isinstance(plot, Surface):
        return any(len(points) > 2 for points in plot.panels.values())  # a triangle
    return bool(plot.groups if isinstance(plot, Stacks) else plot.panels)


def draw(plot: Plot, stem: Path, under: str = "", beside: Sequence[str] = ()) -> list[Path]:
    """Saves STEM.png and STEM.svg; an empty list without matplotlib. `under` says under what
    conditions it was measured; `beside` are lines that stand below the plot."""
    pyplot = looks.load()
    if pyplot is None:
        return []
    kinds = {Bars: _bars, Lines: _lines, Stacks: _stacks, Schedule: _schedule}
    kinds |= {Surface: _surface, Rows: _rows}
    figure = kinds[type(plot)](pyplot, plot)
    looks.head(figure, plot.title, under)
    if beside:
        _published(figure, beside)
    return looks.save(pyplot, figure, stem)


def _published(figure, lines: Sequence[str]) -> None:
    """Below the plot, which moves up for it."""
    width, height = figure.get_size_inches()
    rows = _rows_of(lines, int(width * LETTERS))
    room = LINE * (len(rows) + 1)
    figure.set_size_inches(width, height + room)
    share = room / (height + room)
    figure.get_layout_engine().set(rect=(0, share, 1, 1 - share))
    look = {"ha": "left", "va": "top", "fontsize": 8, "color": "0.25"}
    for row, cells in enumerate(rows):
        y = share - 0.01 - row * LINE / (height + room)
        for column, cell in enumerate(cells):
            figure.text(0.01 + 0.98 * column / len(cells), y, cell, **look)


def _rows_of(lines: Sequence[str], most: int) -> list[list[str]]:
    """Of at most so many letters; many short lines below a heading stand in columns."""
    head = next((at + 1 for at, line in enumerate(lines) if line.endswith(":")), len(lines))
    values = lines[head:]
    columns = 1
    if len(values) > MANY_LINES:
        columns = max(1, most // (max(map(len, values)) + 3))
    if columns == 1:
        wrapped = (wrap(line, most, subsequent_indent="    ") or [""] for line in lines)
        return [[part] for parts in wrapped for part in parts]
    count = -(-len(values) // columns)
    padded = [*values, *[""] * (columns * count - len(values))]
    rows = [list(padded[row::count]) for row in range(count)]
    return [*([line] for line in lines[:head]), *rows]


def _bars(pyplot, plot: Bars):
    size = (max(6.0, 1.1 * len(plot.groups) + 3), 3.8)
    figure, axes = pyplot.subplots(figsize=size, layout="constrained")
    width = 0.8 / max(1, len(plot.series))
    colours = looks.colours(list(plot.series))
    for index, (name, values) in enumerate(plot.series.items()):
        there = [place for place, value in enumerate(values) if value is not None]
        heights = [values[place] for place in there]
        spreads = plot.spreads.get(name)
        errors = None
        if spreads:
            bounds = [spreads[place] or (values[place],) * 2 for place in there]
            errors = [
                [max(0.0, height - low) for height, (low, _) in zip(heights, bounds, strict=True)],
                [
                    max(0.0, high - height)
                    for height, (_, high) in zip(heights, bounds, strict=True)
                ],
            ]
        left = [place - 0.4 + (index + 0.5) * width for place in there]
        colour = colours[index]
        axes.bar(left, heights, width, label=name, color=colour, yerr=errors, capsize=2)
    if plot.line is not None:
        axes.axhline(plot.line, color="0.4", linewidth=0.8)
    axes.set_xticks(range(len(plot.groups)), plot.groups)
    axes.set_ylabel(plot.ylabel)
    heights = [value for values in plot.series.values() for value in values if value]
    if plot.log or looks.spans(heights, MANY_TIMES):
        ends = [end for each in plot.spreads.values() for pair in each if pair for end in pair]
        level = [plot.line] if plot.line else []
        looks.logarithmic(axes.yaxis, [*heights, *ends, *level], from_edge=True)
    axes.set_axisbelow(True)
    axes.grid(True, axis="y", alpha=0.25)
    looks.legend(figure, [axes])
    return figure


def _lines(pyplot, plot: Lines):
    count = max(1, len(plot.panels))
    columns = min(3, count)
    rows = -(-count // columns)
    size = (3.9 * columns + 2, 3.2 * rows + 0.6)
    figure, grid = pyplot.subplots(rows, columns, squeeze=False, figsize=size, layout="constrained")
    panels = [panel for row in grid for panel in row]
    names = dict.fromkeys(name for curves in plot.panels.values() for name in curves)
    own = [name for name in names if name != "ideal"]
    for panel, (title, curves) in zip(panels, plot.panels.items(), strict=False):
        for name, points in curves.items():
            if not points:
                continue
            look = IDEAL if name == "ideal" else looks.styles(own)[own.index(name)]
            look = {**look, "markersize": 4}
            most = float("inf") if plot.most is None else plot.most
            shown = [(x, y if y <= most else float("nan")) for x, y in points]
            panel.plot([x for x, _ in shown], [y for _, y in shown], label=name, **look)
            above = [x for x, y in points if y > most]
            if above:
                look |= {"marker": "^", "markersize": 9, "markerfacecolor": "none"}
                look |= {"linestyle": "none", "clip_on": False}
                panel.plot(above, [most] * len(above), label=f"over {most:g}", **look)
        if not (count == 1 and title.lower() in plot.title.lower()):
            panel.set_title(title, fontsize=10)
        panel.set_xlabel(plot.xlabel)
        panel.set_ylabel(plot.ylabel)
        if plot.logx:
            panel.set_xscale("log")
        if plot.logy:
            looks.logarithmic(panel.yaxis, [y for points in curves.values() for _, y in points])
        _ticks_at_values(panel, sorted({x for points in curves.values() for x, _ in points}))
        panel.grid(True, which="both", alpha=0.25)
    for panel in panels[len(plot.panels) :]:
        panel.set_visible(False)
    looks.legend(figure, panels)
    return figure


def _rows(pyplot, plot: Rows):
    """As `xomp report --figures` draws the threads of a run."""
    threads = list(range(len(plot.executed)))
    shape = {"sharey": True, "layout": "constrained"}
    size = (11, min(9.0, 2.2 + 0.22 * len(threads)))
    figure, (left, right) = pyplot.subplots(1, 2, figsize=size, **shape)
    # Not before: it needs numpy, which who only asks what there is may lack.
    from xomp.profile.showing.figures import ACTIVITIES, CREATED, EXECUTED

    colours = dict(ACTIVITIES)
    base = [0.0] * len(threads)
    for name, values in plot.parts.items():
        left.barh(threads, values, 0.8, left=base, color=colours.get(name, "white"), label=name)
        base = [under + value for under, value in zip(base, values, strict=True)]
    counts = ((-0.2, plot.created, CREATED, "created"), (0.2, plot.executed, EXECUTED, "executed"))
    for shift, values, colour, name in counts:
        right.barh([thread + shift for thread in threads], values, 0.4, color=colour, label=name)
    left.set_title("Timeline summary", fontsize=10)
    left.set_xlabel(plot.xlabel)
    left.set_ylabel("thread")
    right.set_title("Task count", fontsize=10)
    right.set_xlabel("tasks")
    if len(threads) <= MOST_UPRIGHT:
        left.set_yticks(threads)
    looks.legend(figure, (left, right))
    return figure


def _surface(pyplot, plot: Surface):
    count = max(1, len(plot.panels))
    shape = {"squeeze": False, "subplot_kw": {"projection": "3d"}, "layout": "constrained"}
    figure, grid = pyplot.subplots(1, count, figsize=(5.2 * count, 4.6), **shape)
    for axes, (title, points) in zip(grid.flat, plot.panels.items(), strict=True):
        x, y = ([log10(point[axis]) for point in points] for axis in (0, 1))
        z = [point[2] for point in points]
        if len(set(x)) > 1 and len(set(y)) > 1 and len(points) > 2:
            axes.plot_trisurf(x, y, z, cmap="viridis", alpha=0.8, linewidth=0.3, edgecolor="0.4")
        axes.scatter(x, y, z, color="0.2", s=8)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel(f"{plot.xlabel}, log10")
        axes.set_ylabel(f"{plot.ylabel}, log10")
        axes.set_zlabel(plot.zlabel)
    return figure


def _ticks_at_values(panel, values: list[float]) -> None:
    """Numbers of threads and sizes of batches are few: what was measured is what is written."""
    if 0 < len(values) <= MOST_TICKS:
        names = [f"{value:g}" if value == int(value) else f"{value:.3g}" for value in values]
        panel.set_xticks(values, names)
        panel.xaxis.minorticks_off()


def _stacks(pyplot, plot: Stacks):
    """Where the groups' names have two lines, the first one is a panel with a scale of its own."""
    chosen: dict[str, list[int]] = {}
    for place, group in enumerate(plot.groups):
        chosen.setdefault(group.rpartition("\n")[0], []).append(place)
    names = [group.rpartition("\n")[2] for group in plot.groups]
    most = max(map(len, chosen.values()), default=1)
    lying = most > MOST_UPRIGHT or any(len(name) > LONGEST_UPRIGHT for name in names)
    count = max(1, len(chosen))
    if lying:
        shape = {"nrows": count, "figsize": (8, count * (0.26 * most + 1.1) + 0.5)}
    else:
        shape = {"ncols": count, "figsize": (count * (0.55 * most + 1.2) + 3, 3.8)}
    figure, grid = pyplot.subplots(squeeze=False, layout="constrained", **shape)
    for axes, (title, places) in zip(grid.flat, chosen.items(), strict=False):
        base = [0.0] * len(places)
        at = list(range(len(places)))
        for index, (part, values) in enumerate(plot.parts.items()):
            colour = OF_PARTS.get(part, COLOURS[index % len(COLOURS)])
            own = [values[place] for place in places]
            if lying:
                axes.barh(at, own, left=base, label=part, color=colour)
            else:
                axes.bar(at, own, bottom=base, label=part, color=colour)
            base = [under + value for under, value in zip(base, own, strict=True)]
        axes.set_title(title, fontsize=10)
        if lying and (title or not _are_numbers(names)):
            axes.set_yticks(at, [names[place] for place in places])
            axes.invert_yaxis()
        elif not lying:
            axes.set_xticks(at, [names[place] for place in places])
        (axes.set_xlabel if lying else axes.set_ylabel)(plot.ylabel)
        axes.locator_params(axis="x" if lying else "y", nbins=MOST_STEPS)
    looks.legend(figure, grid.flat)
    return figure


def _are_numbers(names: Iterable[str]) -> bool:
    return all(name.isdigit() for name in names)


def _schedule(pyplot, plot: Schedule):
    count = max(1, len(plot.panels))
    shape = {"squeeze": False, "sharex": True, "figsize": (10, 1.8 * count + 0.6)}
    figure, grid = pyplot.subplots(count, 1, layout="constrained", **shape)
    kinds = sorted({kind for boxes in plot.panels.values() for _, _, _, kind in boxes})
    threads = sorted({thread for boxes in plot.panels.values() for thread, _, _, _ in boxes})
    for (panel,), (title, boxes) in zip(grid, plot.panels.items(), strict=False):
        for index, kind in enumerate(kinds):
            for thread in threads:
                spans = [(x, width) for t, x, width, k in boxes if (t, k) == (thread, kind)]
                style = {"facecolors": COLOURS[index % len(COLOURS)], "edgecolors": "white"}
                panel.broken_barh(spans, (thread - 0.4, 0.8), linewidth=0.1, **style)
        panel.set_title(title, fontsize=10)
        panel.set_yticks(threads)
        panel.set_ylim(min(threads, default=0) - 0.5, max(threads, default=0) + 0.5)
        panel.set_ylabel("thread")
    ends = [start + width for boxes in plot.panels.values() for _, start, width, _ in boxes]
    grid[-1][0].set_xlim(0.0, min(plot.window, max(ends, default=plot.window)))
    grid[-1][0].set_xlabel(plot.xlabel)
    patches = [
        pyplot.Rectangle((0, 0), 1, 1, color=COLOURS[index % len(COLOURS)])
        for index in range(len(kinds))
    ]
    figure.legend(patches, kinds, fontsize=9, loc="outside right upper")
    return figure
