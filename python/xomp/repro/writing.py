# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a result: Markdown for the terminal and for result.md, JSON, and the plots beside."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Sequence
from pathlib import Path

from xomp.bench.pages import markdown
from xomp.repro import drawing
from xomp.repro.doubt import busy
from xomp.repro.model import Claim, Result, Table
from xomp.repro.plan import Measured, Plan
from xomp.repro.published import Published, load
from xomp.repro.verdict import Verdict
from xomp.shared.looks import conditions

SAYS = {True: "holds", False: "does not hold", None: "cannot be said"}


def write(
    plan: Plan,
    result: Result,
    measured: Measured,
    verdict: Verdict,
    folder: Path,
    same: Sequence[str] = (),
) -> str:
    """Saves everything in the folder; returns the Markdown text."""
    folder.mkdir(parents=True, exist_ok=True)
    published = load(plan.experiment.paper, plan.experiment.item)
    plots = []
    drawable = [plot for plot in result.plots if drawing.has_something(plot)]
    for index, plot in enumerate(drawable):
        name = "plot" if len(drawable) == 1 else f"plot{index + 1}"
        under = conditions([plan.size], plan.rounds) if plan.experiment.jobs else ""
        plots += drawing.draw(plot, folder / name, under, beside(published, same))
    text = page(plan, result, measured, verdict, published, plots, same)
    (folder / "result.md").write_text(text)
    (folder / "result.json").write_text(_json(plan, result, measured, verdict, same))
    return text


def page(
    plan: Plan,
    result: Result,
    measured: Measured,
    verdict: Verdict,
    published: Published | None,
    plots: list[Path],
    same: Sequence[str] = (),
) -> str:
    experiment, facts = plan.experiment, measured.head
    parts = [
        f"# Paper {experiment.paper}, {experiment.name}: {experiment.title}",
        f"`{facts['command']}` at {facts['time']}, commit {facts['commit']}, {facts['cpu']}, "
        f"{facts['processors']} processors (load {facts['load']:.1f}), {facts['compiler']}.",
        f"Size {plan.size}, threads {', '.join(map(str, plan.threads))}, "
        f"{plan.rounds} rounds after one to warm up."
        if experiment.jobs
        else "Nothing is run for it.",
    ]
    if plan.runtimes:
        parts.append(configurations(plan))
    lacks = verdict.reasons
    lacks += [
        f"{name}: {reason}"
        for name, reason in plan.missing.items()
        if reason not in lacks
        and not any(name in re.split(r"[(),:]\s*|\s+(?=\()", lack) for lack in lacks)
    ]
    if lacks:
        parts.append("Not as in the paper:\n\n" + listed(lacks))
    if same:
        parts.append(
            "Without effect here, so that no difference by it means anything:\n\n" + listed(same)
        )
    parts += cautions(plan, facts)
    parts.append("## Measured here")
    parts += [_table(table) for table in result.tables]
    parts += [f"Plot: {path.name}" for path in plots if path.suffix == ".png"]
    parts += result.notes
    failed = measured.failures()
    if failed:
        parts.append("Failed, and counted nowhere:\n\n" + "\n".join(map(_failure, failed)))
    if result.claims:
        parts += ["## What the paper finds, and whether it is so here", claims(result.claims)]
    parts += ["## Published", published_text(published)]
    return "\n\n".join(parts) + "\n"


def listed(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def configurations(plan: Plan) -> str:
    """What stands for what the paper compares."""
    lines = []
    for config, runtime in plan.runtimes.items():
        note = f" ({config.note})" if config.note else ""
        compiler = f", compiled by {config.compiler}" if config.compiler != "gcc" else ""
        lines.append(f"- {config.name}: {runtime.label}{compiler}{note}")
    return "On:\n\n" + "\n".join(lines)


def cautions(plan: Plan, facts: dict) -> list[str]:
    """Why the times below may tell little."""
    if plan.experiment.jobs is None:
        return []
    if plan.topology:
        return [f"A described machine: `XOMP_TOPOLOGY={plan.topology}`."]
    found = []
    if plan.size == "test":
        found.append("Size test is for trying the command: its times tell next to nothing.")
    if busy(facts):
        load = f"load {facts['load']:.1f} on {facts['processors']} processors"
        found.append(f"The machine was busy with other work when this began ({load}).")
    if plan.most > facts["processors"]:
        found.append(f"More threads than the {facts['processors']} processors.")
    return found


def _failure(outcome) -> str:
    return f"- {outcome.job.describe()}: {outcome.failure}"


def _table(table: Table) -> str:
    return f"{table.title}\n\n{markdown(table.header, table.rows)}"


def claims(found: list[Claim] | tuple[Claim, ...]) -> str:
    rows = [(claim.text, SAYS[claim.holds], claim.evidence) for claim in found]
    return markdown(("the paper", "here", "by"), rows)


def published_text(published: Published | None) -> str:
    if published is None:
        return "Nothing is transcribed."
    parts = [f"{published.title}. Source: paper {published.paper}, {published.source}."]
    if published.numbers != "table":
        parts.append(f"In numbers: {published.numbers}.")
    if published.rows:
        rows = [["" if value is None else str(value) for value in row] for row in published.rows]
        parts.append(markdown(published.columns, rows))
    parts += published.notes
    return "\n\n".join(parts)


def beside(published: Published | None, same: Sequence[str] = ()) -> list[str]:
    """What stands below a picture: what is the same here, and the values of the paper's text."""
    if published is None or "what" not in published.columns or not published.rows:
        return list(same)
    names = [name for name in ("what", "value", "unit") if name in published.columns]
    told = [dict(zip(published.columns, row, strict=True)) for row in published.rows]
    lines = [" ".join(str(row[name] or "") for name in names[1:]).strip() for row in told]
    values = [f"{row['what']}: {line}" for row, line in zip(told, lines, strict=True)]
    return [*same, *([""] if same else []), "The paper:", *values]


def _json(
    plan: Plan, result: Result, measured: Measured, verdict: Verdict, same: Sequence[str]
) -> str:
    told = {
        "experiment": plan.experiment.id,
        "size": plan.size,
        "threads": plan.threads,
        "rounds": plan.rounds,
        "machine": {name: fact for name, fact in measured.head.items() if name != "jobs"},
        "possible": str(verdict),
        "topology": plan.topology,
        "same": list(same),
        "missing": plan.missing,
        "failures": len(measured.failures()),
        "tables": [dataclasses.asdict(table) for table in result.tables],
        "plots": [{"kind": type(p).__name__, **dataclasses.asdict(p)} for p in result.plots],
        "claims": [dataclasses.asdict(claim) for claim in result.claims],
    }
    return json.dumps(told, indent=1) + "\n"
