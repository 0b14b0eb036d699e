# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of the conformance run: options, the order of the phases, the exit status."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import time
from pathlib import Path

from xomp.conformance import build, execute, machine, plan, report, selection, source, suite
from xomp.conformance.execute import Runtime
from xomp.conformance.progress import Progress
from xomp.conformance.store import Store

_DEFAULT_VARIANTS = ("default", "central:XOMP_BARRIER=central", "tree:XOMP_BARRIER=tree")
_VARIANT = re.compile(r"^[A-Za-z0-9._+-]+(:[A-Z_][A-Z0-9_]*=[^,]*(,[A-Z_][A-Z0-9_]*=[^,]*)*)?$")

OK, REGRESSED, BAD_USAGE, INTERRUPTED = 0, 1, 2, 130


class UsageError(ValueError):
    """Something that was asked for cannot be done; the text says what to do instead."""


def main(argv: list[str] | None = None) -> int:
    options = _parser().parse_args(argv)
    try:
        return _main(options)
    except (
        UsageError,
        source.SourceError,
        selection.UnknownTestError,
        suite.WrongLibraryError,
    ) as error:
        print(f"conformance: {error}", file=sys.stderr)
        return BAD_USAGE
    except BrokenPipeError:
        return OK


def _main(options: argparse.Namespace) -> int:
    work = Path(options.work).resolve() if options.work else _root() / "build" / "conformance"
    missing = build.missing_compilers()
    if missing:
        raise UsageError(
            f"compilers missing: {' '.join(missing)} (apt-get install gcc g++ gfortran)"
        )
    if options.fresh:
        shutil.rmtree(work, ignore_errors=True)
    tree = source.prepare(source.find_archive(options.archive), work)
    tests = _chosen(options, tree)
    if options.list:
        for test in tests:
            print(f"{test.name}  # {test.unsupported}" if test.unsupported else test.name)
        return OK
    runtimes = [] if options.build_only else _runtimes(options, work)

    execute.limit_this_process(options.memory)
    progress = Progress(options.quiet)
    began = time.monotonic()
    builder = build.Builder(tree, work)
    outcomes: list[suite.Outcome] = []
    try:
        outcomes = suite.build(tests, builder, options.jobs, progress)
        if options.build_only:
            return _closing_build(outcomes)
        suite.check_libraries(outcomes, runtimes)
        store = Store(work / "results.jsonl", options.resume)
        suite.run(outcomes, runtimes, store, options.run_jobs, options.repeat, progress)
    except KeyboardInterrupt:
        print("interrupted; --resume goes on from here", file=sys.stderr)
        return INTERRUPTED
    report.print_summary(outcomes, runtimes)
    if options.json:
        facts = {
            "archive": str(tree.archive),
            "archive_sha256": tree.digest,
            "compilers": builder.compilers,
            "subset": options.subset,
            "torture": options.torture,
            "options": options.option,
            "repeat": options.repeat,
            "seconds": round(time.monotonic() - began, 1),
        }
        report.write_json(Path(options.json), outcomes, runtimes, facts)
    return _closing(outcomes, runtimes)


def _chosen(options: argparse.Namespace, tree: source.Suite) -> list[plan.Test]:
    here = machine.describe("gcc")
    tests = plan.discover(tree, here, options.timeout, options.torture, tuple(options.option))
    if here.unknown:
        print(f"conformance: unknown selectors: {sorted(here.unknown)}", file=sys.stderr)
    selection.settle_offload(tests)
    return selection.by_pattern(selection.by_subset(tests, options.subset), options.run)


def _runtimes(options: argparse.Namespace, work: Path) -> list[Runtime]:
    """The system's libgomp first, then each variant of xomp."""
    runtimes = [] if options.no_reference else [Runtime("libgomp")]
    if options.reference_only:
        return [Runtime("libgomp")]
    folder = Path(options.lib).resolve() if options.lib else _root() / "build" / "lib"
    library = folder / "libgomp.so.1"
    if not library.is_file():
        raise UsageError(
            f"{library} is missing: build xomp first, name --lib, or use --reference-only"
        )
    library = execute.snapshot(library, work)
    for text in options.variant or _DEFAULT_VARIANTS:
        if not _VARIANT.match(text):
            raise UsageError(f"--variant wants NAME or NAME:VAR=VALUE[,VAR=VALUE...], not {text!r}")
        name, _, settings = text.partition(":")
        pairs = tuple(tuple(pair.split("=", 1)) for pair in settings.split(",") if pair)
        label = f"xomp-{name}"
        if any(runtime.name == label for runtime in runtimes):
            raise UsageError(f"two variants are called {name!r}")
        runtimes.append(Runtime(label, library, pairs))  # type: ignore[arg-type]
    return runtimes


