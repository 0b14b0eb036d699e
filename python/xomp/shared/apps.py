# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the benchmark applications (bench/apps/*/app.json) and compiles them when sources change.

An application consists of its sources, the frame (bench/frame/app.c) and the thread starter of its
tasking library. A few programs without the frame serve the harness itself: `PLUMBING`.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from xomp.errors import BadInputError, unknown
from xomp.shared.errors import BuildError, MissingToolError
from xomp.shared.paths import BENCH, SOURCES, need_sources

FLOOR_MAP = SOURCES / "floor" / "floor.map"

# What bench/frame/threads_* of each tasking library is linked with.
LIBRARIES_OF = {"openmp": (), "tbb": ("-ltbb",), "ptl": ("-lptl", "-ltbb")}

# The compilers of each family, by the language of a source. The first that is installed is taken.
COMPILERS = {
    "gcc": {"c": ("gcc",), "c++": ("g++",), "fortran": ("gfortran",)},
    "clang": {
        "c": ("clang-19", "clang"),
        "c++": ("clang++-19", "clang++"),
        "fortran": ("flang-new-19", "flang-19", "flang"),
    },
}
LANGUAGES = {".c": "c", ".S": "c", ".cpp": "c++", ".cc": "c++", ".f90": "fortran"}
LANGUAGE_OF = {"gcc": "c", "g++": "c++", "gfortran": "fortran"}


@dataclass(frozen=True)
class App:
    name: str
    sources: tuple[Path, ...]
    compiler: str = "gcc"  # whose driver links
    flags: tuple[str, ...] = ("-O2", "-fopenmp")
    libraries: tuple[str, ...] = ()
    inputs: tuple[Path, ...] = ()  # read by flags, so not found by the compiler
    about: str = ""
    papers: tuple[int, ...] = ()
    packages: tuple[str, ...] = ()  # Debian packages that it needs
    threads: str = "openmp"  # the tasking library
    deep: bool = False  # recursion too deep for the usual stacks
    error: str = ""  # why its description cannot be used

    def path(self, family: str = "gcc") -> Path:
        # The name tells them apart in results, where programs are called by it.
        return BENCH / ("apps" if family == "gcc" else family) / self.program(family)

    def program(self, family: str) -> str:
        return self.name if family == "gcc" else f"{self.name}-{family}"


PLUMBING = {
    app.name: app
    for app in (
        App("balance", (SOURCES / "balance/balance.c", SOURCES / "balance/shapes.c")),
        App("distance", (SOURCES / "apps/distance.c",), flags=("-O2", "-pthread", "-static")),
        App("hello", (SOURCES / "apps/hello.c",)),
        App("locks", (SOURCES / "apps/locks.c",)),
        App("memory", (SOURCES / "apps/memory.c",)),
        # clang calls libatomic for an atomic update of this size.
        App("micro", (SOURCES / "apps/micro.c",), libraries=("-Wl,--as-needed", "-latomic")),
        App("producer", (SOURCES / "apps/producer.c",)),
        App("sha1_check", (SOURCES / "apps/sha1_check.c", SOURCES / "apps/uts/sha1.c")),
        App("stopwatch", (SOURCES / "apps/stopwatch.c",), flags=("-O2", "-static")),
        App(
            "floor/libgomp.so.1",
            (SOURCES / "floor/floor.c",),
            flags=(
                *("-O2", "-fPIC", "-shared", "-Wl,-soname,libgomp.so.1"),
                f"-Wl,--version-script={FLOOR_MAP}",
            ),
            inputs=(FLOOR_MAP,),
        ),
        App("recorder.so", (SOURCES / "recorder/recorder.c",), flags=("-O2", "-fPIC", "-shared")),
    )
}


