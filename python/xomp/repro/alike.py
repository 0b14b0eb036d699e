# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which runs of an experiment are the same schedule on the machine at hand: settings that do
nothing with so few threads or locality domains. Found from the runs' own settings by what these
mean (docs/variables.md, docs/schedulers/), not from a list of experiments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xomp.repro.plan import Run
from xomp.repro.probes import records

AUXILIARIES = {"xqueue1": 1, "xqueue2": 2}  # queues of a worker; slb has one from each other worker
# The settings that only some schedulers read.
READ_BY = {
    "XOMP_VICTIMS": ("na-rp", "na-ws"),
    "XOMP_STEAL": ("na-rp", "na-ws"),
    "XOMP_INTERVAL": ("na-rp", "na-ws"),
    "XOMP_LOCAL": ("na-rp", "na-ws"),
    "XOMP_CHUNK": ("mts",),
    "XOMP_LOCALITY": ("mts",),
}
# These say something about several domains only.
OF_DOMAINS = ("XOMP_LOCAL", "XOMP_CHUNK", "XOMP_LOCALITY")
CALLING = ("spread", "locality")  # what variants that choose the domains of tasks are called
SERIAL = "serial"


@dataclass(frozen=True)
class Machine:
    """The real one, or one that is described (XOMP_TOPOLOGY)."""

    processors: int
    domains: int

    def domains_of(self, threads: int, bound: bool) -> int:
        """In how many locality domains the workers of a team are. Bound one after the other
        (`close`), they fill a domain before the next; else they are spread in equal blocks."""
        if not bound or threads > self.processors:
            return min(self.domains, threads)
        each = max(1, self.processors // self.domains)
        return min(self.domains, -(-threads // each))


@dataclass(frozen=True)
class Group:
    """Runs of one application with one number of threads that are the same, whatever they say."""

    app: str
    threads: int
    runs: tuple[Run, ...]

    @property
    def configs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(run.config for run in self.runs))


def in_force(settings: dict[str, str], threads: int, machine: Machine) -> dict[str, str]:
    """The settings of xomp that have an effect, with the simplest name of the scheduler."""
    bound = settings.get("OMP_PROC_BIND") == "close"
    domains = machine.domains_of(threads, bound)
    scheduler = settings.get("XOMP_SCHEDULER", "")
    if scheduler == "mts" and domains == 1:
        scheduler = "cq"  # all workers share one queue
    if scheduler in ("na-rp", "na-ws") and threads == 1:
        scheduler = "slb"  # nobody is there to ask
    if AUXILIARIES.get(scheduler, 0) >= threads - 1 and scheduler in AUXILIARIES:
        scheduler = "slb"
    kept = {}
    for name, value in settings.items():
        if name in READ_BY and scheduler not in READ_BY[name]:
            continue
        if name in OF_DOMAINS and domains == 1:
            continue
        if name == "XOMP_VICTIMS" and value.isdigit():
            value = str(min(int(value), threads - 1))  # there are no more
        kept[name] = value
    return {**kept, "XOMP_SCHEDULER": scheduler}


def groups(runs: Sequence[Run], machine: Machine) -> list[Group]:
    """Those of at least two runs that are the same schedule of the same program."""
    calling = {run.app for run in runs if run.job.case.variant.startswith(CALLING)}
    found: dict[tuple, list[Run]] = {}
    for run in runs:
        case = run.job.case
        if not records(run) or case.variant == SERIAL:
            continue
        settings = {**dict(case.variables), **run.job.runtime.settings}
        bound = settings.get("OMP_PROC_BIND") == "close"
        alone = run.app in calling and machine.domains_of(run.threads, bound) == 1
        key = (
            *(run.app, run.threads, run.job.program.name, case.app, case.size, case.compiler),
            "" if alone else case.variant,  # with one domain there is nothing to choose
            *case.parameters,
            *sorted(in_force(settings, run.threads, machine).items()),
        )
        found.setdefault(key, []).append(run)
    return [
        Group(each[0].app, each[0].threads, tuple(each)) for each in found.values() if len(each) > 1
    ]


def first_ones(runs: Sequence[Run], same: Sequence[Group]) -> list[Run]:
    """Without the settings of one configuration that repeat another of it."""
    repeated = set()
    for group in same:
        seen = set()
        for run in group.runs:
            if run.config in seen:
                repeated.add((run.config, run.app, run.threads, run.tag))
            seen.add(run.config)
    return [run for run in runs if (run.config, run.app, run.threads, run.tag) not in repeated]


def empty(runs: Sequence[Run], same: Sequence[Group]) -> bool:
    """Whether the experiment compares settings of one configuration, and all are the same."""
    compared = [run for run in runs if run.job.case.variant != SERIAL]
    if len({run.config for run in compared}) != 1:
        return False
    kept = first_ones(compared, same)
    places = {(run.app, run.threads) for run in compared}
    return len(kept) == len(places) < len(compared)


def pairs(same: Sequence[Group], threads: int) -> set[frozenset[str]]:
    """The configurations that are the same with so many threads."""
    return {
        frozenset((one, other))
        for group in same
        if group.threads == threads
        for one in group.configs
        for other in group.configs
        if one != other
    }


def without_effect(run: Run, machine: Machine) -> list[str]:
    """Which of its settings do nothing, and whether its scheduler is another one here."""
    settings = {**dict(run.job.case.variables), **run.job.runtime.settings}
    kept = in_force(settings, run.threads, machine)
    lines = [f"{run.config}: {name} does nothing" for name in settings if name not in kept]
    if kept["XOMP_SCHEDULER"] != settings.get("XOMP_SCHEDULER", ""):
        lines.append(f"{run.config}: the same as XOMP_SCHEDULER={kept['XOMP_SCHEDULER']}")
    return lines


def told(same: Sequence[Group], machine: Machine, runs: Sequence[Run] = ()) -> list[str]:
    """A line for each set of configurations, and one for each whose settings do nothing."""
    lines: dict[str, list[int]] = {}
    # Of those that are the same schedule as each other nothing else has to be said.
    equals = {
        (config, group.threads)
        for group in same
        if len(group.configs) > 1
        for config in group.configs
    }
    for run in runs:
        if (
            records(run)
            and run.job.case.variant != SERIAL
            and (run.config, run.threads) not in equals
        ):
            for line in without_effect(run, machine):
                lines.setdefault(line, []).append(run.threads)
    for group in same:
        if len(group.configs) > 1:
            line = f"{' = '.join(group.configs)}: the same schedule"
            lines.setdefault(line, []).append(group.threads)
        for config in group.configs:
            tags = [run.tag for run in group.runs if run.config == config]
            if len(tags) > 1:
                line = f"{config}, {group.app}: {len(tags)} settings are one, run as `{tags[0]}`"
                lines.setdefault(line, []).append(group.threads)
    plural = "s" if machine.domains > 1 else ""
    where = f"{machine.domains} locality domain{plural}"
    return [
        f"{line} with {', '.join(map(str, sorted(set(threads))))} thread"
        f"{'s' if max(threads) > 1 else ''} and {where}"
        for line, threads in lines.items()
    ]
