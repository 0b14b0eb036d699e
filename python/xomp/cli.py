# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line: names, options and help. What a command does stands in its own module."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.console import Console

from xomp import __version__

app = typer.Typer(
    help="Run OpenMP programs on xomp, and look at what they do.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
)

# Commands with an argument parser of their own get their arguments as they are.
_PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True}


@app.callback(invoke_without_command=True)
def options(
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    if version:
        print(f"xomp {__version__}")
        raise typer.Exit


@app.command(context_settings=_PASS_ON, add_help_option=False)
def run(context: typer.Context) -> None:
    """Run a program on xomp: xomp run \\[OPTIONS] -- PROGRAM ARGUMENTS."""
    from xomp.run import main

    raise typer.Exit(main(context.args))


@app.command()
def info(
    program: Annotated[str | None, typer.Argument(help="A program to look at.")] = None,
    lib: Annotated[str | None, typer.Option(help="The libxomp.so to ask.")] = None,
    tree: Annotated[bool, typer.Option("--tree", help="Draw the topology with lstopo.")] = False,
) -> None:
    """Show the machine, the settings in force and what a program needs."""
    from xomp.info import info as show

    # What is not read on a terminal is searched: paths stay on one line.
    width = None if sys.stdout.isatty() else 400
    raise typer.Exit(show(Console(width=width), program, lib, tree))


@app.command(context_settings=_PASS_ON, add_help_option=False)
def demo(context: typer.Context) -> None:
    """Run UTS and Fibonacci on the system's libgomp and on xomp."""
    from xomp.bench.cli import main

    raise typer.Exit(main(["demo", *context.args]))


@app.command(context_settings=_PASS_ON, add_help_option=False)
def bench(context: typer.Context) -> None:
    """Compare OpenMP runtimes on small programs."""
    from xomp.bench.cli import main

    raise typer.Exit(main(context.args))


@app.command(context_settings=_PASS_ON, add_help_option=False)
def repro(context: typer.Context) -> None:
    """Repeat the papers' experiments: xomp repro list, xomp repro fig7."""
    from xomp.repro.cli import main

    raise typer.Exit(main(context.args))


@app.command(context_settings=_PASS_ON, add_help_option=False)
def conformance(context: typer.Context) -> None:
    """Run GCC's own libgomp test suite on the system's libgomp and on xomp."""
    from xomp.conformance.cli import main

    raise typer.Exit(main(context.args))
