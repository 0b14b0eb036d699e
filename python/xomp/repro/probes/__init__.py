# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that run an application and add a line of key=value pairs to what it prints: what a
profiler, the kernel or the library's own counters saw of the run. Each uses the standard library
only, and none needs anything of the runtime that others do not have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from xomp.bench.run import Outcome
from xomp.repro.plan import Run

FOLDER = Path(__file__).parent


def through(run: Run, probe: str, *words: str) -> Run:
    """The same run, under the probe."""
    job = run.job
    arguments = (*words, str(job.program), *job.arguments)
    job = replace(job, program=FOLDER / f"{probe}.py", arguments=arguments)
    return replace(run, job=job)


def told(outcome: Outcome, probe: str) -> dict:
    """The probe's line; empty if it saw nothing."""
    return next((line for line in outcome.records if line["program"] == probe), {})
