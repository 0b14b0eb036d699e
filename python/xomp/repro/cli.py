# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp repro`: `list`, or the name of an experiment."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from xomp.cli.values import number_list, runtime_list, seconds, whole
from xomp.errors import FAILED, BadInputError, InterruptedCommandError, tell
from xomp.repro import alike, catalogue, counting, offer, registry
from xomp.repro.doubt import cautious
from xomp.repro.execute import choose, execute
from xomp.repro.model import SIZES
from xomp.repro.plan import Experiment, Plan
from xomp.repro.published import load
from xomp.repro.verdict import NO, judge
from xomp.repro.writing import published_text, write
from xomp.shared import machine
from xomp.shared.errors import BuildError
from xomp.shared.paths import BUILD, need_sources

LIMIT, PAPER_LIMIT = 300.0, 7200.0  # seconds for one run
PAPERS = (1, 5)
REAL = "real"  # in place of a description
COUNTED = 3  # rounds on a described machine: counts differ from run to run, but nothing is timed


@dataclass(frozen=True)
class Listing:
    """What `list` has."""

    markdown: Annotated[
        bool,
        typer.Option(
            "--markdown",
            help="As in docs/results/experiments.md.",
            rich_help_panel="Of `xomp repro list`",
        ),
    ] = False
    no_reasons: Annotated[
        bool,
        typer.Option(
            "--no-reasons",
            help="Without what each needs, and what of it lacks here.",
            rich_help_panel="Of `xomp repro list`",
        ),
    ] = False


@dataclass(frozen=True)
class Options:
    """How an experiment is run."""

    size: Annotated[Literal[SIZES], typer.Option(help="Of the input.")] = "small"
    threads: Annotated[
        Sequence[int] | None,
        typer.Option(
            parser=number_list,
            metavar="LIST",
            help="Between commas.",
            show_default="as the paper varies them",
        ),
    ] = None
    rounds: Annotated[
        int | None,
        typer.Option(
            parser=whole(1),
            metavar="N",
            help="Repetitions of each run.",
            show_default="the paper's, or 5",
        ),
    ] = None
    runtimes: Annotated[
        Sequence[str] | None,
        typer.Option(
            parser=runtime_list,
            metavar="LIST",
            help="Between commas: some of the paper's configurations, or other runtimes, for "
            "example xomp@XOMP_BARRIER=central.",
            show_default="the paper's",
        ),
    ] = None
    topology: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Count on a machine that is described, for example 'pack:4 core:8 pu:1'; times "
            "are not shown then. `real` is the real one.",
            show_default="the real one, or where only counts are shown and it has one NUMA node "
            "one like the paper's",
        ),
    ] = None
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder of published input files.")
    ] = None
    limit: Annotated[
        float | None,
        typer.Option(
            parser=seconds,
            metavar="S",
            help="Seconds for one run.",
            show_default=f"{LIMIT:g}; {PAPER_LIMIT:g} for size paper",
        ),
    ] = None
    seed: Annotated[
        int, typer.Option(parser=whole(), metavar="N", help="Of the order within a round.")
    ] = 1
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="The folder of results.", show_default="build/repro/NAME/SIZE"
        ),
    ] = None
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Do not go on with an interrupted run.")
    ] = False


def default_threads(experiment: Experiment, described: alike.Machine | None) -> tuple[int, ...]:
    """On a described machine, where all share the few processors, not one number after another."""
    most = described.processors if described else machine.processors()
    if experiment.threads == "all" or described:
        return (most,)
    powers = [1 << power for power in range(most.bit_length()) if 1 << power <= most]
    return tuple(sorted({*powers, most}))


def described(experiment: Experiment, asked: str | None) -> str:
    """The machine to describe. Without being asked, one with the paper's cores and NUMA nodes,
    where the experiment shows counts only, and the real one has a single node."""
    if asked is not None:
        return "" if asked == REAL else with_nodes(asked)
    needs = experiment.needs
    if experiment.counts and needs.nodes > 1 and machine.nodes() == 1:
        return f"numa:{needs.nodes} core:{needs.cores // needs.nodes} pu:1"
    return ""


def with_nodes(topology: str) -> str:
    """A locality domain is a NUMA node; the papers' is a chip. So where no nodes are described,
    each package has one."""
    if re.search(r"numa|node", topology, re.IGNORECASE):
        return topology
    return re.sub(r"\b((?:pack|package|socket):\d+)", r"\1 [numa]", topology, flags=re.IGNORECASE)


