# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From what is asked for to the jobs to run: applications, variants, sizes, settings, runtimes.

Everything named is checked here, before anything is run.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from xomp.bench.run import Case, Job
from xomp.errors import BadInputError, unknown
from xomp.shared import apps, loaded
from xomp.shared.errors import BuildError, MissingRuntimeError, MissingToolError
from xomp.shared.machine import processors
from xomp.shared.runtimes import Runtime, check_loads, tasking_library, unresolved

SIZES = ("test", "small", "medium", "paper")
SERIAL = "serial"
VARIABLE = re.compile(r"(OMP|XOMP|GOMP|KMP)_\w+$")


@dataclass
class Selection:
    """The cases that were asked for, and what is left out, with the reason."""

    cases: list[Case] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)  # does not compile


def parse_settings(texts: Iterable[str]) -> dict[str, list[str]]:
    """KEY=VALUE; a key that is given again is an axis with several values."""
    settings: dict[str, list[str]] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not re.fullmatch(r"[\w.-]+", key):
            raise BadInputError(f"--set needs KEY=VALUE, not {text!r}")
        settings.setdefault(key, []).append(value)
    return settings


def combinations(settings: dict[str, list[str]]) -> list[tuple[tuple[str, str], ...]]:
    keys = list(settings)
    return [
        tuple(zip(keys, values, strict=True)) for values in itertools.product(*settings.values())
    ]


def variants_of(name: str, wanted: str) -> list[str]:
    """The names of variants that the text after APP: stands for; empty means the default."""
    known = [variant["name"] for variant in apps.describe(name)["variants"]]
    if wanted == "":
        return known[:1]
    chosen = wanted.split(",")
    if "all" in chosen:
        return known
    for each in chosen:
        if each not in known:
            raise BadInputError(f"{name} has {unknown('variant', each, known)}")
    return list(dict.fromkeys(chosen))


def parameters_for(name: str, settings: dict[str, list[str]]) -> dict[str, list[str]]:
    """Those settings that are parameters of this application: KEY, or APP.KEY for it alone."""
    known = [parameter["name"] for parameter in apps.describe(name)["parameters"]]
    chosen = {}
    for key, values in settings.items():
        app, dot, parameter = key.rpartition(".")
        if dot and app != name:
            continue
        if parameter not in known:
            raise BadInputError(f"{name} has {unknown('parameter', parameter, known)}")
        chosen[parameter] = values
    return chosen


def named_apps(names: Iterable[str]) -> dict[str, str]:
    """Each APP[:VARIANT,...] as application and variants; `all` stands for every application."""
    chosen: dict[str, str] = {}
    for text in names:
        app, _, variants = text.partition(":")
        for name in apps.discover() if app == "all" else [app]:
            apps.framed(name)
            wanted = (chosen.get(name), variants)
            chosen[name] = ",".join(filter(None, wanted))
    return chosen


def select(
    names: Sequence[str],
    sizes: Sequence[str] = ("small",),
    settings: dict[str, list[str]] | None = None,
    data: Path | None = None,
    compilers: Sequence[str] = ("gcc",),
) -> Selection:
    """Every combination of the applications' variants, sizes, settings and compilers."""
    for size in sizes:
        if size not in SIZES:
            raise BadInputError(unknown("size", size, SIZES))
    check_compilers(compilers)
    if data is not None and not data.is_dir():
        raise BadInputError(f"--data {data} is not a folder that can be read")
    settings = settings or {}
    variables = {key: values for key, values in settings.items() if VARIABLE.match(key)}
    others = {key: values for key, values in settings.items() if key not in variables}
    chosen = named_apps(names)
    for key in others:
        app, dot, _ = key.rpartition(".")
        if dot and app not in chosen:
            raise BadInputError(f"--set {key}: {app!r} is not among the applications to run")
    found = Selection()
    build_all(chosen, compilers)
    for (name, wanted), compiler in itertools.product(chosen.items(), compilers):
        place = name if compiler == "gcc" else f"{name} ({compiler})"
        try:
            apps.build(name, compiler)
            variants = variants_of(name, wanted)
            parameters = parameters_for(name, others)
        except MissingToolError as error:
            found.skipped[place] = str(error)
            continue
        except BuildError as error:
            found.broken[place] = str(error)
            continue
        found.cases += [
            Case(name, variant, size, given, surroundings, compiler, str(data) if data else None)
            for size in sizes
            for variant in variants
            for given in combinations(parameters)
            for surroundings in combinations(variables)
        ]
    return found


