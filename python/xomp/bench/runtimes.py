# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runtimes to compare, and how a stock gcc binary is made to run on each.

Every runtime is offered to the dynamic loader in the same way: as ``libgomp.so.1`` in a folder of
its own, which is the only entry of ``LD_LIBRARY_PATH``. LLVM's and Intel's runtimes export the
``GOMP_*`` entry points under libgomp's symbol versions, so a link with that name is enough.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from xomp.bench import apps
from xomp.bench.paths import BENCH, BUILD, PEERS

KNOWN = ("libgomp", "libomp", "libiomp5", "xomp", "floor")
FOREIGN = re.compile(r"^(OMP_|GOMP_|KMP_|XOMP_|LD_PRELOAD$|LD_LIBRARY_PATH$)")


class MissingRuntimeError(Exception):
    """A runtime that this machine does not have; the message says what to do."""


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
            raise ValueError(f"{label}: expected KEY=VALUE after @, not {part!r}")
        settings[key] = value
    return name, settings


def loaded_library(program: Path, env: dict[str, str]) -> Path:
    """The libgomp.so.1 that the loader takes for the program, asked of the loader itself."""
    env = {**env, "LD_TRACE_LOADED_OBJECTS": "1"}
    out = subprocess.run([program], env=env, capture_output=True, text=True).stdout
    found = re.search(r"^\s*libgomp\.so\.1 => (\S+) ", out, re.MULTILINE)
    if not found or found[1] == "not":
        raise MissingRuntimeError("the loader finds no libgomp.so.1")
    return Path(found[1]).resolve()


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


def locate(name: str) -> Path:
    if name == "libgomp":
        return system_libgomp()
    if name == "libomp":
        return llvm_libomp()
    if name == "libiomp5":
        library = PEERS / "libiomp5.so"
        hint = "fetch it with `python -m xomp.bench peers`"
    elif name == "xomp":
        library = Path(os.environ.get("BENCH_XOMP_LIBRARY", BUILD / "lib" / "libgomp.so.1"))
        hint = "build it with `make`"
    elif name == "floor":
        return apps.build("floor/libgomp.so.1")
    else:
        raise MissingRuntimeError(f"unknown runtime; known are {', '.join(KNOWN)}")
    if not library.exists():
        raise MissingRuntimeError(f"no {library} ({hint})")
    return library.resolve()


def find(label: str) -> Runtime:
    """The runtime, checked to be the one that a program really loads."""
    name, settings = parse_label(label)
    library = locate(name)
    folder = BENCH / "lib" / name
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / "libgomp.so.1"
    if not link.is_symlink() or link.resolve() != library:
        fresh = folder / f"{link.name}.{os.getpid()}"
        fresh.symlink_to(library)
        fresh.replace(link)
    runtime = Runtime(label, library, folder, settings)
    loaded = loaded_library(apps.build("hello"), runtime.environment(1))
    if loaded != library:
        raise MissingRuntimeError(f"the loader takes {loaded} instead of {library}")
    return runtime


def find_all(labels: list[str]) -> tuple[list[Runtime], dict[str, str]]:
    """The runtimes that are there, and for the others why not."""
    found, missing = [], {}
    for label in labels:
        try:
            found.append(find(label))
        except (MissingRuntimeError, apps.BuildError, ValueError) as error:
            missing[label] = str(error)
    return found, missing


def fetch_libiomp5() -> Path:
    """Takes libiomp5.so out of the PyPI wheel intel-openmp into build/peers."""
    PEERS.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    done = subprocess.run([*command, "--dest", str(PEERS), "intel-openmp"])
    wheels = sorted(PEERS.glob("intel_openmp-*.whl"), key=lambda path: path.stat().st_mtime)
    if done.returncode != 0 or not wheels:
        raise MissingRuntimeError("pip cannot download intel-openmp")
    with zipfile.ZipFile(wheels[-1]) as wheel:
        member = next(name for name in wheel.namelist() if name.endswith("/lib/libiomp5.so"))
        (PEERS / "libiomp5.so").write_bytes(wheel.read(member))
    for wheel_path in wheels:
        wheel_path.unlink()
    return PEERS / "libiomp5.so"