def usable(topology: str, library: offer.Offer | None) -> alike.Machine:
    """The machine on which the runs will believe to be."""
    if library is None:
        return alike.Machine(machine.processors(), machine.nodes())
    return alike.Machine(*library.machine(topology))


def reproduce(context: typer.Context, options: Options, experiment: Experiment) -> int:
    need_sources()
    library = offer.of_xomp()
    verdict = judge(experiment, library)
    if str(verdict) == NO:
        why = "; ".join(verdict.blocking)
        tell("xomp repro", f"{experiment.id} cannot be run here: {why}")
        print(published_text(load(experiment.paper, experiment.item)))
        return FAILED
    topology = described(experiment, options.topology)
    here = usable(topology, library)
    chosen, missing = choose(experiment, options.runtimes, library, topology)
    if not chosen and experiment.configs:
        raise BadInputError("; ".join(f"{name}: {why}" for name, why in missing.items()))
    plan = Plan(
        experiment,
        options.size,
        tuple(options.threads or default_threads(experiment, here if topology else None)),
        options.rounds or (min(COUNTED, experiment.rounds) if topology else experiment.rounds),
        chosen,
        options.data.resolve() if options.data else None,
        options.limit or (PAPER_LIMIT if options.size == "paper" else LIMIT),
        missing,
        topology=topology,
    )
    folder = options.out or BUILD / "repro" / experiment.id / options.size
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInputError(f"cannot write to '{folder}': {error.strerror}") from error
    runs = experiment.jobs(plan) if experiment.jobs else []
    counted = bool(topology) and not experiment.counts
    if counted:
        runs = counting.jobs(plan, runs)
    if not runs and experiment.jobs:
        why = "; ".join(f"{name}: {reason}" for name, reason in plan.missing.items())
        raise BuildError(f"{experiment.id} has nothing to run: {why or 'nothing was chosen'}")
    same = alike.groups(runs, here)
    if alike.empty(runs, same):
        tell(
            "xomp repro",
            f"{experiment.id} would compare nothing: {'; '.join(alike.told(same, here))}",
        )
        tell("xomp repro", "--topology 'numa:4 core:8 pu:1' counts on a described machine")
        return FAILED
    labels = alike.told(same, here, runs)
    runs = alike.first_ones(runs, same)
    arguments = list(context.obj)[1:]
    try:
        measured = execute(plan, runs, options.seed, arguments, folder, options.fresh)
    except InterruptedCommandError:
        goes_on = "interrupted; the same command goes on from here"
        raise InterruptedCommandError(goes_on) from None
    show = counting.result if counted else experiment.result
    pairs = alike.pairs(same, plan.most)
    result = cautious(show(plan, measured), plan, measured.head, pairs)
    print(write(plan, result, measured, verdict, folder, labels))
    print(f"saved in {folder}")
    for outcome in measured.failures():
        print(f"FAILED: {outcome.job.describe()}: {outcome.failure}", file=sys.stderr)
    return FAILED if measured.failures() else 0


def repro(
    context: typer.Context,
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="list, or an experiment: p1-fig7, fig7, table3."),
    ],
    options: Options,
    listing: Listing,
    paper: Annotated[
        int | None,
        typer.Option(parser=whole(*PAPERS), metavar="N", help="Which of the five papers."),
    ] = None,
    published: Annotated[
        bool, typer.Option("--published", help="Show the published values only.")
    ] = False,
    details: Annotated[
        bool,
        typer.Option("--details", help="Say what it needs, and what lacks here; run nothing."),
    ] = False,
) -> int:
    if name == registry.LIST:
        catalogue.show(paper, listing.markdown, not listing.no_reasons)
        return 0
    experiment, remark = registry.find(name, paper)
    if remark:
        tell("xomp repro", remark)
    if details:
        print(catalogue.details(experiment))
        return 0
    if experiment.drawing:
        print(f"{experiment.id} shows {experiment.drawing}: nothing to run.")
        return 0
    if published:
        print(published_text(load(experiment.paper, experiment.item)))
        return 0
    if options.data is not None and not options.data.is_dir():
        raise BadInputError(f"no folder '{options.data}'")
    return reproduce(context, options, experiment)
