# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp repro list`: every table and figure, what it needs, and whether it can be done here."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from xomp.bench.report import markdown
from xomp.repro import offer
from xomp.repro.model import Experiment, Needs
from xomp.repro.registry import all_experiments
from xomp.repro.verdict import DRAWING, Verdict, judge

COLOURS = {"yes": "green", "partly": "yellow", "no": "red", "drawing": "dim"}


def needs_text(experiment: Experiment) -> str:
    """What the paper's experiment uses, in words."""
    if experiment.drawing:
        return f"nothing to run: {experiment.drawing}"
    needs: Needs = experiment.needs
    parts = [", ".join(needs.apps)] if needs.apps else []
    if experiment.configs:
        parts.append("on " + ", ".join(config.name for config in experiment.configs))
    if needs.cores > 1:
        parts.append(f"{needs.cores} cores")
    if needs.nodes > 1:
        parts.append(f"{needs.nodes} NUMA nodes")
    parts += needs.variables
    if needs.statistics:
        parts.append(f"counters {', '.join(needs.statistics)}")
    if needs.events:
        parts.append(f"hardware counters {', '.join(needs.events)}")
    parts += [*needs.symbols, *needs.programs]
    return "; ".join(parts)


def reasons(verdict: Verdict) -> str:
    return "; ".join(verdict.reasons)


def rows(paper: int | None) -> list[tuple[Experiment, Verdict]]:
    library = offer.of_xomp()
    chosen = [e for e in all_experiments() if paper in (None, e.paper)]
    return [(experiment, judge(experiment, library)) for experiment in chosen]


def show(paper: int | None, as_markdown: bool, with_reasons: bool) -> None:
    if as_markdown:
        print(as_text(rows(paper), with_reasons))
        return
    console = Console(width=None if sys.stdout.isatty() else 200)
    table = Table(title="Tables and figures of the papers", title_justify="left")
    names = ["name", "paper", "shows", "needs", "here"]
    for name in [*names, "because"] if with_reasons else names:
        table.add_column(name, overflow="fold", no_wrap=name == "name")
    for experiment, verdict in rows(paper):
        cells = [
            experiment.id,
            f"{experiment.paper}, {experiment.name}",
            experiment.title,
            needs_text(experiment),
            Text(str(verdict), style=COLOURS[str(verdict)]),
        ]
        table.add_row(*cells, *([reasons(verdict)] if with_reasons else []))
    console.print(table)


def as_text(found: list[tuple[Experiment, Verdict]], with_reasons: bool) -> str:
    header = ["name", "shows", "where", "needs"]
    lines = []
    for experiment, verdict in found:
        where = f"paper {experiment.paper}, {experiment.name}, {experiment.section}"
        line = [f"`{experiment.id}`", experiment.title, where, needs_text(experiment)]
        if with_reasons:
            why = reasons(verdict)
            answered = str(verdict)
            line.append(answered if answered == DRAWING or not why else f"{answered}: {why}")
        lines.append(line)
    return markdown([*header, "here"] if with_reasons else header, lines)
