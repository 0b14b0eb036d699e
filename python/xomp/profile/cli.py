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
from xomp.run import BARRIERS, SCHEDULERS

if TYPE_CHECKING:
    from rich.console import Console

    from xomp.profile.analysing.summary import Profile

PIPED_WIDTH = 100  # columns of what is not read on a terminal
COMMAND = "xomp profile"
MOST_PROCESSES = 16  # on one page
PAGE = "report.html"


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
    if other is not None:
        _report_two(run, other, process, exports)
    else:
        _report_one(run, process, exports)
    return 0


def _report_one(run: Path, process: int | None, exports: Exports) -> None:
    from xomp.profile.analysing.load import load, load_all
    from xomp.profile.showing import html, terminal

    profile, others = load(run, process)
    _print(lambda console: terminal.show(console, profile))
    for log in others:
        print(f"Process {log.pid}: {log.command}, {len(log.events):,} events (--process {log.pid})")
    if exports.html is not None:
        if others and process is None:
            html.write_processes([profile, *load_all(run, MOST_PROCESSES)[1:]], exports.html)
        else:
            html.write_html(profile, exports.html)
        print(f"Wrote {exports.html}.")
    _export(profile, exports)


def _report_two(run: Path, other: Path, process: int | None, exports: Exports) -> None:
    from dataclasses import replace

    from xomp.errors import BadInputError
    from xomp.profile.analysing.load import load
    from xomp.profile.showing import compare, html

    if exports.trace is not None:
        raise BadInputError("a trace is of one run; leave out the other")
    both = [load(run, process)[0], load(other)[0]]
    _print(lambda console: compare.show(console, *both))
    if exports.html is not None:
        html.write_comparison(*both, exports.html)
        print(f"Wrote {exports.html}.")
    folders = {
        name: folder
        for name in ("figures", "csv", "parquet")
        if (folder := getattr(exports, name)) is not None
    }
    for name, profile in zip(compare.NAMES, both, strict=True):
        within = {option: folder / name for option, folder in folders.items()}
        _export(profile, replace(exports, **within))


def _export(profile: Profile, exports: Exports) -> None:
    from xomp.profile.showing import figures, tables, trace

    if exports.figures is not None:
        drawn = figures.write(profile, exports.figures)
        print(f"Wrote {', '.join(map(str, drawn))}.")
    for folder, parquet in ((exports.csv, False), (exports.parquet, True)):
        if folder is not None:
            written = tables.write(profile, folder, parquet)
            print(f"Wrote {', '.join(map(str, written))}.")
    if exports.trace is not None:
        trace.write(profile, exports.trace)
        print(f"Wrote {exports.trace}.")


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
        int | None, typer.Option(metavar="N", min=1, help="The number of threads.")
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
    from xomp.errors import BadInputError, CommandError
    from xomp.library import compare_versions, environment, find
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
    folder = record.fresh_folder(command[0], output)
    obstacle = check_start(command[0], library, variables)
    if obstacle:
        tell(COMMAND, f"xomp is not in use: {obstacle}; so nothing can be recorded")
    if serial and not obstacle:
        status = _run_twice(command, folder, variables)
    else:
        tell(COMMAND, f"recording into {folder}")
        status = record.run(command, folder, variables)
    try:
        if record.recorded(folder):
            report(folder, exports=Exports(html=html or folder / PAGE))
        else:
            why = "it uses no OpenMP, or not through this library"
            tell(COMMAND, f"the program left no log: {why} (`xomp info {command[0]}`)")
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
        known = ", ".join(KNOWN)
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
