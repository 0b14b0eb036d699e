# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the runtimes asked for to the outcomes of an experiment's runs, by the harness."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from xomp.bench import measure, store
from xomp.bench.plan import lacking
from xomp.errors import BadInputError, unknown
from xomp.repro.model import Config
from xomp.repro.offer import Offer
from xomp.repro.plan import Experiment, Measured, Plan, Run, in_one_line
from xomp.repro.verdict import config_lack
from xomp.shared.apps import build, compiler_for, discover
from xomp.shared.errors import BuildError, MissingRuntimeError
from xomp.shared.runtimes import KNOWN, Runtime, find, parse_label, tasking_library


def choose(
    experiment: Experiment, wanted: Sequence[str] | None, offer: Offer | None, topology: str = ""
) -> tuple[dict[Config, Runtime], dict[str, str]]:
    """The configurations to run with their runtimes, and for the others why not."""
    configs = experiment.configs
    if wanted is not None:
        configs = tuple(_config(experiment, name) for name in wanted)
    found: dict[Config, Runtime] = {}
    missing: dict[str, str] = {}
    for config in configs:
        lack = config_lack(config, offer)
        if lack is None and topology and parse_label(config.label)[0] != "xomp":
            missing[config.name] = "only xomp runs on a described machine"
            continue
        if lack is None:
            try:
                compiler_for("c", config.compiler)
                found[config] = library_of(config, experiment.needs.apps)
                continue
            except (MissingRuntimeError, BuildError) as error:
                lack_text = in_one_line(error)
        else:
            lack_text = lack.reason.removeprefix(f"{config.name}: ")
        if wanted is not None and config not in experiment.configs:
            raise BadInputError(f"runtime '{config.name}': {lack_text}")
        missing[config.name] = lack_text
    return found, missing


def library_of(config: Config, used: Sequence[str]) -> Runtime:
    """Checked to be what the compiler's programs run on, of which the smallest is built. Another
    library of tasks is known by an application that is linked with it."""
    if not config.tasking:
        runtime = find(config.label)
        if lacks := lacking(build("hello", config.compiler), runtime):
            raise MissingRuntimeError(lacks)
        return runtime
    names = [f"{app}-{config.tasking}" for app in used]
    program = build(next((name for name in names if name in discover()), names[0]))
    return tasking_library(program, config.tasking)


def _config(experiment: Experiment, name: str) -> Config:
    """One of the experiment's, by the paper's name or by label, or another of the harness."""
    for config in experiment.configs:
        if name.lower() == config.name.lower() or name == config.label:
            return config
    if parse_label(name)[0] not in KNOWN:
        names = [*(config.name for config in experiment.configs), *KNOWN]
        raise BadInputError(unknown("runtime", name, names))
    return Config(name, name)


class Measurement(measure.Plan):
    """The harness's plan, with the command line by which it was asked for."""

    def head(self, arguments: Sequence[str]) -> dict:
        return {**super().head(arguments), "command": shlex.join(["xomp", "repro", *arguments])}


def execute(
    plan: Plan, runs: list[Run], seed: int, arguments: list[str], folder: Path, fresh: bool
) -> Measured:
    """Runs everything, each run on file in FOLDER/runs.jsonl at once; goes on where an equal one
    was interrupted, unless that is not wanted."""
    jobs = list({run.job.key: run.job for run in runs}.values())
    if not jobs:  # what is computed
        return Measured([], [], Measurement([]).head(arguments))
    wanted = Measurement(jobs, plan.rounds, seed=seed, skipped=plan.missing)
    path = folder / "runs.jsonl"
    resume = not fresh and _interrupted(path, wanted, arguments)
    if resume:
        print(f"goes on with the interrupted run in {path}", file=sys.stderr)
    results = measure.measure(wanted, arguments, path, resume)
    return Measured(runs, results.outcomes, results.head)


def _interrupted(path: Path, wanted: Measurement, arguments: list[str]) -> bool:
    """Whether the file is an unfinished run of the same plan with the same libraries."""
    try:
        earlier = store.read(path)
        store.check_resumable(earlier, wanted.head(arguments))
    except BadInputError:
        return False
    return not earlier.finished
