# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All experiments, collected from experiments/, and how a name on the command line finds one."""

from __future__ import annotations

import importlib
import pkgutil
import re
from functools import cache

from xomp.errors import BadInputError, unknown
from xomp.repro import experiments
from xomp.repro.plan import Experiment

_ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6"}
_LONG = re.compile(r"^(?:p(?:aper)?(\d)-?)?(.+)$")
_ITEM = re.compile(r"^(fig|figure|table|tab|t|f)[.\s-]*(\d+|[ivx]+)$")


LIST = "list"  # what stands in place of an experiment to have them all listed
SEE_LIST = "see `xomp repro list`"


class UnknownExperimentError(BadInputError):
    """No experiment, or several, have the name; the text says which there are."""


def _order(experiment: Experiment) -> tuple:
    match = re.search(r"\d+", experiment.item)
    return (
        experiment.paper,
        experiment.item.rstrip("0123456789") == "table",
        int(match[0]) if match else 0,
    )


@cache
def all_experiments() -> tuple[Experiment, ...]:
    """In the order of the papers: figures, then tables."""
    found = []
    for module in pkgutil.iter_modules(experiments.__path__):
        loaded = importlib.import_module(f"{experiments.__name__}.{module.name}")
        found += getattr(loaded, "EXPERIMENTS", ())
    return tuple(sorted(found, key=_order))


def normal(name: str) -> tuple[int | None, str]:
    """Paper and item of a name: p1-fig7, fig7, Fig.7, tableIV, p4-lambda."""
    paper, item = _LONG.match(name.strip().lower()).groups()
    if match := _ITEM.match(item):
        kind = "fig" if match[1].startswith("f") else "table"
        item = kind + _ROMAN.get(match[2], match[2])
    return (int(paper) if paper else None), item


def _unknown(name: str, paper: int | None) -> str:
    """`list` is what it may have been as well."""
    of = f" in paper {paper}" if paper else ""
    known = [each.id for each in all_experiments() if paper in (None, each.paper)]
    _, mark, nearest = unknown("experiment", name, [LIST, *known]).partition("; did you mean ")
    return f"no experiment '{name}'{of}; " + (f"did you mean {nearest}" if mark else SEE_LIST)


def find(name: str, paper: int | None = None) -> tuple[Experiment, str]:
    """The experiment, and a remark where the name stands for several.

    Paper 1 describes the system that xomp implements: where the name alone does not say which
    paper is meant, its experiment is taken. Drawings are only meant where nothing else can be.
    """
    told, item = normal(name)
    wanted = told if told is not None else paper
    matches = [e for e in all_experiments() if e.item == item and wanted in (None, e.paper)]
    if not matches:
        raise UnknownExperimentError(_unknown(name, wanted))
    matches = [e for e in matches if not e.drawing] or matches
    others = [e.id for e in matches[1:]]
    if others and matches[0].paper != 1:
        names = ", ".join(e.id for e in matches)
        raise UnknownExperimentError(f"'{name}' may be {names}; say which, or add --paper")
    remark = f"{name} is taken as {matches[0].id}; there is also {', '.join(others)}"
    return matches[0], remark if others else ""
