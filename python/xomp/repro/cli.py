# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp repro`: `list`, or the name of an experiment."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from xomp.cli.values import number_list, runtime_list, seconds, whole
from xomp.errors import FAILED, BadInputError, InterruptedCommandError, tell
from xomp.repro import catalogue, offer, registry
from xomp.repro.execute import choose, execute
from xomp.repro.model import SIZES, Result
from xomp.repro.plan import Experiment, Plan
from xomp.repro.published import load
from xomp.repro.verdict import NO, judge
from xomp.repro.writing import published_text, write
from xomp.shared import machine
from xomp.shared.errors import BuildError
from xomp.shared.paths import BUILD, need_sources

ENOUGH_ROUNDS = 5
LIMIT, PAPER_LIMIT = 300.0, 7200.0  # seconds for one run
PAPERS = (1, 5)


@dataclass(frozen=True)
class Listing:
    """What `list` has."""

    markdown: Annotated[
        bool,
        typer.Option(
            "--markdown", help="As in docs/repro.md.", rich_help_panel="Of `xomp repro list`"
        ),
    ] = False
    no_reasons: Annotated[
        bool,
        typer.Option(
            "--no-reasons",
            help="Without what is lacking here.",
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


def default_threads(experiment: Experiment) -> tuple[int, ...]:
    most = machine.processors()
    if experiment.threads == "all":
        return (most,)
    powers = [1 << power for power in range(most.bit_length()) if 1 << power <= most]
    return tuple(sorted({*powers, most}))


def cautious(result: Result, plan: Plan) -> Result:
    """Two or three rounds have an interval, but one that means nothing, and the runs of size test
    are too short to be timed. An experiment that counts, and says so by needing fewer rounds, is
    believed."""
    why = None
    if plan.experiment.rounds >= ENOUGH_ROUNDS:
        why = "size test" if plan.size == "test" else None
        why = "too few rounds" if plan.rounds < ENOUGH_ROUNDS else why
    if why is None:
        return result
    claims = [
        claim
        if claim.holds is None
        else replace(claim, holds=None, evidence=f"{claim.evidence} ({why})")
        for claim in result.claims
    ]
    return replace(result, claims=claims)


def reproduce(context: typer.Context, options: Options, experiment: Experiment) -> int:
    need_sources()
    library = offer.of_xomp()
    verdict = judge(experiment, library)
    if str(verdict) == NO:
        why = "; ".join(verdict.blocking)
        tell("xomp repro", f"{experiment.id} cannot be run here: {why}")
        print(published_text(load(experiment.paper, experiment.item)))
        return FAILED
    chosen, missing = choose(experiment, options.runtimes, library)
    if not chosen:
        raise BadInputError("; ".join(f"{name}: {why}" for name, why in missing.items()))
    plan = Plan(
        experiment,
        options.size,
        tuple(options.threads or default_threads(experiment)),
        options.rounds or experiment.rounds,
        chosen,
        options.data.resolve() if options.data else None,
        options.limit or (PAPER_LIMIT if options.size == "paper" else LIMIT),
        missing,
    )
    folder = options.out or BUILD / "repro" / experiment.id / options.size
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInputError(f"cannot write to '{folder}': {error.strerror}") from error
    runs = experiment.jobs(plan)
    if not runs:
        why = "; ".join(f"{name}: {reason}" for name, reason in plan.missing.items())
        raise BuildError(f"{experiment.id} has nothing to run: {why or 'nothing was chosen'}")
    arguments = list(context.obj)[1:]
    try:
        measured = execute(plan, runs, options.seed, arguments, folder, options.fresh)
    except InterruptedCommandError:
        goes_on = "interrupted; the same command goes on from here"
        raise InterruptedCommandError(goes_on) from None
    result = cautious(experiment.result(plan, measured), plan)
    print(write(plan, result, measured, verdict, folder))
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
