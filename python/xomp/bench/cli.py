# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of `xomp bench`. Exit status: 0; 1 if something failed or got slower; 2 for bad
input, with one line that says what; 130 when interrupted."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from xomp.bench import (
    balance,
    compare,
    demo,
    efficiency,
    fib,
    icount,
    listing,
    means,
    memory,
    micro,
    plan,
    plot,
    report,
    setup,
    startup,
    store,
    sweep,
    tables,
)
from xomp.bench.errors import BadInputError, BuildError, MissingRuntimeError
from xomp.bench.machine import processors
from xomp.bench.measure import Plan, measure
from xomp.bench.rounds import failures, interleave
from xomp.bench.run import Job
from xomp.bench.runtimes import find_all

MOST_ROWS = 50
MOST_THREADS = 1 << 22  # Linux has no numbers for more (PID_MAX_LIMIT)
COMPARISONS = (
    fib,
    startup,
    memory,
    micro,
    balance,
    efficiency,
)  # with a plan and tables of their own
PEERS = "libgomp,libomp,libiomp5,xomp"
ALL_ROUNDS, ALL_BUDGET = 9, 600.0  # `all` is to end within twelve minutes on two processors


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line; the usage is what --help is for."""
        raise BadInputError(message)


def number_list(text: str) -> list[int]:
    """Numbers of threads between commas; more than the system can number are none.

    4x is four times the processors.
    """
    try:
        numbers = [
            int(part[:-1]) * processors() if part.endswith("x") else int(part)
            for part in text.split(",")
        ]
    except ValueError:
        numbers = [0]
    if min(numbers) < 1 or max(numbers) > MOST_THREADS:
        raise argparse.ArgumentTypeError(
            f"expected numbers from 1 to {MOST_THREADS} between commas, not {text!r}"
        )
    return list(dict.fromkeys(numbers))


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a number from 1, not {text!r}")
    return int(text)


def count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a number from 0, not {text!r}")
    return int(text)


def duration(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"expected seconds above 0, not {text!r}")
    return value


def runtime_list(text: str) -> list[str]:
    """Labels between commas; a comma before KEY= belongs to the label before it."""
    labels: list[str] = []
    for part in text.split(","):
        if labels and "=" in part and "@" not in part:
            labels[-1] += f",{part}"
        else:
            labels.append(part)
    return labels


def words(text: str) -> list[str]:
    return list(dict.fromkeys(text.split(",")))


def add_plan_options(parser: argparse.ArgumentParser, runtimes: str, rounds: int) -> None:
    """What every measuring command has."""
    parser.add_argument(
        "--runtimes",
        type=runtime_list,
        default=runtime_list(runtimes),
        metavar="LIST",
        help="between commas; NAME@KEY=VALUE,... runs NAME with variables, NAME@LIBRARY=PATH "
        f"another build of it (default {runtimes})",
    )
    parser.add_argument(
        "--threads",
        type=number_list,
        metavar="LIST",
        help="between commas; 4x: four for each processor",
    )
    parser.add_argument("--rounds", type=positive, default=rounds, help=f"default {rounds}")
    parser.add_argument("--warmups", type=count, default=1, help="rounds before them, not counted")
    parser.add_argument(
        "--limit", type=duration, default=120.0, metavar="S", help="seconds for one run"
    )
    parser.add_argument("--budget", type=duration, metavar="S", help="begin no round after it")
    parser.add_argument("--baseline", default="libgomp", metavar="RUNTIME", help="of the ratios")
    parser.add_argument("--seed", type=int, default=1, help="of the order within each round")
    parser.add_argument("--output", type=Path, metavar="FILE", help="results (JSON lines)")
    parser.add_argument(
        "--resume", action="store_true", help="go on with the same plan where it was interrupted"
    )


def add_case_options(parser: argparse.ArgumentParser) -> None:
    """What the commands that run applications have."""
    parser.add_argument("--size", type=words, default=["small"], metavar="LIST")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a parameter of the application (or APP.KEY for one of several), or an OMP_*, XOMP_*, "
        "GOMP_* or KMP_* variable; the same KEY again is an axis",
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="the published input files")
    parser.add_argument(
        "--compiler", type=words, default=["gcc"], metavar="LIST", help="gcc (default), clang"
    )
    parser.add_argument("--no-plot", action="store_true", help="write no PNG and SVG")


def make_parser() -> Parser:
    parser = Parser(prog="xomp bench", description="Compare OpenMP runtimes.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    command = commands.add_parser("list", help="applications, variants, sizes, parameters, peers")
    listing.add_options(command)
    command.set_defaults(run=listing.main)

    command = commands.add_parser("setup", help="install the peers; say what is missing")
    setup.add_options(command)
    command.set_defaults(run=setup.main)

    command = commands.add_parser("peers", help="fetch Intel's libiomp5.so from PyPI")
    command.set_defaults(run=setup.peers)

    about = "APP, APP:VARIANT, APP:all, or all"
    command = commands.add_parser("run", help="applications on the runtimes")
    command.add_argument("apps", nargs="+", metavar="APP[:VARIANT]", help=about)
    add_plan_options(command, PEERS, rounds=7)
    add_case_options(command)
    command.set_defaults(run=run_apps, executor="local")

    command = commands.add_parser("all", help="the table of all applications on all runtimes")
    add_plan_options(command, PEERS, rounds=ALL_ROUNDS)
    add_case_options(command)
    command.set_defaults(run=run_apps, executor="local", apps=["all"], budget=ALL_BUDGET)

    command = commands.add_parser("sweep", help="as run, on many machines by Parsl")
    command.add_argument("apps", nargs="+", metavar="APP[:VARIANT]", help=about)
    add_plan_options(command, PEERS, rounds=7)
    add_case_options(command)
    command.add_argument("--executor", default="local", help=sweep.EXECUTOR_HELP)
    command.set_defaults(run=run_apps)

    for module in COMPARISONS:
        command = commands.add_parser(module.NAME, help=module.HELP)
        module.add_options(command)
        add_plan_options(command, module.RUNTIMES, module.ROUNDS)
        command.set_defaults(run=run_comparison, module=module, **getattr(module, "DEFAULTS", {}))
    command = commands.add_parser(icount.NAME, help=icount.HELP)
    icount.add_options(command)
    command.add_argument("--runtimes", type=runtime_list, default=runtime_list(icount.RUNTIMES))
    command.add_argument("--limit", type=duration, default=120.0)
    command.set_defaults(run=icount.main)

    command = commands.add_parser("demo", help=demo.HELP)
    demo.add_options(command)
    command.set_defaults(run=demo.main)

    command = commands.add_parser("compare", help=compare.HELP)
    compare.add_options(command)
    command.set_defaults(run=compare.main)

    command = commands.add_parser("report", help="tables and plots of a results file")
    command.add_argument("results", type=Path, metavar="FILE")
    command.add_argument(
        "--baseline", metavar="RUNTIME", help="of the ratios (default: the file's)"
    )
    command.add_argument("--output", type=Path, metavar="STEM", help="default: beside FILE")
    command.add_argument("--no-plot", action="store_true", help="write no PNG and SVG")
    command.add_argument(
        "--into",
        type=Path,
        metavar="PAGE",
        help="replace the tables between <!-- COMMAND --> and <!-- end of COMMAND --> instead",
    )
    command.add_argument(
        "--under", metavar="NAME", help="with --into: <!-- NAME --> (default: the command)"
    )
    command.set_defaults(run=render)
    return parser


def finish(results: store.Results, shown: Sequence[report.Table]) -> int:
    """Shows and saves the tables, and the failures; the exit status.

    What does not fit on a screen is in the saved page only.
    """
    report.show([table for table in shown if len(table.rows) <= MOST_ROWS] or shown[:1])
    page = report.write_page(results.path, results.head, shown)
    print(f"results: {results.path}\ntables:  {page}")
    failed = failures(results.outcomes)
    for outcome in failed:
        print(f"FAILED: {outcome.job.describe()}: {outcome.failure}", file=sys.stderr)
    return 1 if failed else 0


def refuse_to_overwrite(options: argparse.Namespace) -> None:
    if options.output and options.output.exists() and not options.resume:
        raise BadInputError(f"{options.output} exists; go on with --resume, or take another name")


def plan_of(options: argparse.Namespace, jobs: list[Job], skipped: dict[str, str]) -> Plan:
    """What the options say about running these jobs; tells what is left out."""
    for label, reason in skipped.items():
        print(f"skipped {label}: {reason}", file=sys.stderr)
    if not jobs:
        raise BadInputError("nothing to run")
    known = dict.fromkeys(job.runtime.label for job in jobs)
    if options.baseline not in known:
        print(f"no ratios: {options.baseline} is not among {', '.join(known)}", file=sys.stderr)
    return Plan(
        jobs,
        options.rounds,
        options.warmups,
        options.seed,
        options.budget,
        options.baseline,
        skipped,
    )


def application_tables(results: store.Results) -> list[report.Table]:
    overview = means.table(results)
    return [*([overview] if overview.rows else []), *tables.for_results(results)]


def run_apps(options: argparse.Namespace) -> int:
    refuse_to_overwrite(options)
    execute = sweep.executor(options.executor, interleave)
    settings = plan.parse_settings(options.set)
    found = plan.select(options.apps, options.size, settings, options.data, options.compiler)
    runtimes, skipped = find_all(options.runtimes)
    skipped.update(found.skipped)
    threads = options.threads or sorted({1, processors()})
    jobs = plan.jobs(found.cases, runtimes, threads, options.limit, skipped)
    if options.command == "all":  # for the sizes of the tasks
        base = [runtime for runtime in runtimes if runtime.label == options.baseline]
        jobs += plan.jobs(plan.serial_cases(found.cases), base, [1], options.limit)
    for name, reason in found.broken.items():
        print(f"FAILED: {name} cannot be built: {reason}", file=sys.stderr)
    whole = plan_of(options, jobs, skipped)
    results = measure(whole, options.arguments, options.output, options.resume, execute)
    status = finish(results, application_tables(results))
    if not options.no_plot:
        tell_plots(plot.results(results, results.path))
    return 1 if found.broken else status


def tell_plots(paths: Sequence[Path]) -> None:
    if paths:
        print(f"plots:   {' '.join(map(str, paths))}")


def run_comparison(options: argparse.Namespace) -> int:
    refuse_to_overwrite(options)
    module = options.module
    if module is balance:
        balance.settle(options)
    options.threads = options.threads or getattr(module, "THREADS", sorted({1, processors()}))
    runtimes, skipped = find_all(options.runtimes)
    jobs = module.jobs(options, runtimes, skipped)
    whole = plan_of(options, jobs, skipped)
    execute = getattr(module, "execute", interleave)
    results = measure(whole, options.arguments, options.output, options.resume, execute)
    return finish(results, module.tables(results))


def render(options: argparse.Namespace) -> int:
    """The tables again; of a run of applications also the plots."""
    results = store.read(options.results)
    if options.baseline:
        results.head["baseline"] = options.baseline
    report.about(results.head)  # before anything is shown, as it refuses a head that is not whole
    command = results.command
    module = next((each for each in (*COMPARISONS, icount, demo) if command == each.NAME), None)
    shown = module.tables(results) if module else application_tables(results)
    report.show(shown)
    if options.into:
        # Every single measurement would be too much for a page that is read.
        name = options.under or command
        report.insert(options.into, name, results.head, shown if module else shown[:-1])
        return 0
    stem = options.output or options.results
    print(f"tables:  {report.write_page(stem, results.head, shown)}")
    if not module and not options.no_plot:
        tell_plots(plot.results(results, stem))
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        options = make_parser().parse_args(arguments)
        options.arguments = arguments
        status = options.run(options)
        sys.stdout.flush()
        return status
    except BadInputError as error:
        print(f"xomp bench: {error}", file=sys.stderr)
        return 2
    except (BuildError, MissingRuntimeError) as error:
        print(f"xomp bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read the tables has seen enough; Python need not say so
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
