# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runtimes to compare, and how a stock gcc binary is made to run on each.

Every runtime is offered to the dynamic loader in the same way: as ``libgomp.so.1`` in a folder of
its own, which is the only entry of ``LD_LIBRARY_PATH``. LLVM's and Intel's runtimes export the
``GOMP_*`` entry points under libgomp's symbol versions, so a link with that name is enough. They
are there as ``libomp.so.5`` too, for the binaries of clang.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from xomp import elf
from xomp.errors import BadInputError, unknown
from xomp.shared import apps, loaded
from xomp.shared.errors import BuildError, MissingRuntimeError
from xomp.shared.paths import BENCH, BUILD, PEERS

KNOWN = ("libgomp", "libomp", "libiomp5", "xomp", "floor")
XOMP_VARIABLE = "BENCH_XOMP_LIBRARY"  # another libxomp, for the tests
SERVES_CLANG = ("libomp", "libiomp5", "xomp")
FOREIGN = re.compile(r"^(OMP_|GOMP_|KMP_|XOMP_|LD_PRELOAD$|LD_LIBRARY_PATH$)")
ABI = re.compile(r"^(GOMP_|omp_|__kmpc_)")
REFUSED = re.compile(r"ignored|invalid|unknown|using the default", re.IGNORECASE)
LOAD_SECONDS = 30.0

# Libraries of tasks that bring their own threads: label, and the library by whose version they go.
TASKING = {"tbb": ("oneTBB", "libtbb"), "ptl": ("PTL", "libptl")}


@dataclass(frozen=True)
class Runtime:
    label: str  # as given on the command line, for example xomp@XOMP_BARRIER=central
    library: Path
    folder: Path | None  # for LD_LIBRARY_PATH; None leaves the choice to the loader
    settings: dict[str, str] = field(default_factory=dict, hash=False)

    def environment(self, threads: int, extra: dict[str, str] | None = None) -> dict[str, str]:
        """The surrounding environment without OpenMP settings, and this runtime's own."""
        env = {key: value for key, value in os.environ.items() if not FOREIGN.match(key)}
        env["OMP_NUM_THREADS"] = str(threads)
        if self.folder is not None:
            env["LD_LIBRARY_PATH"] = str(self.folder)
        env.update(extra or {})
        env.update(self.settings)
        return env

    def describe(self) -> dict[str, str]:
        digest = hashlib.sha256(self.library.read_bytes()).hexdigest()[:16]
        return {"runtime": self.label, "library": str(self.library), "sha256": digest}


def parse_label(label: str) -> tuple[str, dict[str, str]]:
    """Splits NAME@KEY=VALUE,KEY=VALUE; a value may hold commas if no KEY= follows them."""
    name, _, text = label.partition("@")
    settings = {}
    for part in re.split(r",(?=[A-Za-z_]\w*=)", text) if text else []:
        key, equals, value = part.partition("=")
        if not key or not equals:
            raise BadInputError(f"runtime {label}: expected KEY=VALUE after @, not {part!r}")
        settings[key] = value
    return name, settings


def loaded_library(program: Path, env: dict[str, str], name: str = "libgomp") -> Path:
    """The library that the loader takes for the program."""
    found = loaded.loaded_library(program, env, name)
    if found is None:
        raise MissingRuntimeError(f"the loader finds no {name}.so")
    return found


def system_libgomp() -> Path:
    clean = {key: value for key, value in os.environ.items() if not FOREIGN.match(key)}
    return loaded_library(apps.build("hello"), clean)


def llvm_libomp() -> Path:
    def version(path: Path) -> int:
        return int(re.search(r"llvm-(\d+)", str(path))[1])

    found = sorted(Path("/usr/lib").glob("llvm-[0-9]*/lib/libomp.so*"), key=version)
    if not found:
        raise MissingRuntimeError("no /usr/lib/llvm-*/lib/libomp.so (Debian: libomp-19-dev)")
    return found[-1].resolve()


