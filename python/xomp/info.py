# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp info`: whether a program runs on xomp and what it needs; the machine, the settings."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from xomp import __version__, library, needs, settings
from xomp.errors import BadInputError
from xomp.shared import topology
from xomp.shared.console import output

if TYPE_CHECKING:
    from rich.console import Console

NOT_ON_XOMP = 1


def info(
    program: Annotated[
        str | None, typer.Argument(metavar="PROGRAM", help="A program to look at.")
    ] = None,
    machine: Annotated[
        bool, typer.Option("--machine", help="Show the machine; the default without PROGRAM.")
    ] = False,
    in_force: Annotated[
        bool,
        typer.Option("--settings", help="Show the settings in force; the default without PROGRAM."),
    ] = False,
    tree: Annotated[
        bool, typer.Option("--tree", help="With the machine, drawn by lstopo.")
    ] = False,
    lib: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="The libxomp.so to ask, or the folder that holds it."),
    ] = None,
) -> int:
    """The result is the exit status: 0, or 1 where the program does not run on xomp as a whole."""
    everything = program is None and not (machine or in_force or tree)
    try:
        path = library.find(lib)
        heading = f"xomp {__version__}, {path}"
        library.compare_versions("xomp info", path)
    except library.LibraryError as error:
        if lib is not None or not everything:  # asked for, and not there
            raise
        path = None
        heading = f"xomp {__version__}, no library: {error}"
    status = 0
    with output() as console:
        if program is not None:
            status = show_program(console, program, look_at(program, path))
        _print(console, heading)
        if machine or tree or everything:
            show_topology(console, tree)
        if path and (in_force or everything):
            show_settings(console, path)
            show_tool(console, path)
    return status


def look_at(program: str, path: str) -> needs.Needs:
    try:
        return needs.look_at(program, path)
    except needs.NeedsError as error:
        raise BadInputError(error) from None


def _print(console: Console, text: str, style: str | None = None) -> None:
    """On one line, whatever the terminal's width: paths and commands are copied from it."""
    console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)


def _print_sentence(console: Console, text: str, style: str | None = None) -> None:
    """Wrapped between words on a terminal."""
    whole = not console.is_terminal
    console.print(text, style=style, markup=False, highlight=False, soft_wrap=whole)


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def show_topology(console: Console, tree: bool) -> None:
    machine = topology.read()
    table = _table("Machine", "", "")
    table.show_header = False
    table.add_row("processor", machine.model)
    threads = len(machine.processors)
    counts = (
        (machine.sockets, "socket"),
        (machine.cores, "core"),
        (threads, "hardware thread"),
    )
    layout = ", ".join(f"{count} {name}{'' if count == 1 else 's'}" for count, name in counts)
    table.add_row("layout", layout)
    table.add_row("usable here", f"{len(machine.allowed)}: {topology.format_list(machine.allowed)}")
    for number, processors in machine.nodes:
        table.add_row(f"NUMA node {number}", topology.format_list(processors))
    for name, size, count in machine.caches:
        table.add_row(f"cache {name}", f"{count} x {size}")
    console.print(table)
    if tree:
        lstopo = shutil.which("lstopo-no-graphics") or shutil.which("lstopo")
        if lstopo:
            command = [lstopo, "--of", "console", "--no-io"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            console.print(done.stdout, markup=False, highlight=False)
        else:
            console.print("no lstopo here; install hwloc-nox", highlight=False)


def show_settings(console: Console, path: str) -> None:
    try:
        display = settings.read(path)
    except settings.SettingsError as error:
        console.print(f"no settings: {error}", markup=False, highlight=False, soft_wrap=True)
        return
    bounded = settings.default_threads(path, XOMP_CGROUP="true")
    if bounded != settings.default_threads(path, XOMP_CGROUP="false"):
        text = f"The control groups grant the time of {bounded} of the processors (XOMP_CGROUP)."
        console.print(text, highlight=False, soft_wrap=True)
    table = _table("Settings in force", "variable", "value", "from")
    for name, value in display.values:
        table.add_row(name, value, _source(name, name in display.malformed))
    console.print(table)
    for warning in display.warnings:
        console.print(warning, markup=False, highlight=False, soft_wrap=True)


def _source(name: str, malformed: bool) -> str:
    given = os.environ.get(name)
    if malformed:
        return f"default ('{given}' is malformed)"
    return "default" if given is None else "environment"


def show_tool(console: Console, path: str) -> None:
    """The tool (OMPT) that a program would have here, beside one of its own."""
    try:
        search = settings.tool_search(path)
    except settings.SettingsError as error:
        console.print(f"no tool: {error}", markup=False, highlight=False, soft_wrap=True)
        return
    if not any(answer == "the tool is in use" for _, answer in search):
        console.print("No tool is in use.", highlight=False)
    if len(search) > 1:
        table = _table("Search for a tool", "in", "")
        for where, answer in search:
            table.add_row(where, answer)
        console.print(table)


def show_program(console: Console, name: str, found: needs.Needs) -> int:
    _print_sentence(console, _answer(name, found), "bold")
    for note in found.notes:
        _print_sentence(console, note)
    if found.program and found.program.scripts:
        _print(console, f"It is a script for {found.program.path}.")
        if found.imports is None:
            _print(console, f"What it starts is seen when it runs: xomp run --stats -- {name}")

    if found.runtimes:
        table = _table("OpenMP runtime", "name", "by itself", "with xomp run")
        for row in found.runtimes:
            table.add_row(*row)
        console.print(table)
    if found.imports and found.imports.packages:
        table = _table("What it imports by name", "package", "OpenMP runtime", "libraries")
        for package, runtimes in found.imports.packages.items():
            for runtime, count in runtimes.items():
                table.add_row(package, runtime, str(count))
        console.print(table)
    if found.imports:
        if found.imports.missing:
            names = ", ".join(found.imports.missing)
            _print_sentence(console, f"Not found by this Python: {names}.")
        what = "these import" if found.imports.packages else "it imports"
        _print(
            console,
            f"What {what} in turn is seen when it runs:"
            f" xomp run --stats -- {found.program.path} {name}",
        )
    if any(user.symbols for user in found.users):
        table = _table("Symbols that it needs", "file", "needed", "in libxomp.so", "missing")
        for user in found.users:
            needed, missing = len(user.symbols), len(user.missing)
            row = [str(user.path), str(needed), str(needed - missing), str(missing)]
            table.add_row(*row, style="red" if missing else "")
        console.print(table)
    for user in found.users:
        for symbol in user.missing:
            _print(console, f"missing: {symbol} ({user.path})")
    for missing in found.not_found:
        _print(console, f"not found by the loader: {missing}")
    return 0 if found.verdict == needs.YES else NOT_ON_XOMP


def _answer(name: str, found: needs.Needs) -> str:
    """The sentence that says whether it runs on xomp."""
    if found.itself:
        return f"{name} is {found.itself}."
    colon = "" if found.because.startswith(("if", "and", "because")) else " because"
    return f"{name} runs on xomp: {found.verdict},{colon} {found.because}."
