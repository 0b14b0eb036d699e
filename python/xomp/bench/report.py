# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a benchmark leaves behind: JSON lines with every run, and a Markdown table."""

from __future__ import annotations

import json
import os
import platform
import shlex
import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from xomp.bench.paths import BENCH, ROOT
from xomp.bench.run import Outcome
from xomp.bench.runtimes import Runtime
from xomp.bench.stats import Ratio, Summary


def cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def first_line(command: Sequence[str]) -> str:
    try:
        out = subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout
    except OSError:
        return "unknown"
    return (out.splitlines() or ["unknown"])[0]


def processors() -> int:
    return len(os.sched_getaffinity(0))


def surroundings(arguments: Sequence[str]) -> dict:
    return {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "command": shlex.join(["python", "-m", "xomp.bench", *arguments]),
        "commit": first_line(["git", "rev-parse", "--short=12", "HEAD"]),
        "cpu": cpu_model(),
        "processors": processors(),
        "load": os.getloadavg()[0],
        "kernel": platform.release(),
        "compiler": first_line(["gcc", "--version"]),
    }


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


def digits(value: float) -> str:
    """Three significant digits, without exponents; little more than nothing is said to be so."""
    if 0 < value < 0.01:
        return "<0.01"
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def spread(summary: Summary) -> str:
    return f"{digits(summary.low)} to {digits(summary.high)}"


def ratio_text(ratio: Ratio | None) -> str:
    if ratio is None:
        return "-"
    return f"{digits(ratio.value)} [{digits(ratio.low)}, {digits(ratio.high)}]"


def save(
    arguments: Sequence[str],
    runtimes: Iterable[Runtime],
    missing: dict[str, str],
    outcomes: Iterable[Outcome],
    tables: Sequence[str],
    folder: Path = BENCH / "results",
) -> Path:
    """Writes COMMAND-TIME.jsonl and COMMAND-TIME.md; returns the latter."""
    facts = surroundings(arguments)
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{arguments[0]}-{facts['time'].replace(':', '').replace('-', '')}"
    with (folder / f"{stem}.jsonl").open("w") as lines:
        described = [runtime.describe() for runtime in runtimes]
        head = {"kind": "surroundings", **facts, "runtimes": described, "missing": missing}
        lines.write(json.dumps(head) + "\n")
        for outcome in outcomes:
            lines.write(json.dumps({"kind": "run", **outcome.as_json()}) + "\n")
    page = folder / f"{stem}.md"
    about = (
        f"`{facts['command']}` at {facts['time']}, commit {facts['commit']}, {facts['cpu']}, "
        f"{facts['processors']} processors (load {facts['load']:.1f}), {facts['compiler']}."
    )
    page.write_text("\n\n".join([about, *tables]) + "\n")
    return page