def read_app(description: Path) -> App:
    """The application that an app.json describes."""
    folder = description.parent
    try:
        told = json.loads(description.read_text())
        threads = told.get("threads", "openmp")
        starter = next((SOURCES / "frame").glob(f"threads_{threads}.c*"), None)
        if starter is None or threads not in LIBRARIES_OF:
            raise ValueError(f"no bench/frame/threads_{threads}.c")
        own = tuple((folder / source).resolve() for source in told["sources"])
        return App(
            name=folder.name,
            sources=(*own, SOURCES / "frame/app.c", starter),
            # The thread starters of the other libraries are C++.
            compiler=told.get("compiler", "gcc" if starter.suffix == ".c" else "g++"),
            flags=("-O2", *(["-fopenmp"] if threads == "openmp" else []), *told.get("flags", [])),
            libraries=(*told.get("libraries", []), *LIBRARIES_OF[threads]),
            inputs=(description,),
            about=told["about"],
            papers=tuple(told.get("papers", [])),
            packages=tuple(told.get("packages", [])),
            threads=threads,
            deep=bool(told.get("deep", False)),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        return App(folder.name, (), error=f"{description}: {error!r}")


@lru_cache
def discover() -> dict[str, App]:
    """All applications with the frame, by name."""
    return {
        description.parent.name: read_app(description)
        for description in sorted((SOURCES / "apps").glob("*/app.json"))
    }


def framed(name: str) -> App:
    """An application by name."""
    need_sources()
    if name not in discover():
        raise BadInputError(unknown("application", name, discover()))
    return discover()[name]


def get(name: str) -> App:
    """An application, or a program of the harness, by name."""
    return PLUMBING.get(name) or framed(name)


def compiler_for(language: str, family: str) -> str:
    choices = COMPILERS[family].get(language, ())
    for choice in choices:
        if shutil.which(choice) is not None:
            return choice
    if not choices:
        raise MissingToolError(f"{family} does not compile {language}")
    raise MissingToolError(f"{choices[0]} is not installed")


def needed(dependencies: Path) -> list[Path]:
    """The files that the compiler read, as it wrote them down for make: `object: file file \\`.
    Spaces in names have a backslash before them, and dollar signs another dollar sign."""
    text = dependencies.read_text().replace("\\\n", " ")
    words = re.findall(r"(?:\\[ #]|\S)+", text)[1:]
    return [Path(re.sub(r"\\([ #])", r"\1", word).replace("$$", "$")) for word in words]


def is_fresh(output: Path, inputs: list[Path]) -> bool:
    try:
        made = output.stat().st_mtime_ns
        return all(path.stat().st_mtime_ns < made for path in inputs)
    except FileNotFoundError:
        return False


def absent_packages(packages: tuple[str, ...]) -> list[str]:
    """Which of the Debian packages are not installed; all of them where nobody can tell."""
    if shutil.which("dpkg-query") is None:
        return list(packages)
    command = ["dpkg-query", "--show", "--showformat=${db:Status-Status}"]
    return [
        package
        for package in packages
        if subprocess.run([*command, package], capture_output=True, text=True).stdout != "installed"
    ]


def execute(app: App, command: list[str], output: Path) -> None:
    """Runs a compiler that writes aside, so that a run or a build beside this one is safe."""
    output.parent.mkdir(parents=True, exist_ok=True)
    fresh = output.with_name(f"{output.name}.{os.getpid()}")
    started = time.time_ns()
    done = subprocess.run([*command, "-o", str(fresh)], capture_output=True, text=True)
    if done.returncode != 0:
        fresh.unlink(missing_ok=True)
        if absent := absent_packages(app.packages):
            raise MissingToolError(f"needs the Debian package {' and '.join(absent)}")
        raise BuildError(f"{' '.join(command)}\n{done.stderr.strip()}")
    os.utime(fresh, ns=(started, started))  # older than a source that changed meanwhile
    fresh.replace(output)


def compile_source(app: App, source: Path, family: str) -> Path:
    """Brings one object file up to date."""
    if source.suffix == ".a":  # fetched and compiled by tools/bootstrap
        return source
    language = LANGUAGES.get(source.suffix)
    if language is None:
        raise BuildError(f"{source}: no compiler for {source.suffix}")
    flags = [flag for flag in app.flags if not flag.startswith("-Wl,")]
    owner, inputs = app.name, app.inputs
    if source.parent == SOURCES / "frame":  # of all applications with these flags
        owner, inputs = "".join(["frame", *flags]), ()
    unit = BENCH / "objects" / family / owner / f"{source.parent.name}-{source.name}.o"
    notes = unit.with_suffix(".d")
    if notes.exists() and is_fresh(unit, [*needed(notes), *inputs]):
        return unit
    if not source.exists():
        raise BuildError(f"{source} is missing: the benchmarks need a source tree")
    unit.parent.mkdir(parents=True, exist_ok=True)
    compiler = compiler_for(language, family)
    noted = notes.with_name(f"{notes.name}.{os.getpid()}")
    command = [compiler, *flags, "-c", str(source)]
    if language == "fortran":  # which writes no dependencies
        escaped = str(source).replace("$", "$$").replace(" ", "\\ ")
        noted.write_text(f"object: {escaped}\n")
    else:
        command += ["-MD", "-MF", str(noted)]
    execute(app, command, unit)
    noted.replace(notes)
    return unit


def build(name: str, family: str = "gcc") -> Path:
    """Brings the program up to date, with gcc's or clang's compilers, and returns its path."""
    app = get(name)
    if app.error:
        raise BuildError(app.error)
    for source in app.sources:
        if source.suffix == ".a" and not source.exists():
            raise MissingToolError(f"needs {source.name}, which `tools/bootstrap bench` fetches")
    output = app.path(family)
    with one_builder(app):
        objects = [compile_source(app, source, family) for source in app.sources]
        if is_fresh(output, [*objects, *app.inputs]):
            return output
        if sys.stderr.isatty():  # many at once take their time
            print(f"building {output}", file=sys.stderr)
        linker = compiler_for(LANGUAGE_OF[app.compiler], family)
        execute(app, [linker, *app.flags, *map(str, objects), *app.libraries], output)
    return output


@contextmanager
def one_builder(app: App) -> Iterator[None]:
    """Of several processes that want a program, one builds it, and the others wait for that. What
    is locked is its source, so that nothing is written where all is up to date."""
    source = app.sources[0]
    if not source.exists():  # what needs it says so
        yield
        return
    with source.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


@lru_cache
def describe(name: str) -> dict:
    """The application's variants and parameters, as the program itself tells them."""
    program = build(name)
    done = subprocess.run([program, "--describe"], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise BuildError(f"{program} --describe: {done.stderr.strip() or done.returncode}")
    try:
        return json.loads(done.stdout)
    except ValueError as error:
        raise BuildError(f"{program} --describe printed no JSON: {error}") from error
