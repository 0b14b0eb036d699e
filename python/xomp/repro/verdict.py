# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether an experiment can be done: its needs against what the machine and the library offer."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from xomp.repro.model import Config
from xomp.repro.offer import Offer
from xomp.repro.plan import Experiment
from xomp.shared import apps, machine, runtimes
from xomp.shared.errors import BuildError, MissingRuntimeError

NO_APP, NO_XOMP = "no application ", "xomp has no "
NOT_BUILT, YET = "xomp is not built", " yet"
MEM = "perf mem"
ALIKE = (NO_APP, NO_XOMP)
YES, PARTLY, NO, DRAWING = "yes", "partly", "no", "drawing"


@dataclass(frozen=True)
class Lack:
    name: str
    reason: str


@dataclass(frozen=True)
class Verdict:
    machine: tuple[Lack, ...]  # what is lacking of the machine and of what is installed
    xomp: tuple[Lack, ...]  # what xomp does not have yet
    essential: frozenset[str]
    drawing: bool = False

    @property
    def lacks(self) -> tuple[Lack, ...]:
        return (*self.machine, *self.xomp)

    @property
    def reasons(self) -> list[str]:
        return merged(self.lacks)

    @property
    def blocking(self) -> list[str]:
        """Only what makes it impossible."""
        return merged(lack for lack in self.lacks if lack.name in self.essential)

    def __str__(self) -> str:
        if self.drawing:
            return DRAWING
        if self.blocking:
            return NO
        return PARTLY if self.lacks else YES


def merged(lacks: Iterable[Lack]) -> list[str]:
    """A reason each; what begins alike is said once: no application fft, sort."""
    found: dict[str, list[str]] = {}
    for lack in lacks:
        start = next((start for start in ALIKE if lack.reason.startswith(start)), "")
        rest = lack.reason.removeprefix(start).removesuffix(YET)
        found.setdefault(start or lack.reason, []).append(rest)
    return [
        start + ", ".join(rests) + (YET if start == NO_XOMP else "") if start in ALIKE else start
        for start, rests in found.items()
    ]


def config_lack(config: Config, offer: Offer | None) -> Lack | None:
    """Why a configuration of the paper cannot be run here, whatever the machine."""
    if config.label is None:
        return Lack(config.name, f"{config.name}: {config.note}")
    name, wanted = runtimes.parse_label(config.label)
    if name != "xomp":
        return None
    if offer is None:
        return Lack(config.name, NOT_BUILT)
    ours = {key: value for key, value in wanted.items() if key.startswith("XOMP_")}
    for key, value in ours.items():
        if not offer.accepts(key, value, ours):
            return Lack(config.name, f"{NO_XOMP}{key}={value} ({config.name}){YET}")
    return None


def judge(experiment: Experiment, offer: Offer | None) -> Verdict:
    needs = experiment.needs
    if experiment.drawing:
        return Verdict((), (), needs.essential, drawing=True)
    lacks = (config_lack(config, offer) for config in experiment.configs)
    of_configs = [lack for lack in lacks if lack]
    ours = [lack for lack in of_configs if lack.reason.startswith((NO_XOMP, NOT_BUILT))]
    foreign = [lack for lack in of_configs if lack not in ours]
    of_machine = (*machine_lacks(experiment), *foreign)
    of_xomp = (*ours, *library_lacks(experiment, offer))
    names = {lack.name for lack in (*of_machine, *of_xomp)}
    essential = needs.essential
    for all_of in (needs.apps, [config.name for config in experiment.configs], needs.any_of):
        if all_of and names.issuperset(all_of):
            essential |= set(all_of)
    return Verdict(of_machine, of_xomp, essential)


def machine_lacks(experiment: Experiment) -> list[Lack]:
    needs, lacks = experiment.needs, []
    if machine.processors() < needs.cores:
        lacks.append(Lack("cores", f"{machine.processors()} of {needs.cores} cores"))
    if machine.nodes() < needs.nodes:
        lacks.append(Lack("nodes", f"{machine.nodes()} of {needs.nodes} NUMA nodes"))
    if needs.architecture not in ("", machine.architecture()):
        text = f"{machine.architecture()} instead of {needs.architecture}"
        lacks.append(Lack("architecture", text))
    if machine.memory() < needs.memory:
        text = f"{machine.memory():.0f} of {needs.memory:g} GiB of memory for size paper"
        lacks.append(Lack("memory", text))
    for event in needs.events:
        if reason := machine.event(event):
            lacks.append(Lack(event, f"no hardware counter {event} ({reason})"))
    for program in needs.programs:
        if program == MEM:
            if reason := loads_lack():
                lacks.append(Lack(MEM, f"latency of loads: not offered here ({reason})"))
        elif not machine.program(program):
            lacks.append(Lack(program, f"{program} is not installed"))
    for app in needs.apps:
        if app not in apps.discover():
            lacks.append(Lack(app, f"{NO_APP}{app}"))
    for config in experiment.configs:
        if config.label and (reason := absent(config, needs.apps)):
            lacks.append(Lack(config.name, f"{config.name}: {reason}"))
    return lacks


@cache
def loads_lack() -> str | None:
    """Why the processor does not tell how long loads take; None if it does."""
    if not machine.program("perf"):
        return "perf is not installed"
    with tempfile.TemporaryDirectory() as folder:
        command = ["perf", "mem", "-t", "load", "record", "-o", f"{folder}/data", "true"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = done.stderr.strip().splitlines() or ["perf refuses"]
    return None if done.returncode == 0 else lines[-1].removeprefix("failed: ")


def absent(config: Config, used: tuple[str, ...]) -> str | None:
    """Why the machine has not what a configuration consists of; xomp itself is asked elsewhere."""
    if config.tasking:
        there = [app for app in used if f"{app}-{config.tasking}" in apps.discover()]
        return None if there else f"no application is written for {config.label}"
    name = runtimes.parse_label(config.label)[0]
    try:
        apps.compiler_for("c", config.compiler)
        if name != "xomp":
            runtimes.locate(name)
    except (MissingRuntimeError, BuildError) as error:
        return str(error)
    return None


def library_lacks(experiment: Experiment, offer: Offer | None) -> list[Lack]:
    if offer is None:
        return []
    needs, lacks = experiment.needs, []
    for name in needs.variables:
        if name not in offer.settings:
            lacks.append(Lack(name, f"{NO_XOMP}{name}{YET}"))
    for name in needs.symbols:
        if name not in offer.symbols:
            lacks.append(Lack(name, f"{NO_XOMP}{name}{YET}"))
    missing = [name for name in needs.statistics if name not in offer.statistics]
    if missing:
        text = f"xomp does not count {', '.join(missing)} yet"
        lacks.append(Lack("statistics", text))
    return lacks
