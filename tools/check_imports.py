#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that imports in python/xomp point downwards, and that no modules import each other.

A layer may import itself and the layers that are listed for it. Imports within functions, and those
for type checkers, count as well. Commands that are named in a string and imported when they are
called (cli/commands.py, bench/cli.py) do not.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "python" / "xomp"

# A layer is a folder with what is below it, a module beside the layers that has a line of its own,
# or the others of these, on which `xomp run` stands: ".". Of a folder in which there are layers
# only the modules directly in it belong to it. A layer not listed as a key does not exist.
BASE = {"."}
READING = {"profile/reading", "shared", *BASE}
MAY_IMPORT = {
    ".": set(),
    "shared": BASE,
    "cli": {"shared", *BASE},
    "info": {"shared", *BASE},
    "kernel": {"cli", *BASE},
    "profile/reading": {"shared", *BASE},
    "profile/recording": READING,
    "profile/analysing": READING,
    "profile/showing": {"profile/analysing", "profile/recording", *READING},
    "profile": {"profile/analysing", "profile/recording", "profile/showing", *READING},
    "conformance": {"cli", "shared", *BASE},
    "bench": {"cli", *READING},
    "repro": {"bench", "profile/analysing", "profile/showing", "cli", *READING},
    "start": {"cli", *BASE},
    "__main__": {"start"},
}


def layer_of(module: Path) -> str:
    """The layer of a path below the package, or what would be its name if there were one."""
    if module.stem in MAY_IMPORT and (module.stem == "__main__" or len(module.parts) == 1):
        return module.stem
    folder = module.parent.as_posix()
    if folder in MAY_IMPORT:
        return folder
    above = (each.as_posix() for each in module.parent.parents)
    divided = {Path(layer).parent.as_posix() for layer in MAY_IMPORT}
    return next((each for each in above if each in MAY_IMPORT and each not in divided), folder)


def imported(source: Path, package: Path) -> Iterator[tuple[int, str, Path | None]]:
    """Line, name, and path below the package of each module of it that is imported; None: there is
    none."""
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
            if node.level:
                yield node.lineno, "." * node.level + names[0], None
                continue
            inner = [f"{names[0]}.{alias.name}" for alias in node.names]
            modules = [name for name in inner if path_of(name, package)]
            names = modules if len(modules) == len(inner) else [*names, *modules]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            if name.split(".")[0] == package.name:
                yield node.lineno, name, path_of(name, package)


def path_of(name: str, package: Path) -> Path | None:
    """The file of a module, below the package."""
    below = Path(*name.split(".")[1:])
    choices = (below / "__init__.py", below.with_suffix(".py") if below.name else below)
    return next((each for each in choices if (package / each).is_file()), None)


def complaints(package: Path) -> list[str]:
    """What is wrong with the imports of all modules."""
    found, graph = [], {}
    for source in sorted(package.rglob("*.py")):
        below = source.relative_to(package)
        where, layer = source.relative_to(package.parent.parent), layer_of(below)
        graph[below] = set()
        if layer not in MAY_IMPORT:
            found.append(f"{where}: '{layer}' is not a layer")
            continue
        for line, name, target in imported(source, package):
            if target is None:
                found.append(f"{where}:{line}: '{name}' is not a module of {package.name}")
                continue
            graph[below].add(target)
            home = layer_of(target)
            if home != layer and home not in MAY_IMPORT[layer]:
                found.append(f"{where}:{line}: {layer} may not import '{name}', which is of {home}")
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found.append(f"imports in a circle: {' <- '.join(map(str, error.args[1]))}")
    return found


def main() -> int:
    package = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else PACKAGE
    found = complaints(package)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
