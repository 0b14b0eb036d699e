# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands of `xomp`. Those of `xomp bench` stand in xomp/bench/cli.py."""

from __future__ import annotations

from typing import Annotated

import typer
from typer.core import TyperGroup

from xomp import __version__
from xomp.cli.tree import Entry, Root, add

PROGRAMS, MEASUREMENTS = "Your programs", "Measurements and tests"

COMMANDS = (
    Entry(
        "run",
        "xomp.cli.run:run",
        "Run a program on xomp instead of its own OpenMP runtime.",
        PROGRAMS,
        {"allow_interspersed_args": False},  # what follows the program is its own
    ),
    Entry(
        "info",
        "xomp.info:info",
        "Say whether a program runs on xomp, and what it needs; or show machine and settings.\n\n"
        "Exit status: 0; 1 if the program does not run on xomp as a whole; 2 for bad input.",
        PROGRAMS,
    ),
    Entry(
        "profile",
        "xomp.profile.cli:profile",
        "Run a program, record it, and say where it lost its time.\n\n"
        "Exit status: the program's; 2 for bad input.",
        PROGRAMS,
        {"allow_interspersed_args": False},  # what follows the program is its own
    ),
    Entry(
        "report",
        "xomp.profile.cli:report",
        "Say where a recorded run lost its time, why, and what to do.",
        PROGRAMS,
    ),
    Entry("kernel", "xomp.kernel:kernel", "Make Jupyter notebooks run on xomp.", PROGRAMS),
    Entry(
        "demo",
        "xomp.bench.demo:demo",
        "Run some programs on the system's libgomp and on xomp.",
        MEASUREMENTS,
        sources=True,
    ),
    Entry("bench", "xomp.bench.cli:bench", "Compare OpenMP runtimes.", MEASUREMENTS),
    Entry(
        "repro",
        "xomp.repro.cli:repro",
        "Repeat the papers' tables and figures: `xomp repro list`, `xomp repro fig7`.",
        MEASUREMENTS,
    ),
    Entry(
        "conformance",
        "xomp.conformance.cli:conformance",
        "Run GCC's own libgomp test suite on the system's libgomp and on xomp.\n\n"
        "Exit status: 0; 1 if a test passes on libgomp and fails on xomp, or, with "
        "--no-reference, fails; 2 for bad input.",
        MEASUREMENTS,
        sources=True,
    ),
)


def show_version(wanted: bool) -> None:
    if wanted:
        print(f"xomp {__version__}")
        raise typer.Exit


def xomp(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=show_version, is_eager=True),
    ] = False,
) -> None:
    """Run OpenMP programs on xomp, and look at what they do."""


def root() -> TyperGroup:
    app = typer.Typer(
        cls=Root, no_args_is_help=True, context_settings={"help_option_names": ["--help", "-h"]}
    )
    app.callback()(xomp)
    made = typer.main.get_command(app)
    add(made, COMMANDS)
    return made