def build_all(names: Iterable[str], compilers: Sequence[str]) -> None:
    """Compiles several applications at a time; what fails is asked for again, and then told."""

    def attempt(name: str, compiler: str) -> None:
        with contextlib.suppress(BuildError):
            apps.build(name, compiler)

    with ThreadPoolExecutor(processors()) as pool:
        for name, compiler in itertools.product(names, compilers):
            pool.submit(attempt, name, compiler)


def serial_cases(cases: Iterable[Case]) -> list[Case]:
    """The serial code of each OpenMP application among the cases, with the same input."""
    serial = {
        replace(case, variant=SERIAL): None
        for case in cases
        if apps.get(case.app).threads == "openmp"
        and any(each["name"] == SERIAL for each in apps.describe(case.app)["variants"])
    }
    return list(serial)


def make_job(case: Case, runtime: Runtime, threads: int, limit: float) -> Job:
    """One case on one runtime. An application with a tasking library of its own runs on that."""
    app = apps.get(case.app)
    program = apps.build(case.app, case.compiler)
    if case.data:
        case = replace(case, data=str(Path(case.data).resolve()))
    return Job(runtime, threads, program, case.arguments, limit, app.deep, case)


def jobs(
    cases: Iterable[Case],
    runtimes: Sequence[Runtime],
    threads: Sequence[int],
    limit: float = 120.0,
    skipped: dict[str, str] | None = None,
) -> list[Job]:
    """Every case on every runtime that can run it; the reasons of the rest go into `skipped`."""
    skipped = {} if skipped is None else skipped
    chosen: dict[tuple, Job] = {}
    cases = list(cases)
    for variables in dict.fromkeys(case.variables for case in cases if case.variables):
        for runtime in runtimes:
            check_loads(runtime, dict(variables))
    for case in cases:
        app = apps.get(case.app)
        program = apps.build(case.app, case.compiler)
        usable = runtimes if app.threads == "openmp" else own_runtime(app, program, skipped)
        for runtime in usable:
            if app.threads == "openmp" and (lacks := lacking(program, runtime)):
                skipped[f"{case.app} ({case.compiler}) on {runtime.label}"] = lacks
                continue
            for count in counts_for(case, runtime, threads):
                job = make_job(case, runtime, count, limit)
                chosen.setdefault(job.key, job)
    return list(chosen.values())


def able(
    name: str, compiler: str, runtimes: Sequence[Runtime], skipped: dict[str, str]
) -> list[tuple[Runtime, Path]]:
    """The runtimes that can run this program of the harness, with the program as `compiler`
    builds it."""
    check_compilers([compiler])
    try:
        program = apps.build(name, compiler)
    except MissingToolError as error:
        skipped[f"{name} ({compiler})"] = str(error)
        return []
    found = []
    for runtime in runtimes:
        if lacks := lacking(program, runtime):
            skipped[f"{name} ({compiler}) on {runtime.label}"] = lacks
        else:
            found.append((runtime, program))
    return found


def lacking(program: Path, runtime: Runtime) -> str:
    """What keeps the program from running there, or nothing."""
    if lacks := unresolved(program, runtime.library):
        return f"needs {lacks[0]}, which {runtime.library.name} does not have"
    check_taken(program, runtime)
    return ""


@lru_cache
def taken_by(program: Path, library: Path, folder: Path) -> Path | None:
    runtime = Runtime(program.name, library, folder)
    return loaded.loaded_library(program, runtime.environment(1), "libomp")


def check_taken(program: Path, runtime: Runtime) -> None:
    """A binary of clang asks for libomp.so.5, which the loader must not find somewhere else."""
    if not program.name.endswith("-clang") or runtime.folder is None:
        return
    taken = taken_by(program, runtime.library, runtime.folder)
    if taken != runtime.library:
        raise BadInputError(
            f"runtime {runtime.label}: the loader takes {taken} for {program.name}, "
            f"not {runtime.library}"
        )


def check_compilers(compilers: Iterable[str]) -> None:
    for compiler in compilers:
        if compiler not in apps.COMPILERS:
            raise BadInputError(unknown("compiler", compiler, apps.COMPILERS))


def own_runtime(app: apps.App, program: Path, skipped: dict[str, str]) -> list[Runtime]:
    """The tasking library of an application that does not use OpenMP; empty if it is missing."""
    try:
        return [tasking_library(program, app.threads)]
    except MissingRuntimeError as error:
        skipped[app.name] = str(error)
        return []


def counts_for(case: Case, runtime: Runtime, threads: Sequence[int]) -> Sequence[int]:
    """The floor has one thread whatever it is asked for, and serial code needs no more."""
    return [1] if case.variant == SERIAL or runtime.label.startswith("floor") else threads
