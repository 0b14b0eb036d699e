# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m xomp.bench`: the command line of the harness."""

from __future__ import annotations

import argparse
import sys

from xomp.bench import apps, demo, fib, icount, micro, report, startup
from xomp.bench.progress import Progress
from xomp.bench.rounds import failures, interleave
from xomp.bench.runtimes import MissingRuntimeError, fetch_libiomp5, find_all

COMPARISONS = (fib, startup, micro)  # made of interleaved jobs


def thread_list(text: str) -> list[int]:
    threads = [int(part) for part in text.split(",")]
    if min(threads) < 1:
        raise ValueError(text)
    return threads


def runtime_list(text: str) -> list[str]:
    """Labels between commas; a comma before KEY= belongs to the label before it."""
    labels: list[str] = []
    for part in text.split(","):
        if labels and "=" in part and "@" not in part:
            labels[-1] += f",{part}"
        else:
            labels.append(part)
    return labels


def add_common(parser: argparse.ArgumentParser, module) -> None:
    parser.add_argument(
        "--runtimes",
        type=runtime_list,
        default=runtime_list(module.RUNTIMES),
        help="comma-separated; NAME@KEY=VALUE,... runs NAME with settings "
        f"(default {module.RUNTIMES})",
    )
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for one run")
    threads = getattr(module, "THREADS", sorted({1, 2, report.processors()}))
    parser.add_argument("--threads", type=thread_list, default=threads, help="comma-separated")
    parser.add_argument("--baseline", default="libgomp", help="runtime of the last columns")
    parser.add_argument("--rounds", type=int, default=module.ROUNDS)
    parser.add_argument("--seed", type=int, default=1, help="of the order within a round")


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m xomp.bench", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for module in (*COMPARISONS, icount):
        command = commands.add_parser(module.NAME, help=module.HELP)
        module.add_options(command)
        add_common(command, module)
        command.set_defaults(run=count if module is icount else compare, module=module)
    command = commands.add_parser("demo", help=demo.HELP)
    demo.add_options(command)
    command.set_defaults(run=demo.main)
    command = commands.add_parser("peers", help="fetch Intel's libiomp5.so from PyPI")
    command.set_defaults(run=peers)
    return parser.parse_args(arguments)


def finish(options, runtimes, missing, outcomes, tables) -> int:
    for label, reason in missing.items():
        print(f"skipped {label}: {reason}", file=sys.stderr)
    saved = report.save(options.arguments, runtimes, missing, outcomes, tables)
    print(saved.read_text())
    print(f"saved as {saved} and .jsonl")
    failed = failures(outcomes)
    for outcome in failed:
        print(f"FAILED: {demo.describe(outcome.job)}: {outcome.failure}", file=sys.stderr)
    return 1 if failed else 0


def compare(options: argparse.Namespace) -> int:
    runtimes, missing = find_all(options.runtimes)
    jobs = options.module.jobs(options, runtimes, missing)
    with Progress(len(jobs) * (options.rounds + 1)) as progress:
        outcomes = interleave(jobs, options.rounds, seed=options.seed, progress=progress)
    tables = options.module.tables(options, jobs, outcomes)
    return finish(options, runtimes, missing, outcomes, tables)


def count(options: argparse.Namespace) -> int:
    runtimes, missing = find_all(options.runtimes)
    tables = icount.measure(options, runtimes, missing)
    return finish(options, runtimes, missing, [], tables)


def peers(options: argparse.Namespace) -> int:
    del options
    print(fetch_libiomp5())
    return 0


def main(arguments: list[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    options = parse(arguments)
    options.arguments = arguments
    try:
        return options.run(options)
    except (apps.BuildError, MissingRuntimeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
