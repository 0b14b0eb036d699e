# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that run an application and add a line of key=value pairs to what it prints: what a
profiler, the kernel, or the library's own counters or log saw of the run. Each uses the standard
library only, but for what reads logs."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path

from xomp.bench.run import Outcome
from xomp.repro.plan import Run
from xomp.shared.runtimes import parse_label

FOLDER = Path(__file__).parent


def through(run: Run, probe: str, *words: str) -> Run:
    """The same run, under the probe."""
    job = run.job
    arguments = (*words, str(job.program), *job.arguments)
    job = replace(job, program=FOLDER / f"{probe}.py", arguments=arguments)
    return replace(run, job=job)


def logged(run: Run, window: tuple[float, float] | None = None) -> Run:
    """The same run, with xomp's own log; `window`: of the leaf tasks, as recorded.py has it."""
    words = "-" if window is None else ",".join(map(str, window))
    return through(run, "logged", sys.executable, words)


def by_thread(line: dict, name: str) -> list[float]:
    """A list of such a line."""
    return [float(part) for part in str(line.get(name, "")).split(",") if part]


def can_sample() -> bool:
    return shutil.which("perf") is not None


def records(run: Run) -> bool:
    """Whether its runtime is xomp, which leaves a log."""
    return parse_label(run.job.runtime.label)[0] == "xomp"


def told(outcome: Outcome, probe: str) -> dict:
    """The probe's line; empty if it saw nothing."""
    return next((line for line in outcome.records if line["program"] == probe), {})
