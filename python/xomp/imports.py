# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which OpenMP runtimes a Python script would come to: those that libraries need of the packages
that it imports by name. Nothing of the script is run, and nothing of the packages."""

from __future__ import annotations

import ast
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from xomp.elf_head import ElfError, read_head
from xomp.reach import family, find_interpreter

# For each name where its package lies, as Python itself finds it. Of a name without dots
# find_spec imports nothing.
LOCATE = """\
import importlib.util, json, sys
script, *names = sys.argv[1:]
sys.path[0] = script
found, missing = {}, []
for name in names:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        continue
    if spec is None:
        missing.append(name)
    elif spec.submodule_search_locations or spec.origin:
        found[name] = list(spec.submodule_search_locations or [spec.origin])
print(json.dumps([sys.executable, found, missing]))
"""


@dataclass
class Imports:
    """What is known of a script: its interpreter, the OpenMP runtimes of each package, and what the
    interpreter does not find."""

    python: str
    packages: dict[str, dict[str, int]]  # by package and name of a runtime: how many libraries
    missing: list[str]


def is_python(path: str) -> bool:
    """Whether a file is a script that Python would run."""
    try:
        interpreter = find_interpreter(path)
    except OSError:
        return False
    if interpreter is None:
        return path.endswith(".py")
    return Path(interpreter).name.startswith("python")


def look_at(path: str) -> Imports | None:
    """None where Python cannot read the script, or there is no Python."""
    script = Path(path)
    python = find_interpreter(path) or "python3"
    try:
        names = sorted(imported(ast.parse(script.read_bytes())))
        words = [python, "-c", LOCATE, str(script.resolve().parent), *names]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        executable, places, missing = json.loads(done.stdout)
    except (SyntaxError, ValueError, OSError, subprocess.CalledProcessError):
        return None
    packages = {name: runtimes(map(Path, where)) for name, where in places.items()}
    return Imports(executable, {name: found for name, found in packages.items() if found}, missing)


def imported(tree: ast.AST) -> set[str]:
    """The first part of each name that is imported somewhere in a script."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names


def runtimes(places) -> dict[str, int]:
    """The OpenMP runtimes that shared libraries in these folders, or these files, need."""
    counts: dict[str, int] = {}
    for place in places:
        for file in sorted(place.rglob("*.so*")) if place.is_dir() else [place]:
            try:
                needed = read_head(str(file)).needed
            except (ElfError, OSError):
                continue
            for name in filter(family, needed):
                counts[name] = counts.get(name, 0) + 1
    return counts
