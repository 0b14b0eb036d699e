# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`setup`: installs the peers that this machine lacks, and says what is there and what is not."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import typer

from xomp.bench.pages import Table, show
from xomp.errors import BadInputError
from xomp.shared import apps
from xomp.shared.errors import BuildError, MissingRuntimeError
from xomp.shared.paths import BUILD, PEERS, ROOT
from xomp.shared.runtimes import KNOWN, find


@dataclass(frozen=True)
class Piece:
    name: str
    purpose: str
    look: Callable[[], str]  # where it is; raises one of ABSENT
    hint: str


ABSENT = (BadInputError, BuildError, MissingRuntimeError, OSError)


def tool(*names: str) -> Callable[[], str]:
    def look() -> str:
        for name in names:
            if path := shutil.which(name):
                return path
        raise MissingRuntimeError(f"no {names[0]}")

    return look


def module(name: str) -> Callable[[], str]:
    def look() -> str:
        found = importlib.util.find_spec(name)
        if found is None or found.origin is None:
            raise MissingRuntimeError(f"no Python package {name}")
        return found.origin

    return look


def runtime(label: str) -> Callable[[], str]:
    return lambda: str(find(label).library)


HINTS = {
    "libomp": "Debian: libomp-19-dev",
    "libiomp5": "PyPI: intel-openmp",
    "xomp": "make",
}


def pieces() -> list[Piece]:
    """All that the harness can use."""
    peers = [Piece(name, "runtime", runtime(name), HINTS.get(name, "gcc")) for name in KNOWN]
    own = [
        Piece(
            app.name, f"application, {app.threads}", lambda app=app: str(apps.build(app.name)), ""
        )
        for app in apps.discover().values()
        if app.packages or app.threads != "openmp"
    ]
    return [
        *peers,
        Piece("clang", "compiler", tool("clang-19", "clang"), "Debian: clang-19"),
        Piece("valgrind", "icount", tool("valgrind"), "Debian: valgrind"),
        Piece("matplotlib", "plots", module("matplotlib"), "PyPI: matplotlib"),
        Piece("scipy", "compare", module("scipy"), "PyPI: scipy"),
        Piece("parsl", "sweep --executor parsl:", module("parsl"), "PyPI: parsl"),
        *own,
    ]


def fetch_libiomp5() -> bool:
    """Takes libiomp5.so out of the PyPI wheel intel-openmp into build/peers."""
    library = PEERS / "libiomp5.so"
    if library.exists():
        return True
    PEERS.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    done = subprocess.run([*command, "--dest", str(PEERS), "intel-openmp"])
    wheels = sorted(PEERS.glob("intel_openmp-*.whl"), key=lambda path: path.stat().st_mtime)
    if done.returncode != 0 or not wheels:
        print("pip cannot download intel-openmp", file=sys.stderr)
        return False
    with zipfile.ZipFile(wheels[-1]) as wheel:
        member = next(name for name in wheel.namelist() if name.endswith("/lib/libiomp5.so"))
        library.write_bytes(wheel.read(member))
    for wheel_path in wheels:
        wheel_path.unlink()
    return True


def peers() -> int:
    """What tools/bootstrap calls."""
    return 0 if fetch_libiomp5() else 1


def install() -> None:
    """Has tools/bootstrap try everything, also what it could not install once."""
    fetch_libiomp5()
    for mark in (BUILD / ".bootstrap-tried", *(BUILD / "venv").glob(".tried-*")):
        mark.unlink(missing_ok=True)
    bootstrap = ROOT / "tools/bootstrap"
    if bootstrap.exists():
        subprocess.run([bootstrap, "bench"], cwd=ROOT)


def setup(
    look: Annotated[bool, typer.Option("--look", help="Install nothing, only look.")] = False,
) -> int:
    """Status 0 also where something is missing: whatever needs it is named and skipped."""
    if not look:
        install()
    table = Table("What the harness can use here.", ("name", "for", "found"), left=3)
    for piece in pieces():
        try:
            found = piece.look()
        except ABSENT as error:
            hint = f" ({piece.hint})" if piece.hint and piece.hint not in str(error) else ""
            found = f"missing: {str(error).splitlines()[0]}{hint}"
        table.rows.append((piece.name, piece.purpose, found))
    show([table])
    return 0
