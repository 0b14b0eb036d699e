# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of the conformance run: options, the order of the phases, the exit status."""

from __future__ import annotations

import os
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from xomp.cli.values import seconds, whole
from xomp.conformance import build, execute, machine, plan, report, selection, source, suite
from xomp.conformance.compilers import FAMILIES, Family
from xomp.conformance.execute import Runtime
from xomp.conformance.progress import Progress
from xomp.conformance.store import Store
from xomp.errors import BadInputError, InterruptedCommandError, tell
from xomp.settings import SettingsError
from xomp.settings import read as read_settings

_DEFAULT_VARIANTS = ("default", "central:XOMP_BARRIER=central", "tree:XOMP_BARRIER=tree")
Pairs = tuple[tuple[str, str], ...]
_VARIANT = re.compile(r"^[A-Za-z0-9._+-]+(:[A-Z_][A-Z0-9_]*=[^,]*(,[A-Z_][A-Z0-9_]*=[^,]*)*)?$")

OK, REGRESSED = 0, 1

_TESTS, _RUNTIMES, _RUN, _FILES = "Which tests", "On what", "How they are run", "Files"


@dataclass(frozen=True)
class Options:
    run: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="Only tests whose name matches, e.g. 'c/task*' or 'pr104783*' (repeatable).",
            rich_help_panel=_TESTS,
        ),
    ] = None
    subset: Annotated[
        Literal[selection.SUBSETS], typer.Option(help="A stored list.", rich_help_panel=_TESTS)
    ] = "all"
    names: Annotated[
        bool,
        typer.Option("--list", help="Print the tests' names and stop.", rich_help_panel=_TESTS),
    ] = False
    compiler: Annotated[
        Literal[tuple(FAMILIES)],
        typer.Option(
            help="Whose binaries: gcc's on libgomp and xomp, or clang's and flang's on libomp"
            " and xomp.",
            rich_help_panel=_TESTS,
        ),
    ] = "gcc"
    lib: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The folder of xomp's libraries.",
            show_default="build/lib",
            rich_help_panel=_RUNTIMES,
        ),
    ] = None
    variant: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[:VAR=VALUE,...]",
            help="Run xomp under these settings (repeatable).",
            show_default="default, central, tree",
            rich_help_panel=_RUNTIMES,
        ),
    ] = None
    reference_only: Annotated[
        bool,
        typer.Option(
            "--reference-only",
            help="Run on the compiler's own runtime alone.",
            rich_help_panel=_RUNTIMES,
        ),
    ] = False
    no_reference: Annotated[
        bool,
        typer.Option("--no-reference", help="Run on xomp alone.", rich_help_panel=_RUNTIMES),
    ] = False
    build_only: Annotated[
        bool,
        typer.Option("--build-only", help="Fill the cache of binaries.", rich_help_panel=_RUN),
    ] = False
    repeat: Annotated[
        int,
        typer.Option(
            parser=whole(1),
            metavar="N",
            help="Run each N times, all must pass.",
            rich_help_panel=_RUN,
        ),
    ] = 1
    torture: Annotated[
        bool,
        typer.Option(
            "--torture",
            help="Compile Fortran with each of the .exp's option sets.",
            rich_help_panel=_TESTS,
        ),
    ] = False
    option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FLAG",
            help="One more compiler option for every test, e.g. --option=-O3 (repeatable).",
            rich_help_panel=_TESTS,
        ),
    ] = None
    memory: Annotated[
        int,
        typer.Option(
            parser=whole(0), metavar="GIB", help="Of each test; 0: no limit.", rich_help_panel=_RUN
        ),
    ] = 12
    timeout: Annotated[
        float,
        typer.Option(
            parser=seconds, metavar="S", help="Seconds for one run.", rich_help_panel=_RUN
        ),
    ] = 30.0
    jobs: Annotated[
        int,
        typer.Option(
            parser=whole(1),
            metavar="N",
            help="Parallel builds.",
            show_default="2 where there are as many processors",
            rich_help_panel=_RUN,
        ),
    ] = min(len(os.sched_getaffinity(0)), 2)
    run_jobs: Annotated[
        int,
        typer.Option(
            parser=whole(1), metavar="N", help="Tests run side by side.", rich_help_panel=_RUN
        ),
    ] = 1
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Keep results recorded for the same library.", rich_help_panel=_RUN
        ),
    ] = False
    fresh: Annotated[
        bool,
        typer.Option("--fresh", help="Forget sources, binaries and results.", rich_help_panel=_RUN),
    ] = False
    json: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the results to a file.", rich_help_panel=_FILES),
    ] = None
    archive: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="GCC's source archive.",
            show_default="of gcc-12-source",
            rich_help_panel=_FILES,
        ),
    ] = None
    work: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The working folder.",
            show_default="build/conformance",
            rich_help_panel=_FILES,
        ),
    ] = None
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False


