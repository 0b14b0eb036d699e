# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The options that commands of `xomp bench` share, each declared once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from xomp.cli.options import OfMachine
from xomp.cli.values import number_list, runtime_list, seconds, whole, words
from xomp.shared.machine import processors

PEERS = ("libgomp", "libomp", "libiomp5", "xomp")

_measuring = partial(typer.Option, rich_help_panel="How it is measured")
_case = partial(typer.Option, rich_help_panel="What is run")

RuntimeList = Annotated[
    Sequence[str],
    _measuring(
        parser=runtime_list,
        metavar="LIST",
        help="Between commas; NAME@KEY=VALUE,... runs NAME with variables, NAME@LIBRARY=PATH "
        "another build of it.",
    ),
]
Limit = Annotated[float, _measuring(parser=seconds, metavar="S", help="Seconds for one run.")]
NoPlot = Annotated[bool, typer.Option("--no-plot", help="Write no PNG and SVG.")]
Seed = Annotated[
    int, _measuring(parser=whole(), metavar="N", help="Of the order within each round.")
]


@dataclass(frozen=True)
class Measuring:
    """What every measuring command has."""

    runtimes: RuntimeList = PEERS
    threads: Annotated[
        Sequence[int],
        _measuring(
            parser=number_list,
            metavar="LIST",
            help="Between commas; 4x: four for each processor.",
        ),
    ] = OfMachine(sorted({1, processors()}), "1 and the processors")
    rounds: Annotated[
        int, _measuring(parser=whole(1), metavar="N", help="Each round runs everything once.")
    ] = 7
    warmups: Annotated[
        int, _measuring(parser=whole(0), metavar="N", help="Rounds before them, not counted.")
    ] = 1
    beside: Annotated[
        int,
        _measuring(
            parser=whole(0),
            metavar="N",
            help="Processes that compute beside the runs: a busy machine.",
        ),
    ] = 0
    limit: Limit = 120.0
    budget: Annotated[
        float | None,
        _measuring(parser=seconds, metavar="S", help="Seconds after which no round begins."),
    ] = None
    baseline: Annotated[
        str, _measuring(metavar="RUNTIME", help="The one that the ratios refer to.")
    ] = "libgomp"
    seed: Seed = 1
    output: Annotated[
        Path | None, _measuring(metavar="FILE", help="Where the results go (JSON lines).")
    ] = None
    resume: Annotated[
        bool,
        _measuring("--resume", help="Go on with the same plan where it was interrupted."),
    ] = False


@dataclass(frozen=True)
class Cases:
    """What the commands that run applications have."""

    size: Annotated[
        Sequence[str],
        _case(parser=words, metavar="LIST", help="Of test, small, medium, paper."),
    ] = ("small",)
    settings: Annotated[
        list[str] | None,
        _case(
            "--set",
            metavar="KEY=VALUE",
            help="A parameter of the application (or APP.KEY for one of several), or an OMP_*, "
            "XOMP_*, GOMP_* or KMP_* variable; the same KEY again is an axis.",
        ),
    ] = None
    data: Annotated[
        Path | None, _case(metavar="DIR", help="The folder of published input files.")
    ] = None
    compiler: Annotated[
        Sequence[str], _case(parser=words, metavar="LIST", help="Of gcc, clang.")
    ] = ("gcc",)
    no_plot: NoPlot = False


Compiler = Annotated[str, _case(metavar="NAME", help="That builds the program: gcc or clang.")]
Apps = Annotated[
    list[str],
    typer.Argument(metavar="APP[:VARIANT]", help="APP, APP:VARIANT, APP:all, or all."),
]
