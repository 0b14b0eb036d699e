# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp report` and `xomp profile`: their options. What reads and computes is imported late."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from xomp.errors import tell
from xomp.run import BARRIERS, SCHEDULERS, read_threads
from xomp.shared.text import several

if TYPE_CHECKING:
    from rich.console import Console

    from xomp.profile.analysing.summary import Profile
    from xomp.profile.progress import Progress

PIPED_WIDTH = 100  # columns of what is not read on a terminal
COMMAND = "xomp profile"
MOST_PROCESSES = 16  # on one page
PAGE = "report.html"
REPORT = "xomp report"

# What there is to do, in words.
READING, SPANS, BLAME = "reading the log", "what each thread did", "who waited for whom"
GRAPH, NAMES = "the task graph", "the names of places"
PAGE_STEP, FIGURES, CSV, PARQUET, TRACE = "the page", "pictures", "CSV", "Parquet", "the trace"


@dataclass
class Exports:
    """Files that a run can be written to."""

    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a page with a timeline, for a browser."),
    ] = None
    figures: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Draw the papers' pictures into DIR, as PNG and SVG."),
    ] = None
    csv: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write tables into DIR, as CSV.")
    ] = None
    parquet: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write tables into DIR, as Parquet (needs pyarrow)."),
    ] = None
    trace: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a trace that Perfetto and Chrome show; compressed if FILE ends in .gz.",
        ),
    ] = None


def report(
    run: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of XOMP_PERFLOG, or a log in it.")
    ],
    other: Annotated[
        Path | None, typer.Argument(metavar="DIR2", help="Another run, to be put beside it.")
    ] = None,
    process: Annotated[
        int | None,
        typer.Option(metavar="PID", help="The process to look at; else the one that did most."),
    ] = None,
    exports: Exports = Exports(),  # noqa: B008
) -> int:
    from xomp.profile import memory

    memory.keep()
    if other is not None:
        _report_two(run, other, process, exports)
    else:
        _report_one(run, process, exports)
    return 0


def _report_one(run: Path, process: int | None, exports: Exports, command: str = REPORT) -> None:
    from xomp.profile.analysing.load import load, load_all
    from xomp.profile.progress import Progress
    from xomp.profile.showing import html, terminal

    _check(exports)
    with Progress(command, _steps(run)) as progress:
        progress.step(READING)
        profile, others = load(run, process, progress.step)
        _analyse(profile, progress)
    _print(lambda console: terminal.show(console, profile))
    if others:
        print(f"\nOther processes, of which `{REPORT} {run} --process PID` tells:")
    for log in others:
        print(f"  {log.pid}  {log.command}, {several(len(log.events), 'event')}")
    sys.stdout.flush()
    with Progress(command, _export_steps(run, exports)) as progress:
        if exports.html is not None:
            progress.step(PAGE_STEP)
            if others and process is None:
                html.write_processes([profile, *load_all(run, MOST_PROCESSES)[1:]], exports.html)
            else:
                html.write_html(profile, exports.html)
        written = [exports.html] if exports.html is not None else []
        written += _export(profile, exports, progress)
    _tell_written(written)


def _report_two(run: Path, other: Path, process: int | None, exports: Exports) -> None:
    from dataclasses import replace

    from xomp.errors import BadInputError
    from xomp.profile.analysing.load import load
    from xomp.profile.progress import Progress
    from xomp.profile.reading import files
    from xomp.profile.showing import compare, html

    if exports.trace is not None:
        raise BadInputError("a trace is of one run; leave out the other")
    _check(exports)
    for where in (run, other):
        files.check(where)
    both = []
    with Progress(REPORT, [*_steps(run), *_steps(other)]) as progress:
        for where, pid in ((run, process), (other, None)):
            progress.step(READING)
            both.append(load(where, pid, progress.step)[0])
            _analyse(both[-1], progress)
    _print(lambda console: compare.show(console, *both))
    sys.stdout.flush()
    folders = {
        name: folder
        for name in ("figures", "csv", "parquet")
        if (folder := getattr(exports, name)) is not None
    }
    steps = [*_export_steps(run, exports), *_export_steps(other, replace(exports, html=None))]
    with Progress(REPORT, steps) as progress:
        written = []
        if exports.html is not None:
            progress.step(PAGE_STEP)
            html.write_comparison(*both, exports.html)
            written = [exports.html]
        for name, profile in zip(compare.NAMES, both, strict=True):
            within = {option: folder / name for option, folder in folders.items()}
            written += _export(profile, replace(exports, **within), progress)
    _tell_written(written)


