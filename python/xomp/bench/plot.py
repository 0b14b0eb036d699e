# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The demo's plot: time over threads, one panel per program, with the quartiles as bars."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from xomp.bench.rounds import series
from xomp.bench.run import Job, Outcome
from xomp.bench.stats import summarize

# Colours of Okabe and Ito, which stay distinct under every kind of colour vision.
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00")
MARKERS = "osd^v"


def demo(jobs: Sequence[Job], outcomes: list[Outcome], folder: Path) -> list[Path]:
    """Saves demo.png and demo.svg; an empty list without matplotlib."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
        from matplotlib.ticker import NullFormatter
    except ImportError:
        print("No plot: matplotlib is not installed", file=sys.stderr)
        return []
    programs = list(dict.fromkeys((job.program.name, job.arguments) for job in jobs))
    labels = list(dict.fromkeys(job.runtime.label for job in jobs))
    figure, panels = pyplot.subplots(
        1, len(programs), squeeze=False, figsize=(4.5 * len(programs), 3.6)
    )
    for column, (name, arguments) in enumerate(programs):
        panel = panels[0][column]
        for index, label in enumerate(labels):
            points = []
            for job in jobs:
                if (job.program.name, job.arguments, job.runtime.label) != (name, arguments, label):
                    continue
                values = series(outcomes, job, lambda outcome: outcome.record["seconds"])
                if values:
                    points.append((job.threads, summarize(list(values.values()))))
            style = {"color": COLOURS[index % 5], "marker": MARKERS[index % 5], "capsize": 3}
            panel.errorbar(
                [threads for threads, _ in points],
                [summary.median for _, summary in points],
                yerr=[
                    [summary.median - summary.low for _, summary in points],
                    [summary.high - summary.median for _, summary in points],
                ],
                label=label,
                **style,
            )
        threads = sorted({job.threads for job in jobs})
        panel.set_title(" ".join((name, *arguments)))
        panel.set_xlabel("threads")
        panel.set_ylabel("seconds (median, quartiles)")
        low, high = panel.get_ylim()
        if low > 0 and high > 8 * low:
            panel.set_yscale("log")
            panel.yaxis.set_major_formatter("{x:g}")
            panel.yaxis.set_minor_formatter(NullFormatter())
        else:
            panel.set_ylim(bottom=0)
        if len(threads) > 8:
            panel.set_xscale("log", base=2)
        panel.set_xticks(threads, [str(count) for count in threads])
        panel.grid(True, which="both", alpha=0.25)
        panel.legend()
    figure.tight_layout()
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / "demo.png", folder / "demo.svg"]
    for path in paths:
        figure.savefig(path, dpi=150)
    pyplot.close(figure)
    return paths
