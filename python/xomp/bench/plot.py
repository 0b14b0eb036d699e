# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots of applications as PNG and SVG: time over threads, one panel per case; and ratios to the
baseline."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from xomp.bench.rounds import series
from xomp.bench.run import Case, Job, Outcome, seconds
from xomp.bench.stats import ratio, summarize
from xomp.bench.store import Results
from xomp.bench.tables import columns_of, rows_of
from xomp.shared import looks

ACROSS = 4  # panels side by side
MANY = 24  # panels in one figure
MANY_COUNTS = 8  # of threads: more are drawn with a logarithmic scale


def conditions(jobs: Sequence[Job], outcomes: Sequence[Outcome]) -> str:
    sizes = list(dict.fromkeys(job.case.size for job in jobs))
    return looks.conditions(sizes, len({each.round for each in outcomes if each.round >= 0}))


def name_of(case: Case, cases: Sequence[Case]) -> str:
    """Without the size where all have the same: that stands below the plot."""
    if len({each.size for each in cases}) > 1:
        return case.label
    return " ".join(replace(case, size="").label.split())


def draw_times(
    panel, jobs: dict[int, dict[str, Job]], outcomes: Sequence[Outcome], labels: list[str]
) -> None:
    """One case: a line per runtime, with the quartiles as bars."""
    drawn = []
    for look, label in zip(looks.styles(labels), labels, strict=True):
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
        panel.errorbar(threads, medians, yerr=[below, above], label=label, capsize=3, **look)
        drawn += medians
    if looks.spans(drawn):
        looks.logarithmic(panel.yaxis, drawn)
    else:
        looks.from_zero(panel)
    counts = sorted(jobs)
    if len(counts) > MANY_COUNTS:
        panel.set_xscale("log", base=2)
    panel.set_xticks(counts, [str(count) for count in counts])
    panel.set_xlabel("threads")
    panel.grid(True, which="both", alpha=0.25)


def times(jobs: Sequence[Job], outcomes: Sequence[Outcome], stem: Path) -> list[Path]:
    """Time over threads, a panel per case; an empty list without matplotlib."""
    pyplot = looks.load()
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
        *(down, across),
        squeeze=False,
        figsize=(3.9 * across + 1.5, 3.4 * down + 0.6),
        layout="constrained",
    )
    for panel in panels.flat[len(cases) :]:
        panel.set_visible(False)
    for panel, case in zip(panels.flat, cases, strict=False):
        draw_times(panel, counts[case], outcomes, labels)
        panel.set_title(name_of(case, cases), fontsize=10)
    for row in panels:
        row[0].set_ylabel("seconds (median, quartiles)")
    looks.head(figure, "Time over the number of threads", conditions(jobs, outcomes))
    looks.legend(figure, panels.flat)
    return looks.save(pyplot, figure, stem)


def ratios(results: Results, stem: Path) -> list[Path]:
    """Each runtime's ratio to the baseline with its interval, a line per case and threads."""
    rows = rows_of(results.jobs)
    base = results.baseline
    labels = columns_of(rows)
    others = [label for label in labels if label != base]
    rows = {row: jobs for row, jobs in rows.items() if base in jobs and len(jobs) > 1}
    pyplot = looks.load() if rows else None
    if pyplot is None:
        return []
    figure, panel = pyplot.subplots(figsize=(9.5, 1.6 + 0.32 * len(rows)), layout="constrained")
    for nudge, label in enumerate(others):
        for place, jobs in enumerate(rows.values()):
            if label not in jobs:
                continue
            found = (series(results.outcomes, jobs[each], seconds) for each in (label, base))
            if (value := ratio(*found)) is None:
                continue
            look = {**looks.styles(labels)[labels.index(label)], "linestyle": "none"}
            panel.errorbar(
                value.value,
                place + 0.12 * (nudge - (len(others) - 1) / 2),
                xerr=[[value.value - value.low], [value.high - value.value]],
                label=label,
                **look,
            )
    cases = [row.case for row in rows]
    names = [
        f"{name_of(row.case, cases)}, {row.threads} thread{'' if row.threads == 1 else 's'}"
        for row in rows
    ]
    panel.set_yticks(range(len(names)), names)
    panel.invert_yaxis()
    panel.axvline(1, color="black", linewidth=0.8)
    looks.logarithmic(panel.xaxis, panel.get_xlim())
    panel.set_xlabel(f"time as a multiple of {base}'s (median, 95% interval): left of 1 is faster")
    panel.grid(True, which="both", alpha=0.25)
    looks.head(figure, f"Time beside {base}'s", conditions(results.jobs, results.outcomes))
    looks.legend(figure, [panel])
    return looks.save(pyplot, figure, stem)


def results(results: Results, path: Path) -> list[Path]:
    """All plots of a results file, beside it."""
    stem = path.with_suffix("")
    made = ratios(results, stem.with_name(f"{stem.name}-ratio"))
    if len({job.threads for job in results.jobs}) > 1:
        made += times(results.jobs, results.outcomes, stem.with_name(f"{stem.name}-threads"))
    return made