def _analyse(profile: Profile, progress: Progress) -> None:
    """What the reports ask for, the long parts of it one after the other."""
    if profile.serial is not None and not profile.incomparable:
        _ = profile.serial.losses
    for name, parts in (
        (SPANS, ("losses",)),
        (BLAME, ("blame", "places", "culprits")),
        (GRAPH, ("graph", "producer")),
    ):
        progress.step(name)
        for part in parts:
            getattr(profile, part)
    progress.step(NAMES)
    profile.load_places()


def _steps(run: Path) -> list[tuple[str, float]]:
    """What is to be done for a run, and how long it takes: in bytes of logs, as each byte's time is
    about the same."""
    from xomp.profile.analysing.load import SERIAL_RUN
    from xomp.profile.reading.format import SERIAL

    size = max(1, _size(run))
    serial = _size(run / SERIAL) if run.is_dir() else 0
    alone = [(SERIAL_RUN, 6.0 * serial)] if serial else []
    weights = ((SPANS, 4 * size), (BLAME, 3 * size), (GRAPH, 3 * size), (NAMES, size / 4))
    return [(READING, 3.0 * size), *alone, *weights]


def _export_steps(run: Path, exports: Exports) -> list[tuple[str, float]]:
    size = max(1, _size(run))
    return [
        (name, weight * size)
        for name, weight, wanted in (
            (PAGE_STEP, 3, exports.html),
            (FIGURES, 2, exports.figures),
            (CSV, 12, exports.csv),
            (PARQUET, 5, exports.parquet),
            (TRACE, 12, exports.trace),
        )
        if wanted is not None
    ]


def _size(where: Path) -> int:
    """Of the logs in a folder, or of one. That there is none is said elsewhere."""
    from xomp.profile.reading.format import SUFFIX

    logs = where.glob(f"*{SUFFIX}") if where.is_dir() else [where]
    return sum(log.stat().st_size for log in logs if log.is_file())


def _check(exports: Exports) -> None:
    """Whether all that is asked for can be written, before a minute is spent on it."""
    from importlib.util import find_spec

    from xomp.profile.reading.log import LogError
    from xomp.profile.recording import record

    for file in (exports.html, exports.trace):
        if file is not None:
            record.check_file(file)
    for folder in (exports.figures, exports.csv, exports.parquet):
        if folder is not None:
            record.check_folder(folder)
    if exports.figures is not None and find_spec("matplotlib") is None:
        raise LogError("pictures need the Python package matplotlib")
    if exports.parquet is not None and find_spec("pyarrow") is None:
        raise LogError("Parquet needs the Python package pyarrow; --csv works without")


def _export(profile: Profile, exports: Exports, progress: Progress) -> list[Path]:
    from xomp.profile.showing import figures, tables, trace

    written: list[Path] = []
    if exports.figures is not None:
        progress.step(FIGURES)
        written += figures.write(profile, exports.figures)
    for step, folder, parquet in ((CSV, exports.csv, False), (PARQUET, exports.parquet, True)):
        if folder is not None:
            progress.step(step)
            written += tables.write(profile, folder, parquet, progress.share)
    if exports.trace is not None:
        progress.step(TRACE)
        trace.write(profile, exports.trace, progress.share)
        written.append(exports.trace)
    return written


def _tell_written(written: list[Path]) -> None:
    if written:
        print(f"Wrote {', '.join(map(str, written))}.")


def _print(show: Callable[[Console], None]) -> None:
    """On a terminal as wide as that; else without the blanks that only fill a line."""
    from rich.console import Console

    if sys.stdout.isatty():
        show(Console())
        return
    text = io.StringIO()
    show(Console(file=text, width=PIPED_WIDTH))
    print("\n".join(line.rstrip() for line in text.getvalue().splitlines()))


@dataclass
class Running:
    """How the program is run."""

    threads: Annotated[
        int | None,
        typer.Option(
            parser=read_threads, metavar="N", help="The number of threads (OMP_NUM_THREADS)."
        ),
    ] = None
    scheduler: Annotated[
        Literal[SCHEDULERS] | None, typer.Option(help="Where tasks go (XOMP_SCHEDULER).")
    ] = None
    barrier: Annotated[
        Literal[BARRIERS] | None, typer.Option(help="How barriers end (XOMP_BARRIER).")
    ] = None
    lib: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="The libxomp.so to run on, or the folder that holds it."),
    ] = None
    runtime: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Sample the program on another runtime instead: libgomp, libomp, libiomp5, xomp, "
            "or a library's path. Needs perf; sees less.",
        ),
    ] = None

    @property
    def settings(self) -> dict[str, str]:
        values = {
            "OMP_NUM_THREADS": self.threads,
            "XOMP_SCHEDULER": self.scheduler,
            "XOMP_BARRIER": self.barrier,
        }
        return {name: str(value) for name, value in values.items() if value is not None}