def locate(name: str, given: str | None = None) -> Path:
    """The library of that runtime: the one that was given, or the usual one."""
    if name not in KNOWN:
        raise BadInputError(unknown("runtime", name, KNOWN))
    if given is not None:
        if not Path(given).is_file():
            raise BadInputError(f"runtime {name}: no library {given}")
        return Path(given).resolve()
    if name == "floor":
        return apps.build("floor/libgomp.so.1")
    if name == "libgomp":
        return system_libgomp()
    if name == "libomp":
        return llvm_libomp()
    if name == "libiomp5":
        library = PEERS / "libiomp5.so"
        hint = "`xomp bench setup` fetches it"
    else:
        library = Path(os.environ.get(XOMP_VARIABLE, BUILD / "lib" / "libgomp.so.1"))
        hint = "build it with `make`"
    if not library.exists():
        raise MissingRuntimeError(f"no {library} ({hint})")
    return library.resolve()


def offer(library: Path, folder: Path, names: tuple[str, ...]) -> None:
    """Puts links to the library into the folder, undisturbed by somebody who does the same."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        link = folder / name
        if not link.is_symlink() or link.resolve() != library:
            fresh = folder / f"{name}.{os.getpid()}"
            fresh.symlink_to(library)
            fresh.replace(link)


def refusal(errors: str, settings: Iterable[str]) -> str | None:
    """What a library says of the first variable that it does not take as it is."""
    for line in errors.splitlines():
        if REFUSED.search(line) and any(re.search(rf"\b{key}\b", line) for key in settings):
            return line.strip()
    return None


def check_loads(runtime: Runtime, extra: dict[str, str] | None = None) -> None:
    """Runs a small program, as a file of the right name need not be a library that works.

    Nor need a variable be in force: what a library ignores must not be measured under its name.
    """
    hello = apps.build("hello")
    env = runtime.environment(1, extra)
    command = {"env": env, "capture_output": True, "text": True, "timeout": LOAD_SECONDS}
    try:
        done = subprocess.run([hello], **command)
    except subprocess.TimeoutExpired:
        raise BadInputError(f"runtime {runtime.label} does not run a hello program") from None
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise BadInputError(f"runtime {runtime.label} cannot be loaded: {reason}")
    if complaint := refusal(done.stderr, {**(extra or {}), **runtime.settings}):
        raise BadInputError(f"runtime {runtime.label}: {complaint}")
    taken = loaded_library(hello, env)
    if taken != runtime.library:
        raise BadInputError(
            f"runtime {runtime.label}: the loader takes {taken}, not {runtime.library}"
        )


def find(label: str) -> Runtime:
    """The runtime, checked to be the one that a program really loads.

    NAME@LIBRARY=PATH is another build of it.
    """
    name, settings = parse_label(label)
    given = settings.pop("LIBRARY", None)
    library = locate(name, given)
    folder = BENCH / "lib" / name
    if given or (name == "xomp" and XOMP_VARIABLE in os.environ):
        # Not in the usual folder, from which other commands may be running at this moment.
        folder = folder.with_name(f"{name}-{hashlib.sha256(bytes(library)).hexdigest()[:12]}")
    names = ("libgomp.so.1", *(("libomp.so.5", "libomp.so") if name in SERVES_CLANG else ()))
    offer(library, folder, names)
    runtime = Runtime(label, library, folder, settings)
    check_loads(runtime)
    return runtime


def find_all(labels: Sequence[str]) -> tuple[list[Runtime], dict[str, str]]:
    """The runtimes that are there, and for the others why not."""
    found, missing = [], {}
    for label in dict.fromkeys(labels):
        try:
            found.append(find(label))
        except (MissingRuntimeError, BuildError) as error:
            missing[label] = str(error)
    return found, missing


def tasking_library(program: Path, threads: str) -> Runtime:
    """The runtime of a program that has its own: `threads` as in app.json."""
    label, name = TASKING[threads]
    clean = {key: value for key, value in os.environ.items() if not FOREIGN.match(key)}
    return Runtime(label, loaded_library(program, clean, name), None)


@lru_cache
def unresolved(program: Path, library: Path) -> tuple[str, ...]:
    """The OpenMP functions that the program needs and the runtime does not have."""
    offered = {symbol.name for symbol in elf.read(library).exports}
    wanted = {symbol.name for symbol in elf.read(program).imports if not symbol.weak}
    return tuple(sorted(name for name in wanted - offered if ABI.match(name)))
