# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws a result's plots with matplotlib, as PNG and SVG."""

from __future__ import annotations

import sys
from pathlib import Path

from xomp.repro.model import Bars, Lines, Schedule, Stacks

# Colours of Okabe and Ito, which stay distinct under every kind of colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000")
MARKERS = "os^dvP*X"
GREY = "#BBBBBB"  # of idle time
MOST_UPRIGHT = 16  # more groups than this lie on their side
MOST_TICKS = 10
NARROW = 10  # a logarithmic axis from the least to the most times so much has few decades


def has_something(plot: Bars | Lines | Stacks | Schedule) -> bool:
    if isinstance(plot, Bars):
        return any(value is not None for values in plot.series.values() for value in values)
    if isinstance(plot, Lines):
        return any(points for curves in plot.panels.values() for points in curves.values())
    return bool(plot.groups if isinstance(plot, Stacks) else plot.panels)


def draw(plot: Bars | Lines | Stacks | Schedule, stem: Path) -> list[Path]:
    """Saves STEM.png and STEM.svg; an empty list without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        print("no plot: matplotlib is not installed (tools/bootstrap bench)", file=sys.stderr)
        return []
    matplotlib.use("Agg")
    from matplotlib import pyplot

    kinds = {Bars: _bars, Lines: _lines, Stacks: _stacks, Schedule: _schedule}
    figure = kinds[type(plot)](pyplot, plot)
    figure.suptitle(plot.title, fontsize=11)
    figure.tight_layout()
    paths = [stem.with_name(f"{stem.name}.{kind}") for kind in ("png", "svg")]
    for path in paths:
        figure.savefig(path, dpi=150)
    pyplot.close(figure)
    return paths


def _bars(pyplot, plot: Bars):
    figure, axes = pyplot.subplots(figsize=(max(5.0, 1.1 * len(plot.groups) + 2), 3.8))
    width = 0.8 / max(1, len(plot.series))
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
        colour = COLOURS[index % len(COLOURS)]
        axes.bar(left, heights, width, label=name, color=colour, yerr=errors, capsize=2)
    if plot.line is not None:
        axes.axhline(plot.line, color="0.4", linewidth=0.8)
    axes.set_xticks(range(len(plot.groups)), plot.groups)
    axes.set_ylabel(plot.ylabel)
    if plot.log:
        heights = [value for values in plot.series.values() for value in values if value]
        _log_scale(axes.yaxis, heights)
    axes.grid(True, axis="y", alpha=0.25)
    axes.legend(fontsize=8)
    return figure


def _lines(pyplot, plot: Lines):
    count = max(1, len(plot.panels))
    columns = min(3, count)
    rows = -(-count // columns)
    figure, grid = pyplot.subplots(
        rows, columns, squeeze=False, figsize=(4.2 * columns, 3.2 * rows + 0.4)
    )
    panels = [panel for row in grid for panel in row]
    names = list(dict.fromkeys(name for curves in plot.panels.values() for name in curves))
    for panel, (title, curves) in zip(panels, plot.panels.items(), strict=False):
        for name, points in curves.items():
            if not points:
                continue
            index = names.index(name)
            style = {"color": COLOURS[index % 8], "marker": MARKERS[index % 8], "markersize": 4}
            panel.plot([x for x, _ in points], [y for _, y in points], label=name, **style)
        panel.set_title(title, fontsize=10)
        panel.set_xlabel(plot.xlabel)
        panel.set_ylabel(plot.ylabel)
        if plot.logx:
            panel.set_xscale("log")
        if plot.logy:
            _log_scale(panel.yaxis, [y for points in curves.values() for _, y in points])
        _ticks_at_values(panel, sorted({x for points in curves.values() for x, _ in points}))
        panel.grid(True, which="both", alpha=0.25)
        if any(curves.values()):
            panel.legend(fontsize=8)
    for panel in panels[len(plot.panels) :]:
        panel.set_visible(False)
    return figure


def _log_scale(axis, values: list[float]) -> None:
    """Plain numbers instead of powers; between the decades only where there are few of these."""
    from matplotlib.ticker import NullFormatter

    axis.axes.set_yscale("log")
    axis.set_major_formatter("{x:g}")
    narrow = values and max(values) < NARROW * min(values)
    axis.set_minor_formatter("{x:g}" if narrow else NullFormatter())


def _ticks_at_values(panel, values: list[float]) -> None:
    """Numbers of threads and sizes of batches are few: what was measured is what is written."""
    if 0 < len(values) <= MOST_TICKS:
        panel.set_xticks(values, [f"{value:g}" for value in values])
        panel.xaxis.minorticks_off()


def _stacks(pyplot, plot: Stacks):
    lying = len(plot.groups) > MOST_UPRIGHT
    figure, axes = pyplot.subplots(figsize=(7, 5) if lying else (0.7 * len(plot.groups) + 3, 3.8))
    base = [0.0] * len(plot.groups)
    places = list(range(len(plot.groups)))
    for index, (name, values) in enumerate(plot.parts.items()):
        colour = GREY if name == "idle" else COLOURS[index % len(COLOURS)]
        if lying:
            axes.barh(places, values, left=base, label=name, color=colour)
        else:
            axes.bar(places, values, bottom=base, label=name, color=colour)
        base = [under + value for under, value in zip(base, values, strict=True)]
    if lying:
        axes.set_xlabel(plot.ylabel)
    else:
        axes.set_xticks(places, plot.groups)
        axes.set_ylabel(plot.ylabel)
    axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def _schedule(pyplot, plot: Schedule):
    count = max(1, len(plot.panels))
    shape = {"squeeze": False, "sharex": True, "figsize": (9, 1.8 * count + 0.6)}
    figure, grid = pyplot.subplots(count, 1, **shape)
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
    grid[-1][0].set_xlabel(plot.xlabel)
    patches = [
        pyplot.Rectangle((0, 0), 1, 1, color=COLOURS[index % len(COLOURS)])
        for index in range(len(kinds))
    ]
    grid[0][0].legend(patches, kinds, fontsize=8, loc="upper right")
    return figure
