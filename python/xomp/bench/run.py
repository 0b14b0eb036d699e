# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one program once, under a time limit, and says what it printed and what it took."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from xomp.errors import BadInputError
from xomp.shared import apps, processes
from xomp.shared.runtimes import Runtime

# Paper 2 section 4 runs UTS with an unlimited system stack and 100 MB for each other thread. A
# fixed but large initial stack keeps the usual address space layout.
DEEP_STACK = 1 << 30
DEEP_SETTINGS = {"OMP_STACKSIZE": "100M"}


@dataclass(frozen=True)
class Case:
    """What is run: an application with a variant, a size, its parameters and its variables."""

    app: str
    variant: str
    size: str
    parameters: tuple[tuple[str, str], ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    compiler: str = "gcc"
    data: str | None = None

    @property
    def arguments(self) -> tuple[str, ...]:
        """The command line of bench/frame/app.h."""
        chosen = [("size", self.size), ("variant", self.variant), *self.parameters]
        if self.data is not None:
            chosen.append(("data", self.data))
        return tuple(word for name, value in chosen for word in (f"--{name}", value))

    @property
    def label(self) -> str:
        settings = [f"{name}={value}" for name, value in self.parameters + self.variables]
        clang = [] if self.compiler == "gcc" else [f"({self.compiler})"]
        return " ".join([f"{self.app}:{self.variant}", self.size, *settings, *clang])


@dataclass(frozen=True)
class Job:
    """A program on a runtime; equal jobs are repetitions of one measurement."""

    runtime: Runtime
    threads: int
    program: Path
    arguments: tuple[str, ...] = ()
    limit: float = 60.0  # seconds
    deep: bool = False  # recursion too deep for the usual stacks
    case: Case | None = None  # None: a program without the frame

    @property
    def key(self) -> tuple:
        """Says which measurement a run belongs to, also when it is read back from a file."""
        place = (self.runtime.label, self.threads, self.program.name, self.arguments)
        return (*place, self.case.variables, self.case.compiler) if self.case else place

    @property
    def label(self) -> str:
        if self.case:
            return self.case.label
        return " ".join((self.program.name, *self.arguments))

    def describe(self) -> str:
        threads = "thread" if self.threads == 1 else "threads"
        return f"{self.label} on {self.runtime.label} with {self.threads} {threads}"

    def environment(self) -> dict[str, str]:
        extra = dict(DEEP_SETTINGS) if self.deep else {}
        if self.case:
            extra.update(self.case.variables)
        return self.runtime.environment(self.threads, extra)


@dataclass
class Outcome:
    job: Job
    round: int  # negative: warm-up
    failure: str | None
    records: list[dict] = field(default_factory=list)
    usage: dict = field(default_factory=dict)
    # Nanoseconds between two processors before and after (distance.py); empty: not measured.
    apart: Sequence[float | None] = ()

    @property
    def record(self) -> dict:
        return self.records[0]


def seconds(outcome: Outcome) -> float:
    return outcome.record["seconds"]


def number(text: str):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def parse(output: str) -> list[dict]:
    """Every line `program key=value ...` as a dictionary; other lines are not ours."""
    records = []
    for line in output.splitlines():
        program, *pairs = line.split() or [""]
        if pairs and all("=" in pair for pair in pairs):
            values = {key: number(value) for key, value in (pair.split("=", 1) for pair in pairs)}
            records.append({"program": program, **values})
    return records


def judge(usage: dict, records: list[dict], errors: str) -> str | None:
    """Why a finished run does not count, or None if it does."""
    last = errors.strip().splitlines()[-1:] or [""]
    detail = f": {last[0]}" if last[0] else ""
    if usage.get("signal"):
        return f"crashed with {signal.Signals(usage['signal']).name}{detail}"
    if any(record.get("ok") == 0 for record in records):
        return "wrong result"
    if usage.get("exit") != 0:
        return f"exit code {usage.get('exit')}{detail}"
    if not records:
        return "printed no result"
    return None


def rejection(job: Job, usage: dict, errors: str) -> str | None:
    """The program's complaint about its input, if that is why it ended."""
    lines = errors.strip().splitlines()
    if usage.get("exit") == 2 and lines and lines[-1].startswith(f"{job.program.name}: "):
        return lines[-1]
    return None


def run(job: Job, round_index: int = 0) -> Outcome:
    stopwatch = apps.build("stopwatch")
    report, report_end = os.pipe()
    command = [stopwatch, str(report_end), str(DEEP_STACK if job.deep else 0), job.program]
    process = processes.start(
        [*command, *job.arguments],
        env=job.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=[report_end],
        text=True,
        errors="replace",
    )
    os.close(report_end)
    with os.fdopen(report) as report_file:
        try:
            output, errors = process.communicate(timeout=job.limit)
        except subprocess.TimeoutExpired:
            processes.end(process)
            return Outcome(job, round_index, f"did not end within {job.limit:g} s")
        except BaseException:
            processes.end(process)
            raise
        processes.ended(process)
        text = report_file.read()
    usage = json.loads(text) if text else {"exit": process.returncode}
    if complaint := rejection(job, usage, errors):
        raise BadInputError(complaint)
    records = parse(output)
    failure = judge(usage, records, errors)
    return Outcome(job, round_index, failure, records, usage)
