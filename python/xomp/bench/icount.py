# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`icount`: instructions per task on one thread, counted by callgrind, so repeatable.

Two problem sizes are run; the difference of their counts divided by the difference of their tasks
is the cost of a task without start-up and shut-down.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from xomp.bench import apps
from xomp.bench.report import markdown
from xomp.bench.run import parse
from xomp.bench.runtimes import Runtime

NAME = "icount"
HELP = "instructions per task, counted by callgrind on one thread"
RUNTIMES = "floor,libgomp,libomp,libiomp5,xomp"
ROUNDS = 1
THREADS = [1]
SIZES = (16, 22)

NAMED = re.compile(r"(ob|fn|cob|cfn|cfi|cfl|fl|fi|fe)=\((\d+)\)(?: (.*))?$")
COST = re.compile(r"(?:\+|-|0x)?[0-9a-f*]+ (\d+)$")


class CountError(Exception):
    """Callgrind did not deliver; the message says what happened."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--variant", choices=("both", "one", "untied"), default="both")
    parser.add_argument(
        "--functions", type=int, default=0, metavar="N", help="show the N costliest"
    )


def self_costs(lines: Iterable[str]) -> Counter:
    """Instructions by (object, function) of a callgrind profile, callees not included.

    Names are given once as ``fn=(id) name`` and then by id; object and function ids have a
    numbering each, shared by caller and callee lines. The line after ``calls=`` is the callee's
    inclusive cost.
    """
    names: dict[tuple[str, str], str] = {}
    current = {"ob": "?", "fn": "?"}
    costs: Counter = Counter()
    skip = False
    for line in lines:
        line = line.rstrip("\n")
        named = NAMED.match(line)
        if named:
            kind, identity, name = named.groups()
            space = {"cob": "ob", "cfn": "fn"}.get(kind, kind)
            if name is not None:
                names[space, identity] = name
            if kind in current:
                current[kind] = names.get((space, identity), "?")
        elif line.startswith("calls="):
            skip = True
        elif (cost := COST.match(line)) is not None:
            if not skip:
                costs[current["ob"], current["fn"]] += int(cost[1])
            skip = False
    return costs


def count(
    runtime: Runtime, program: Path, arguments: list[str], limit: float
) -> tuple[Counter, int]:
    """The self costs of one run, and how many tasks it made."""
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "callgrind.out"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", str(program)]
        try:
            done = subprocess.run(
                [*command, *arguments],
                env=runtime.environment(1),
                capture_output=True,
                text=True,
                timeout=limit,
            )
        except subprocess.TimeoutExpired as error:
            raise CountError(f"did not end within {limit:g} s") from error
        records = parse(done.stdout)
        if done.returncode != 0 or not records or records[0]["ok"] != 1:
            raise CountError(f"exit code {done.returncode}: {done.stderr.strip()[-300:]}")
        with profile.open() as lines:
            return self_costs(lines), records[0]["tasks"]


def per_task(runtime: Runtime, variant: str, limit: float) -> dict[tuple[str, str], float]:
    """Instructions per task by (object, function)."""
    program = apps.build("plain/fib")
    (small, few), (large, many) = (
        count(runtime, program, [str(size), variant], limit) for size in SIZES
    )
    large.subtract(small)
    return {place: cost / (many - few) for place, cost in large.items() if cost}


def share(costs: dict[tuple[str, str], float], program: Path) -> tuple[float, float]:
    """All instructions per task, and those outside the program itself."""
    total = sum(costs.values())
    own = sum(cost for (where, _), cost in costs.items() if where.endswith(f"/{program.name}"))
    return total, total - own


def measure(options: argparse.Namespace, runtimes: list[Runtime], missing: dict) -> list[str]:
    """The tables. Failures go into `missing`."""
    if shutil.which("valgrind") is None:
        missing["callgrind"] = "valgrind is not installed"
        return []
    program = apps.build("plain/fib")
    counted = {}
    for runtime in runtimes:
        try:
            counted[runtime.label] = per_task(runtime, options.variant, options.limit)
        except CountError as error:
            missing[runtime.label] = str(error)
    floor = share(counted["floor"], program)[0] if "floor" in counted else None
    rows, details = [], []
    for label, costs in counted.items():
        total, outside = share(costs, program)
        ratio = f"{total / floor:.2f}" if floor else "-"
        rows.append((label, f"{total:.1f}", f"{outside:.1f}", ratio))
        top = sorted(costs.items(), key=lambda item: -item[1])[: options.functions]
        details += [
            (label, Path(where).name, function, f"{cost:.2f}") for (where, function), cost in top
        ]
    sizes = " and ".join(map(str, SIZES))
    parts = [
        f"Instructions per task, one thread, Fibonacci of {sizes}, variant `{options.variant}`.",
        markdown(("runtime", "instructions per task", "outside the program", "x floor"), rows),
    ]
    if details:
        parts.append(markdown(("runtime", "object", "function", "per task"), details))
    return parts
