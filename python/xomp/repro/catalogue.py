# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp repro list`: every table and figure, what it needs, and whether it can be done here."""

from __future__ import annotations

from collections import Counter

from rich.table import Table
from rich.text import Text

from xomp.bench.pages import markdown
from xomp.repro import offer
from xomp.repro.model import Needs
from xomp.repro.plan import Experiment
from xomp.repro.registry import all_experiments
from xomp.repro.verdict import DRAWING, Verdict, judge
from xomp.shared.console import output

WIDTH = 100  # where the output is no terminal
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
    """A line for each experiment, as wide as the terminal; what many lack is said once."""
    found = rows(paper)
    if as_markdown:
        print(as_text(found, with_reasons))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("name", no_wrap=True, min_width=max(len(each.id) for each, _ in found))
    table.add_column("here", no_wrap=True, min_width=max(map(len, COLOURS)))
    table.add_column("shows")
    for experiment, verdict in found:
        here = Text(str(verdict), style=COLOURS[str(verdict)])
        table.add_row(experiment.id, here, experiment.title)
    with output(WIDTH) as console:
        console.print(table)
        if with_reasons:
            for line in often([verdict for _, verdict in found]):
                console.print(line, markup=False, highlight=False)
        console.print(
            "`xomp repro NAME --details`: what it needs, and what of it lacks here.",
            markup=False,
            highlight=False,
        )


def often(verdicts: list[Verdict]) -> list[str]:
    """What several experiments lack, each once."""
    counts = Counter(reason for verdict in verdicts for reason in verdict.reasons)
    common = [(reason, count) for reason, count in counts.most_common() if count > 1]
    if not common:
        return []
    return ["", "What lacks here, and for how many:", *(f"  {n:3} {why}" for why, n in common)]


def details(experiment: Experiment) -> str:
    verdict = judge(experiment, offer.of_xomp())
    lines = [
        f"{experiment.id}: {experiment.title}",
        f"  paper  {experiment.paper}, {experiment.name}, {experiment.section}",
        f"  needs  {needs_text(experiment)}",
        f"  here   {verdict}",
    ]
    return "\n".join([*lines, *(f"         {reason}" for reason in verdict.reasons)])


def as_text(found: list[tuple[Experiment, Verdict]], with_reasons: bool) -> str:
    """The list in Markdown: the name has the paper and the figure. With reasons also what each
    needs, and what of it lacks here."""
    header = ["name", "shows", "section"] + ["needs", "here"] * with_reasons
    lines = []
    for experiment, verdict in found:
        line = [f"`{experiment.id}`", experiment.title, experiment.section.removeprefix("section ")]
        if with_reasons:
            why, answered = reasons(verdict), str(verdict)
            line.append(needs_text(experiment))
            line.append(answered if answered == DRAWING or not why else f"{answered}: {why}")
        lines.append(line)
    return markdown(header, lines)