def profile(
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="PROGRAM [ARGUMENTS]",
            help="What to run. All that follows PROGRAM belongs to it; -- before it is allowed.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="The folder for the logs, new or empty; else PROGRAM.profile here.",
        ),
    ] = None,
    serial: Annotated[
        bool,
        typer.Option(
            "--serial/--no-serial", help="Whether to run it on one thread before, to compare."
        ),
    ] = True,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help=f"The page for a browser; else {PAGE} in the folder of the logs."
        ),
    ] = None,
    running: Running = Running(),  # noqa: B008
) -> int:
    from xomp.errors import BAD_INPUT, BadInputError, CommandError
    from xomp.library import compare_versions, environment, find
    from xomp.profile import memory
    from xomp.profile.recording import record
    from xomp.reach import check_start

    record.check(command)
    if running.runtime is not None:
        if html is not None or output is not None:
            raise BadInputError("--runtime samples: it leaves no log, and makes no page (--html)")
        return _sample(command, running, serial)
    library = find(running.lib)
    compare_versions(COMMAND, library)
    variables = {**environment(library), **running.settings}
    if html is not None:
        record.check_file(html)
    obstacle = check_start(command[0], library, variables)
    if obstacle:
        raise BadInputError(f"nothing can be recorded, so it is not run: {obstacle}")
    was_there = output is not None and output.exists()
    folder = record.fresh_folder(command[0], output)
    if serial:
        status = _run_twice(command, folder, variables)
    else:
        tell(COMMAND, f"recording into {folder}")
        status = record.run(command, folder, variables)
    try:
        if record.recorded(folder):
            memory.keep()
            _report_one(folder, None, Exports(html=html or folder / PAGE), COMMAND)
        else:
            why = "it uses no OpenMP, or not through this library"
            tell(COMMAND, f"the program left no log: {why} (`xomp info {command[0]}`)")
            record.discard(folder, keep=was_there)
            status = status or BAD_INPUT
    except CommandError as error:  # the status is the program's, whatever the report came to
        tell(COMMAND, error)
    return status


def _sample(command: list[str], running: Running, serial: bool) -> int:
    """On a runtime that records nothing: what can be seen from outside."""
    import subprocess
    import tempfile

    from xomp.errors import BadInputError
    from xomp.profile.recording import record, sample
    from xomp.profile.showing import sampled

    if running.lib is not None:
        raise BadInputError("--lib and --runtime both name the library")
    runtime = _runtime_file(running.runtime)
    stdin, alone = record.Input(), None
    with tempfile.TemporaryDirectory() as name:
        variables = sample.environment_of(runtime, Path(name), running.threads)
        variables |= running.settings
        if serial:
            tell(COMMAND, "first on one thread, to compare; what it prints is dropped")
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            single = {**variables, **record.ONE_THREAD}
            alone = sample.sample(command, single, runtime, stdin=stdin.open(), **quiet)
        tell(COMMAND, f"now as it is, sampled on {runtime}")
        done = sample.sample(command, variables, runtime, stdin=stdin.open())
    if not done.loaded:
        tell(COMMAND, f"no sample was in {runtime}: the program may not have loaded it")
    before = alone.division if alone is not None else None
    text = " ".join(command)
    _print(lambda console: sampled.show(console, text, runtime, done.division, before))
    tell(COMMAND, "no page for a browser: what it shows is in logs, which only xomp records")
    return done.status


def _runtime_file(name: str) -> Path:
    from xomp.errors import BadInputError
    from xomp.shared.runtimes import KNOWN, locate

    if name in KNOWN:
        return locate(name)
    if not Path(name).is_file():
        known = ", ".join(name for name in KNOWN if name != "floor")  # no runtime: runs serially
        raise BadInputError(f"no runtime '{name}': neither a library nor one of {known}")
    return Path(name).resolve()


def _run_twice(command: list[str], folder: Path, variables: dict[str, str]) -> int:
    from xomp.profile.recording import record

    stdin = record.Input()
    printed = folder / record.SERIAL / record.OUTPUT
    tell(COMMAND, f"first on one thread, to compare; what it prints goes to {printed}")
    status = record.run_serially(command, folder, variables, stdin)
    if status:
        tell(COMMAND, f"on one thread it ended with status {status} (see {printed})")
    tell(COMMAND, f"now as it is, recording into {folder}")
    return record.run(command, folder, variables, stdin)
