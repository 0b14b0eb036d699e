# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of `xomp repro` share: experiments of a paper, their runs at size test, and runs
from end to end."""

from __future__ import annotations

import json
from pathlib import Path

from xomp.repro import registry
from xomp.repro.model import Config
from xomp.repro.plan import Experiment, Plan, Run
from xomp.shared import apps, runtimes
from xomp.shared.errors import BuildError
from xomp.start import main as xomp

PEERS = ("libgomp", "xomp")  # what every machine that runs the tests has


def experiments(paper: int) -> dict[str, Experiment]:
    return {e.item: e for e in registry.all_experiments() if e.paper == paper}


def configurations(experiment: Experiment) -> dict[Config, runtimes.Runtime]:
    """As if xomp could do all that the paper needs; without the compilers and libraries of tasks
    that are not here."""
    found = {}
    for config in experiment.configs:
        try:
            apps.compiler_for("c", config.compiler)
            if config.tasking:
                apps.build(f"{experiment.needs.apps[0]}-{config.tasking}")
        except BuildError:
            continue
        if config.label:
            found[config] = stand_in(config)
    return found


def stand_in(config: Config) -> runtimes.Runtime:
    """The configuration on a runtime that is here, for lists of runs that nobody starts."""
    name, settings = runtimes.parse_label(config.label)
    found = runtimes.find("xomp" if name == "xomp" else "libgomp")
    return runtimes.Runtime(config.label, found.library, found.folder, settings)


def runs(experiment: Experiment, size: str = "test") -> list[Run]:
    """The runs of an experiment as if xomp could do all that the paper needs."""
    return experiment.jobs(Plan(experiment, size, (1, 2), 1, configurations(experiment)))


def check_runs(found: list[Run]) -> None:
    """Every application exists, and has the size, the variant and the parameters that it gets."""
    for run in found:
        told = apps.describe(run.app)
        words = list(run.job.arguments)
        words = words[words.index("--size") :]
        options = {name.removeprefix("--"): value for name, value in pairs(words)}
        assert options.pop("size") in ("test", "paper")
        variant = options.pop("variant", None)
        if variant is not None:
            assert variant in [each["name"] for each in told["variants"]]
        assert options.keys() <= {parameter["name"] for parameter in told["parameters"]}
    words = [(run.config, run.app, run.threads, run.tag) for run in found]
    assert len(set(words)) == len(words)  # so that each is found again


def pairs(words: list[str]) -> list[tuple[str, str]]:
    return list(zip(words[::2], words[1::2], strict=True))


def reproduce(capsys, folder: Path, *arguments: str) -> dict:
    """Runs `xomp repro` with the arguments, and returns the result that it saved."""
    status = xomp(["repro", *arguments, "--size", "test", "--out", str(folder)])
    out, err = capsys.readouterr()
    assert status == 0, out + err
    result = json.loads((folder / "result.json").read_text())
    assert result["failures"] == 0
    assert (folder / "result.md").read_text().strip() in out
    return result
