# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp info`: the machine, the settings in force and what a program needs of its runtime."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from xomp import __version__, library, needs, settings, topology
from xomp.errors import BadInputError

MISSING, NOT_SHOWN = 1, 2


def info(
    program: Annotated[
        str | None, typer.Argument(metavar="PROGRAM", help="A program to look at.")
    ] = None,
    lib: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="The libxomp.so to ask, or the folder that holds it."),
    ] = None,
    tree: Annotated[bool, typer.Option("--tree", help="Draw the topology with lstopo.")] = False,
) -> int:
    """Shows everything; the result is the exit status: 0, or 1 where a needed symbol is missing.

    A program that cannot be read is the whole answer: below two tables it would be overlooked.
    """
    # What is not read on a terminal is searched: paths stay on one line.
    console = Console(width=None if sys.stdout.isatty() else 400)
    try:
        path = library.find(lib)
        heading = f"xomp {__version__}, {path}"
        library.compare_versions("xomp info", path)
    except library.LibraryError as error:
        if lib is not None:  # asked for, and not there
            raise
        path = None
        heading = f"xomp {__version__}, no library: {error}"
    found = None
    if program is not None and path:
        try:
            found = needs.look_at(program, path)
        except needs.NeedsError as error:
            raise BadInputError(error) from None
    console.print(heading, markup=False, highlight=False, soft_wrap=True)
    show_topology(console, tree)
    if path:
        show_settings(console, path)
        show_tool(console, path)
    if found:
        return show_program(console, found, path)
    return 0 if program is None else NOT_SHOWN


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
        table.add_row(name, value, "environment" if name in os.environ else "default")
    console.print(table)
    for warning in display.warnings:
        console.print(warning, markup=False, highlight=False, soft_wrap=True)


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


def show_program(console: Console, found: needs.Needs, path: str) -> int:
    heading = f"{found.program} ({found.machine})"
    if found.script:
        heading = f"{found.script}: a script for {heading}"
    console.print(heading, style="bold", markup=False, highlight=False, soft_wrap=True)
    if not found.dynamic:
        console.print("Statically linked: no runtime can be put in place of its own.")
        return 0
    if not found.runtimes and not found.users:
        console.print("Loads no OpenMP runtime when it starts; a library that it opens later may.")
        return 0

    table = _table("OpenMP runtime", "name", "by itself", "with xomp run")
    for name, where in found.runtimes:
        table.add_row(name, where, path if name.startswith("libgomp") else where)
    console.print(table)

    table = _table("Symbols that it needs", "file", "needed", "in libxomp.so", "missing")
    for user in found.users:
        needed, missing = len(user.symbols), len(user.missing)
        row = [str(user.path), str(needed), str(needed - missing), str(missing)]
        table.add_row(*row, style="red" if missing else "")
    console.print(table)
    for user in found.users:
        for symbol in user.missing:
            console.print(f"missing: {symbol} ({user.path})", markup=False, highlight=False)
        if user.llvm_symbols:
            console.print(
                f"{user.path} was compiled for LLVM's or Intel's runtime ({user.llvm_symbols}"
                " __kmpc_ symbols): these calls do not go to xomp.",
                markup=False,
                highlight=False,
            )
    for name in found.not_found:
        console.print(f"not found by the loader: {name}", markup=False, highlight=False)
    return MISSING if any(user.missing for user in found.users) else 0
