# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An experiment, and a plan: what the command line chose for it. An experiment makes its runs with
the plan, and looks its outcomes up by the words with which it made them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from xomp.bench.plan import make_job
from xomp.bench.rounds import series
from xomp.bench.run import Case, Job, Outcome, seconds
from xomp.bench.stats import Summary, summarize
from xomp.repro.model import Config, Needs, Result
from xomp.shared import apps
from xomp.shared.errors import BuildError
from xomp.shared.runtimes import Runtime, tasking_library


@dataclass(frozen=True)
class Experiment:
    """A table or figure. `jobs` makes the runs, `result` makes of their outcomes what is shown."""

    paper: int
    item: str  # fig7, table3, lambda
    title: str
    section: str
    needs: Needs = field(default_factory=Needs)
    configs: tuple[Config, ...] = ()
    settings: dict[str, str] = field(default_factory=dict, hash=False)  # OMP_*, for every run
    rounds: int = 5
    threads: str = "all"  # by default: "all" processors, or a "scale" from one to all
    drawing: str = ""  # what it shows, if it is a drawing or a listing: nothing to run
    counts: bool = False  # it shows no times, so a described machine is as good as a real one
    jobs: Callable[[Plan], list[Run]] | None = field(default=None, hash=False)
    result: Callable[[Plan, Measured], Result] | None = field(default=None, hash=False)

    @property
    def id(self) -> str:
        return f"p{self.paper}-{self.item}"

    @property
    def name(self) -> str:
        """As the paper counts: Fig. 7, Table 3."""
        for short, long in (("fig", "Fig. "), ("table", "Table ")):
            if self.item.startswith(short):
                return long + self.item.removeprefix(short)
        return self.item


def in_one_line(error: Exception) -> str:
    """Of a compiler's complaints the first error."""
    lines = str(error).splitlines() or [""]
    return lines[0] if len(lines) == 1 else next((x for x in lines if "error:" in x), lines[-1])


@dataclass(frozen=True)
class Run:
    """A job, and the words by which its outcomes are found again."""

    config: str
    app: str
    threads: int
    tag: str  # whatever else tells two runs of an experiment apart
    job: Job


@dataclass
class Plan:
    experiment: Experiment
    size: str
    threads: tuple[int, ...]
    rounds: int
    runtimes: dict[Config, Runtime]  # those of the paper's that are here, and those asked for
    data: Path | None = None
    limit: float = 120.0
    missing: dict[str, str] = field(default_factory=dict)  # configurations and applications
    facts: dict[str, object] = field(default_factory=dict)  # found out while the runs are made
    topology: str = ""  # of a described machine, as XOMP_TOPOLOGY has it

    @property
    def most(self) -> int:
        return max(self.threads)

    @property
    def configs(self) -> list[str]:
        return [config.name for config in self.runtimes]

    @property
    def apps(self) -> list[str]:
        """The applications of the experiment that can be built here."""
        usable = []
        for name in self.experiment.needs.apps:
            if name not in apps.discover():
                self.missing[name] = "no such application here"
                continue
            try:
                apps.build(name)
            except BuildError as error:
                self.missing[name] = in_one_line(error)
            else:
                usable.append(name)
        return usable

    def _described(self) -> dict[str, str]:
        return {"XOMP_TOPOLOGY": self.topology} if self.topology else {}

    def variant(self, app: str, *wanted: str) -> str | None:
        """The first of the variants that the application has."""
        there = [variant["name"] for variant in apps.describe(app)["variants"]]
        return next((name for name in wanted if name in there), None)

    def run(
        self,
        config: str,
        app: str,
        threads: int,
        variant: str | None = None,
        tag: str = "",
        settings: dict[str, str] | None = None,
        size: str | None = None,
        with_data: bool = True,
        **parameters: object,
    ) -> Run:
        """One application on one runtime. Parameters are the application's, n=40 for --n 40."""
        chosen, runtime = next((c, r) for c, r in self.runtimes.items() if c.name == config)
        program = app
        if chosen.tasking:
            program = f"{app}-{chosen.tasking}"
            runtime = tasking_library(apps.build(program), chosen.tasking)
        case = Case(
            program,
            variant or apps.describe(program)["variants"][0]["name"],
            size or self.size,
            tuple((name.replace("_", "-"), str(value)) for name, value in parameters.items()),
            tuple({**self.experiment.settings, **self._described(), **(settings or {})}.items()),
            chosen.compiler,
            str(self.data) if self.data and with_data else None,
        )
        return Run(config, app, threads, tag, make_job(case, runtime, threads, self.limit))


class Measured:
    """The outcomes of an experiment, found by configuration, application, threads and tag."""

    def __init__(
        self, runs: Sequence[Run], outcomes: Iterable[Outcome], head: dict | None = None
    ) -> None:
        self.head = head or {}  # where and when it was measured
        self.runs = list(runs)
        self.outcomes = list(outcomes)
        self.by_key: dict[tuple, list[Outcome]] = {}
        for outcome in self.outcomes:
            self.by_key.setdefault(outcome.job.key, []).append(outcome)

    def find(self, **words: object) -> list[Run]:
        return [
            run
            for run in self.runs
            if all(getattr(run, name) == value for name, value in words.items())
        ]

    def series(
        self, value: Callable[[Outcome], float] = seconds, **words: object
    ) -> dict[int, float]:
        """The measured values by round; empty if there is no such run or none succeeded."""
        found = self.find(**words)
        if len(found) > 1:
            raise ValueError(f"{words} is not one run but {len(found)}")
        if not found:
            return {}
        job = found[0].job
        return series(self.by_key.get(job.key, ()), job, value)

    def summary(
        self, value: Callable[[Outcome], float] = seconds, **words: object
    ) -> Summary | None:
        values = list(self.series(value, **words).values())
        return summarize(values) if values else None

    def median(self, value: Callable[[Outcome], float] = seconds, **words: object) -> float | None:
        summary = self.summary(value, **words)
        return summary.median if summary else None

    def failures(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.failure is not None]
