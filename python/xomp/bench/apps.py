# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the benchmark programs with the stock compilers, when their sources are newer."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from xomp.bench.paths import BENCH, SOURCES


class BuildError(Exception):
    """A program that cannot be built; the message says why."""


@dataclass(frozen=True)
class App:
    name: str
    sources: tuple[str, ...]
    compiler: str = "gcc"
    flags: tuple[str, ...] = ("-O2", "-fopenmp")
    libraries: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        return BENCH / self.name


FLOOR_MAP = SOURCES / "floor" / "floor.map"

APPS = {
    app.name: app
    for app in (
        App("fib", ("apps/fib.c",), headers=("apps/cpu_time.h",)),
        App("uts", ("apps/uts.c", "apps/sha1.c"), headers=("apps/sha1.h", "apps/cpu_time.h")),
        App("hello", ("apps/hello.c",)),
        App("micro", ("apps/micro.c",)),
        App("sha1_check", ("apps/sha1_check.c", "apps/sha1.c"), headers=("apps/sha1.h",)),
        App("stopwatch", ("apps/stopwatch.c",), flags=("-O2", "-static")),
        App("fib_tbb", ("scale/fib_tbb.cpp",), "g++", ("-O2",), ("-ltbb",), ("apps/cpu_time.h",)),
        App(
            "floor/libgomp.so.1",
            ("floor/floor.c",),
            flags=(
                *("-O2", "-fPIC", "-shared", "-Wl,-soname,libgomp.so.1"),
                f"-Wl,--version-script={FLOOR_MAP}",
            ),
            headers=("floor/floor.map",),
        ),
    )
}


def build(name: str) -> Path:
    """Brings the program up to date and returns its path."""
    app = APPS[name]
    sources = [SOURCES / source for source in app.sources]
    inputs = sources + [SOURCES / header for header in app.headers]
    missing = [source for source in inputs if not source.exists()]
    if missing:
        raise BuildError(f"{missing[0]} is missing: the benchmarks need a source tree")
    newest = max(source.stat().st_mtime for source in inputs)
    if app.path.exists() and app.path.stat().st_mtime > newest:
        return app.path
    if shutil.which(app.compiler) is None:
        raise BuildError(f"{app.compiler} is not installed")
    app.path.parent.mkdir(parents=True, exist_ok=True)
    # Written aside and renamed, so that a run or a build beside this one is not disturbed.
    fresh = app.path.with_name(f"{app.path.name}.{os.getpid()}")
    command = [app.compiler, *app.flags, *map(str, sources), "-o", str(fresh), *app.libraries]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)}\n{done.stderr.strip()}")
    fresh.replace(app.path)
    return app.path
