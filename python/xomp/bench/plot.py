# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots as PNG and SVG: time over threads, one panel per case; and ratios to the baseline."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path

from xomp.bench.rounds import series
from xomp.bench.run import Case, Job, Outcome
from xomp.bench.stats import ratio, summarize
from xomp.bench.store import Results
from xomp.bench.tables import columns_of, rows_of, seconds

# Colours of Okabe and Ito, which stay distinct under every kind of colour vision.
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osd^v*P"
ACROSS = 4  # panels side by side
MANY = 24  # panels in one figure


def load():
    """matplotlib's pyplot for files, or None with a word about it."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        print("no plot: matplotlib is not installed", file=sys.stderr)
        return None
    return pyplot


def style(index: int) -> dict:
    return {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)]}


def save(pyplot, figure, stem: Path) -> list[Path]:
    stem.parent.mkdir(parents=True, exist_ok=True)
    paths = [stem.with_name(f"{stem.name}.{kind}") for kind in ("png", "svg")]
    for path in paths:
        figure.savefig(path, dpi=150)
    pyplot.close(figure)
    return paths


def draw_times(
    panel, jobs: dict[int, dict[str, Job]], outcomes: Sequence[Outcome], labels: list[str]
) -> None:
    """One case: a line per runtime, with the quartiles as bars."""
    from matplotlib.ticker import NullFormatter

    for index, label in enumerate(labels):
        points = []
        for threads, by_label in jobs.items():
            values = series(outcomes, by_label[label], seconds) if label in by_label else {}
            if values:
                points.append((threads, summarize(list(values.values()))))
        points.sort(key=lambda point: point[0])
        if not points:
            continue
        medians = [summary.median for _, summary in points]
        below = [summary.median - summary.low for _, summary in points]
        above = [summary.high - summary.median for _, summary in points]
        threads = [threads for threads, _ in points]
        panel.errorbar(
            threads, medians, yerr=[below, above], label=label, capsize=3, **style(index)
        )
    low, high = panel.get_ylim()
    if low > 0 and high > 8 * low:
        panel.set_yscale("log")
        panel.yaxis.set_major_formatter("{x:g}")
        panel.yaxis.set_minor_formatter(NullFormatter())
    else:
        panel.set_ylim(bottom=0)
    counts = sorted(jobs)
    if len(counts) > 8:
        panel.set_xscale("log", base=2)
    panel.set_xticks(counts, [str(count) for count in counts])
    panel.set_xlabel("threads")
    panel.grid(True, which="both", alpha=0.25)


def times(jobs: Sequence[Job], outcomes: Sequence[Outcome], stem: Path) -> list[Path]:
    """Time over threads, a panel per case; an empty list without matplotlib."""
    pyplot = load()
    if pyplot is None:
        return []
    rows = rows_of(jobs)
    counts: dict[Case, dict[int, dict[str, Job]]] = {}
    for row, by_label in rows.items():
        counts.setdefault(row.case, {})[row.threads] = by_label
    # One number of threads is no line, unless nothing else is there.
    lines = [case for case, by_threads in counts.items() if len(by_threads) > 1]
    cases = (lines or list(counts))[:MANY]
    labels = columns_of(rows)
    across = min(ACROSS, len(cases))
    down = math.ceil(len(cases) / across)
    figure, panels = pyplot.subplots(
        down, across, squeeze=False, figsize=(4.5 * across, 3.6 * down)
    )
    for panel in panels.flat[len(cases) :]:
        panel.set_visible(False)
    for panel, case in zip(panels.flat, cases, strict=False):
        draw_times(panel, counts[case], outcomes, labels)
        panel.set_title(case.label)
        panel.legend()
    for row in panels:
        row[0].set_ylabel("seconds (median, quartiles)")
    figure.tight_layout()
    return save(pyplot, figure, stem)


def ratios(results: Results, stem: Path) -> list[Path]:
    """Each runtime's ratio to the baseline with its interval, a line per case and threads."""
    rows = rows_of(results.jobs)
    base = results.baseline
    labels = columns_of(rows)
    others = [label for label in labels if label != base]
    rows = {row: jobs for row, jobs in rows.items() if base in jobs and len(jobs) > 1}
    pyplot = load() if rows else None
    if pyplot is None:
        return []
    figure, panel = pyplot.subplots(figsize=(8, 1.2 + 0.32 * len(rows)))
    for nudge, label in enumerate(others):
        for place, jobs in enumerate(rows.values()):
            if label not in jobs:
                continue
            found = (series(results.outcomes, jobs[each], seconds) for each in (label, base))
            if (value := ratio(*found)) is None:
                continue
            panel.errorbar(
                value.value,
                place + 0.12 * (nudge - (len(others) - 1) / 2),
                xerr=[[value.value - value.low], [value.high - value.value]],
                label=label,
                linestyle="none",
                **style(labels.index(label)),
            )
    names = [f"{row.case.label}, {row.threads}" for row in rows]
    panel.set_yticks(range(len(names)), names)
    panel.invert_yaxis()
    panel.axvline(1, color="black", linewidth=0.8)
    panel.set_xscale("log")
    panel.xaxis.set_major_formatter("{x:g}")
    panel.set_xlabel(f"time / {base} (median, 95%); left of 1 is faster")
    panel.grid(True, which="both", alpha=0.25)
    handles = dict(zip(*reversed(panel.get_legend_handles_labels()), strict=True))
    panel.legend(handles.values(), handles.keys())
    figure.tight_layout()
    return save(pyplot, figure, stem)


def results(results: Results, path: Path) -> list[Path]:
    """All plots of a results file, beside it."""
    stem = path.with_suffix("")
    made = ratios(results, stem.with_name(f"{stem.name}-ratio"))
    if len({job.threads for job in results.jobs}) > 1:
        made += times(results.jobs, results.outcomes, stem.with_name(f"{stem.name}-threads"))
    return made
