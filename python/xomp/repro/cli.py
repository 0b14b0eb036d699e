# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp repro`: the command line. `list`, or the name of an experiment."""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from xomp.bench.errors import BadInputError, BuildError
from xomp.bench.paths import BUILD
from xomp.repro import catalogue, machine, offer, registry
from xomp.repro.execute import choose, execute
from xomp.repro.model import SIZES, Experiment, Result
from xomp.repro.plan import Plan
from xomp.repro.published import load
from xomp.repro.verdict import NO, judge
from xomp.repro.writing import published_text, write

ENOUGH_ROUNDS = 5
LIMIT, PAPER_LIMIT = 300.0, 7200.0  # seconds for one run
FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
USAGE = """\
xomp repro list [--paper N] [--markdown] [--no-reasons]
       xomp repro NAME [--paper N] [--size SIZE] [--threads LIST] [--rounds N] [--runtimes LIST]
                       [--data DIR] [--limit SECONDS] [--seed N] [--out DIR] [--fresh]
                       [--published]"""


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, whatever is wrong."""
        print(f"xomp repro: {message}", file=sys.stderr)
        raise SystemExit(BAD_INPUT)


def positive(text: str) -> int:
    if int(text) < 1:
        raise ValueError(text)
    return int(text)


def seconds(text: str) -> float:
    if not 0 < float(text) < float("inf"):
        raise ValueError(text)
    return float(text)


def threads(text: str) -> list[int]:
    return list(dict.fromkeys(positive(part) for part in text.split(",")))


def runtimes(text: str) -> list[str]:
    """Labels between commas; a comma before KEY= belongs to the label before it."""
    return re.split(r",(?!\w+=)", text)


def parser() -> Parser:
    made = Parser(prog="xomp repro", usage=USAGE, description="The papers' tables and figures.")
    made.add_argument("name", metavar="NAME", help="list, or an experiment: p1-fig7, fig7, table3")
    made.add_argument("--paper", type=int, choices=range(1, 6), help="which of the five papers")
    made.add_argument("--size", choices=SIZES, default="small", help="of the input")
    made.add_argument("--threads", type=threads, help="comma-separated")
    made.add_argument("--rounds", type=positive, help="repetitions of each run")
    made.add_argument(
        "--runtimes",
        type=runtimes,
        help="comma-separated: some of the paper's configurations, or other runtimes, for example "
        "xomp@XOMP_BARRIER=central",
    )
    made.add_argument("--data", type=Path, metavar="DIR", help="published input files")
    made.add_argument("--limit", type=seconds, help="seconds for one run")
    made.add_argument("--seed", type=int, default=1, help="of the order within a round")
    made.add_argument("--out", type=Path, metavar="DIR", help="default build/repro/NAME/SIZE")
    made.add_argument("--fresh", action="store_true", help="do not go on with an interrupted run")
    made.add_argument("--published", action="store_true", help="show the published values only")
    made.add_argument("--markdown", action="store_true", help="list: as in docs/repro.md")
    made.add_argument("--no-reasons", action="store_true", help="list: without what is lacking")
    return made


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


def reproduce(options: argparse.Namespace, experiment: Experiment, arguments: list[str]) -> int:
    library = offer.of_xomp()
    verdict = judge(experiment, library)
    if str(verdict) == NO:
        why = "; ".join(verdict.blocking)
        print(f"xomp repro: {experiment.id} cannot be run here: {why}", file=sys.stderr)
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
    measured = execute(plan, runs, options.seed, arguments, folder, options.fresh)
    result = cautious(experiment.result(plan, measured), plan)
    print(write(plan, result, measured, verdict, folder))
    print(f"saved in {folder}")
    for outcome in measured.failures():
        print(f"FAILED: {outcome.job.describe()}: {outcome.failure}", file=sys.stderr)
    return FAILED if measured.failures() else 0


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    try:
        if options.name == "list":
            catalogue.show(options.paper, options.markdown, not options.no_reasons)
            return 0
        experiment, remark = registry.find(options.name, options.paper)
        if remark:
            print(f"xomp repro: {remark}", file=sys.stderr)
        if experiment.drawing:
            print(f"{experiment.id} shows {experiment.drawing}: nothing to run.")
            return 0
        if options.published:
            print(published_text(load(experiment.paper, experiment.item)))
            return 0
        if options.data is not None and not options.data.is_dir():
            raise BadInputError(f"no folder '{options.data}'")
        return reproduce(options, experiment, arguments)
    except (registry.UnknownExperimentError, BadInputError) as error:
        print(f"xomp repro: {error}", file=sys.stderr)
        return BAD_INPUT
    except BuildError as error:
        print(f"xomp repro: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("xomp repro: interrupted; the same command goes on from here", file=sys.stderr)
        return INTERRUPTED