def _closing(outcomes: list[suite.Outcome], runtimes: list[Runtime]) -> int:
    passed, failed = report.closing_counts(outcomes, runtimes)
    worse = {name for tests in report.regressions(outcomes, runtimes).values() for name in tests}
    compared = len({r.is_reference for r in runtimes}) == 2
    if failed and not worse and compared:
        print("\nNone of the failures is a regression: libgomp fails these tests as well.")
    print(f"\n{passed} passed, {failed} failed")
    return REGRESSED if worse else OK


def _closing_build(outcomes: list[suite.Outcome]) -> int:
    refused = [o for o in outcomes if o.binary is not None and o.binary.path is None]
    for outcome in refused:
        assert outcome.binary is not None
        print(f"Not built: {outcome.test.name}\n{outcome.binary.log}")
    built = sum(o.binary is not None for o in outcomes) - len(refused)
    print(f"{built} built, {len(refused)} refused")
    return OK


def _root() -> Path:
    """The project's root, where its build folder is; for an installed package, the current one."""
    for folder in Path(__file__).resolve().parents:
        if (folder / "CMakeLists.txt").is_file() or (folder / ".git").exists():
            return folder
    return Path.cwd()


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {text}")
    return value


def _parser() -> argparse.ArgumentParser:
    processors = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(
        prog="python -m xomp.conformance",
        description="Run GCC's libgomp test suite on the system's libgomp and on xomp. "
        "Exit status: 0 no regression, 1 a test passes on libgomp and fails on xomp, 2 bad usage.",
    )
    add = parser.add_argument
    add(
        "--run",
        metavar="PATTERN",
        action="append",
        default=[],
        help="only tests whose name matches, e.g. 'c/task*' or 'pr104783*' (repeatable)",
    )
    add("--subset", choices=selection.SUBSETS, default="all", help="a stored list (default: all)")
    add("--list", action="store_true", help="print the tests' names and stop")
    add("--lib", metavar="DIR", help="folder of xomp's libgomp.so.1 (default: build/lib)")
    add(
        "--variant",
        metavar="NAME[:VAR=VALUE,...]",
        action="append",
        help="run xomp under these settings (repeatable; default: default, central, tree)",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--reference-only", action="store_true", help="run on libgomp alone")
    which.add_argument("--no-reference", action="store_true", help="run on xomp alone")
    which.add_argument("--build-only", action="store_true", help="fill the cache of binaries")
    add("--repeat", type=_positive, default=1, metavar="N", help="run each N times, all must pass")
    add(
        "--torture", action="store_true", help="compile Fortran with each of the .exp's option sets"
    )
    add(
        "--option",
        metavar="FLAG",
        action="append",
        default=[],
        help="one more compiler option for every test, e.g. --option=-O3 (repeatable)",
    )
    add("--memory", type=int, default=12, metavar="GIB", help="0: no limit (default: 12)")
    add("--timeout", type=float, default=30.0, metavar="S", help="seconds per run (default: 30)")
    add(
        "--jobs",
        type=_positive,
        default=min(processors, 2),
        metavar="N",
        help="parallel builds (default: %(default)s)",
    )
    add(
        "--run-jobs",
        type=_positive,
        default=1,
        metavar="N",
        help="tests run side by side (default: 1)",
    )
    add("--resume", action="store_true", help="keep results recorded for the same library")
    add("--fresh", action="store_true", help="forget sources, binaries and results")
    add("--json", metavar="FILE", help="write the results to a file")
    add("--archive", metavar="FILE", help="GCC's source archive (default: from gcc-12-source)")
    add("--work", metavar="DIR", help="working folder (default: build/conformance)")
    add("--quiet", action="store_true", help="no progress")
    return parser
