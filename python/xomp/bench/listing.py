# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`list`: the applications with their variants, sizes and parameters, and what is missing here."""

from __future__ import annotations

from typing import Annotated

import typer

from xomp.bench.pages import Table, show
from xomp.bench.plan import SIZES
from xomp.shared import apps
from xomp.shared.errors import BuildError
from xomp.shared.runtimes import KNOWN, find_all


def overview() -> list[Table]:
    table = Table(
        "Applications; the first variant is the default.",
        ("application", "papers", "library", "variants", "about"),
        left=5,
    )
    for app in apps.discover().values():
        try:
            names = ", ".join(variant["name"] for variant in apps.describe(app.name)["variants"])
        except BuildError as error:
            names = f"missing: {str(error).splitlines()[0]}"
        papers = ", ".join(map(str, app.papers))
        table.rows.append((app.name, papers, app.threads, names, app.about))
    found, missing = find_all(KNOWN)
    runtimes = Table("Runtimes.", ("runtime", "library"), left=2)
    runtimes.rows += [(runtime.label, str(runtime.library)) for runtime in found]
    runtimes.rows += [(label, f"missing: {reason}") for label, reason in missing.items()]
    return [table, runtimes]


def detail(name: str) -> list[Table]:
    told = apps.describe(apps.framed(name).name)
    variants = Table(f"{name}: variants", ("variant", "about"), left=2)
    variants.rows += [(variant["name"], variant["about"]) for variant in told["variants"]]
    parameters = Table(f"{name}: parameters, by size", ("parameter", *SIZES, "about"))
    for parameter in told["parameters"]:
        defaults = [parameter["defaults"][size] for size in SIZES]
        parameters.rows.append((parameter["name"], *defaults, parameter["about"]))
    return [variants, parameters]


def show_list(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="APP", help="Only these, in detail.")
    ] = None,
) -> int:
    details = [table for name in names or [] for table in detail(name)]
    show(details or overview())
    return 0
