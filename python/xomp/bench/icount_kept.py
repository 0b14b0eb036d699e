# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The instruction counts of xomp's fast paths that are kept in the tree, so that none grows unseen.

Callgrind's counts of one thread do not differ from run to run, but they do from compiler to
compiler. Those outside the program are kept, so only the library's compiler matters.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from xomp.bench.counted import Counted
from xomp.bench.pages import Table
from xomp.errors import BadInputError
from xomp.shared.paths import ROOT

PATH = ROOT / "tests" / "python" / "icount.json"
# A count may exceed the one kept by this share and half an instruction: less than one more on
# the shortest path, and more than what is done once leaves in a difference of two counts.
SAME_COMPILER, OTHER_COMPILER = 0.002, 0.15
ONE_TIME = 0.5
CLANG = " (clang)"  # behind the name of what a program of clang needs; not counted without clang


@dataclass
class Counts:
    compiler: str  # of the library
    outside: dict[str, float]  # instructions outside the program, by construct


def compiler_of(library: Path) -> str:
    """What the compiler wrote into the library about itself."""
    command = ["readelf", "--string-dump=.comment", str(library)]
    out = subprocess.run(command, capture_output=True, text=True).stdout
    found = (line.partition("]")[2].strip() for line in out.splitlines() if "]" in line)
    return "; ".join(dict.fromkeys(found)) or "unknown"


def of(library: Path, counted: Iterable[Counted]) -> Counts:
    outside = {each.what: round(each.outside, 2) for each in counted}
    return Counts(compiler_of(library), dict(sorted(outside.items())))


def read(path: Path = PATH) -> Counts:
    try:
        return Counts(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError) as error:
        raise BadInputError(f"{path} holds no counts ({error}); --update writes it") from error


def write(counts: Counts, path: Path = PATH) -> None:
    try:
        path.write_text(json.dumps(asdict(counts), indent=2) + "\n")
    except OSError as error:
        raise BadInputError(f"cannot write {path}: {error.strerror}") from error


def limit(kept: float, same_compiler: bool) -> float:
    return kept * (1 + (SAME_COMPILER if same_compiler else OTHER_COMPILER)) + ONE_TIME


def grown(kept: Counts, now: Counts) -> list[str]:
    """What costs more than is kept, is not counted any more, or was never recorded."""
    same = kept.compiler == now.compiler
    clang_here = any(what.endswith(CLANG) for what in now.outside)
    told = []
    for what, before in kept.outside.items():
        if what.endswith(CLANG) and not clang_here:
            continue
        if what not in now.outside:
            told.append(f"{what}: not counted any more")
        elif now.outside[what] > limit(before, same):
            told.append(f"{what}: {now.outside[what]:g} instructions, {before:g} before")
    told += [f"{what}: not recorded" for what in now.outside if what not in kept.outside]
    return told


def table(kept: Counts, now: Counts) -> Table:
    same = "the same compiler" if kept.compiler == now.compiler else f"kept: {kept.compiler}"
    made = Table(
        f"xomp's instructions per construct, {now.compiler} ({same}).",
        ("construct", "kept", "now", "at most"),
    )
    for what in dict.fromkeys((*kept.outside, *now.outside)):
        before, after = kept.outside.get(what), now.outside.get(what)
        most = limit(before, kept.compiler == now.compiler) if before is not None else None
        cells = ("-" if value is None else f"{value:.1f}" for value in (before, after, most))
        made.rows.append((what, *cells))
    return made
