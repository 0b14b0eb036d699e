# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`report`: the tables of a results file again; of a run of applications also the plots."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from xomp.bench import applications, pages, plot, store
from xomp.bench.cli import COMPARISONS
from xomp.bench.options import NoPlot
from xomp.errors import BadInputError


def report(
    results: Annotated[Path, typer.Argument(metavar="FILE", help="The results.")],
    baseline: Annotated[
        str | None,
        typer.Option(metavar="RUNTIME", help="Of the ratios.", show_default="the file's"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(metavar="STEM", help="Of what is written.", show_default="beside FILE"),
    ] = None,
    no_plot: NoPlot = False,
    into: Annotated[
        Path | None,
        typer.Option(
            metavar="PAGE",
            help="Replace the tables between <!-- COMMAND --> and <!-- end of COMMAND --> instead.",
        ),
    ] = None,
    under: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="With --into: <!-- NAME -->.", show_default="the command"
        ),
    ] = None,
    summary: Annotated[
        Path | None,
        typer.Option(
            metavar="PAGE",
            help="With --into: put the tables that sum up the others into this page as well, "
            "at the same place, with a link.",
        ),
    ] = None,
) -> int:
    if summary and not into:
        raise BadInputError("--summary is for --into")
    read = store.read(results)
    if baseline:
        read.head["baseline"] = baseline
    pages.about(read.head)  # before anything is shown, as it refuses a head that is not whole
    own = next((entry.module for entry in COMPARISONS if entry.name == read.command), None)
    shown = (own.tables if own else applications.tables_of)(read)
    pages.show(shown)
    print(read.aside, end="\n" if read.aside else "")
    if into:
        # Every single measurement would be too much for a page that is read.
        name = under or read.command
        pages.insert(into, name, read.head, shown if own else shown[:-1], note=read.aside)
        if summary:
            short = [table for table in shown if table.summary]
            pages.insert(summary, name, read.head, short, into, read.aside)
        return 0
    stem = output or results
    print(f"tables:  {pages.write_page(stem, read.head, shown, read.aside)}")
    if not own and not no_plot:
        applications.tell_plots(plot.results(read, stem))
    return 0