def conformance(options: Options) -> int:
    _refuse_contradictions(options)
    work = (options.work or _root() / "build" / "conformance").resolve()
    family = FAMILIES[options.compiler]
    _check_compilers(family)
    if options.fresh:
        shutil.rmtree(work, ignore_errors=True)
    tree = source.prepare(source.find_archive(options.archive), work)
    tests = _chosen(options, tree, family)
    if options.names:
        for test in tests:
            print(f"{test.name}  # {test.unsupported}" if test.unsupported else test.name)
        return OK
    runtimes = [] if options.build_only else _runtimes(options, family, work)

    execute.limit_this_process(options.memory)
    progress = Progress(options.quiet)
    began = time.monotonic()
    builder = build.Builder(tree, work, family)
    outcomes: list[suite.Outcome] = []
    try:
        outcomes = suite.build(tests, builder, options.jobs, progress)
        if options.build_only:
            return _closing_build(outcomes, family)
        suite.check_libraries(outcomes, runtimes)
        store = Store(work / family.results, options.resume)
        suite.run(outcomes, runtimes, store, options.run_jobs, options.repeat, progress)
    except KeyboardInterrupt:
        raise InterruptedCommandError("interrupted; --resume goes on from here") from None
    report.print_summary(outcomes, runtimes, family)
    if options.json:
        facts = {
            "archive": str(tree.archive),
            "archive_sha256": tree.digest,
            "compilers": builder.compilers,
            "subset": options.subset,
            "torture": options.torture,
            "options": options.option or [],
            "repeat": options.repeat,
            "seconds": round(time.monotonic() - began, 1),
        }
        report.write_json(options.json, outcomes, runtimes, family, facts)
    return _closing(outcomes, runtimes, family)


def _refuse_contradictions(options: Options) -> None:
    alone = {
        "--reference-only": options.reference_only,
        "--no-reference": options.no_reference,
        "--build-only": options.build_only,
    }
    asked = [name for name, given in alone.items() if given]
    if len(asked) > 1:
        raise BadInputError(f"{' and '.join(asked)} exclude each other")


def _check_compilers(family: Family) -> None:
    if missing := family.missing():
        raise BadInputError(
            f"compilers missing: {' '.join(missing)} (apt-get install {family.package})"
        )
    for language in family.drivers.keys() - family.languages():
        names = " or ".join(family.drivers[language])
        tell("xomp conformance", f"no {names} here: the {language} tests are left out")


def _chosen(options: Options, tree: source.Suite, family: Family) -> list[plan.Test]:
    here = machine.describe(family.driver("c") or "cc")
    flags = tuple(options.option or ())
    tests = plan.discover(tree, here, family, options.timeout, options.torture, flags)
    if here.unknown:
        tell("xomp conformance", f"unknown selectors: {sorted(here.unknown)}")
    selection.settle_offload(tests)
    selection.settle_chance(tests, family.name)
    return selection.by_pattern(selection.by_subset(tests, options.subset), options.run or [])


def _runtimes(options: Options, family: Family, work: Path) -> list[Runtime]:
    """The compiler's own runtime first, then each variant of xomp."""
    reference = Runtime(family.reference, family=family)
    runtimes = [] if options.no_reference else [reference]
    if options.reference_only:
        return [reference]
    folder = options.lib.resolve() if options.lib else _root() / "build" / "lib"
    library = folder / family.asked
    if not library.is_file():
        raise BadInputError(
            f"{library} is missing: build xomp first, name --lib, or use --reference-only"
        )
    library = execute.snapshot(library, work)
    for text in options.variant or _DEFAULT_VARIANTS:
        if not _VARIANT.match(text):
            raise BadInputError(
                f"--variant wants NAME or NAME:VAR=VALUE[,VAR=VALUE...], not '{text}'"
            )
        name, _, settings = text.partition(":")
        pairs: Pairs = tuple(tuple(pair.split("=", 1)) for pair in settings.split(",") if pair)  # type: ignore[misc]
        label = f"xomp-{name}"
        if any(runtime.name == label for runtime in runtimes):
            raise BadInputError(f"two variants are called '{name}'")
        _check_in_force(library, name, pairs)
        runtimes.append(Runtime(label, library, pairs, family))
    return runtimes


def _check_in_force(library: Path, name: str, pairs: Pairs) -> None:
    """What the library ignores must not be tested under its name."""
    try:
        warnings = read_settings(str(library), {**os.environ, **dict(pairs)}).warnings
    except SettingsError as error:
        raise BadInputError(f"--variant {name}: {error}") from None
    for key, _ in pairs:
        for warning in warnings:
            if f"{key}=" in warning:
                raise BadInputError(f"--variant {name}: {warning}")


def _closing(outcomes: list[suite.Outcome], runtimes: list[Runtime], family: Family) -> int:
    passed, failed = report.closing_counts(outcomes, runtimes)
    worse = {name for tests in report.regressions(outcomes, runtimes).values() for name in tests}
    compared = len({r.is_reference for r in runtimes}) == 2
    if failed and not worse and compared:
        print(f"\nNone of the failures is a regression: {family.reference} fails these as well.")
    print(f"\n{passed} passed, {failed} failed")
    return REGRESSED if worse or report.failures_alone(outcomes, runtimes) else OK


def _closing_build(outcomes: list[suite.Outcome], family: Family) -> int:
    refused = report.print_refused(outcomes, family)
    built = sum(o.binary is not None for o in outcomes) - refused
    print(f"{built} built, {refused} refused")
    return OK


def _root() -> Path:
    """The project's root, where its build folder is; for an installed package, the current one."""
    for folder in Path(__file__).resolve().parents:
        if (folder / "CMakeLists.txt").is_file() or (folder / ".git").exists():
            return folder
    return Path.cwd()
