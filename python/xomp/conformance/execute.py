# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one test binary on one runtime and judges it."""

from __future__ import annotations

import hashlib
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from xomp.conformance.compilers import GNU, Family
from xomp.conformance.plan import Test
from xomp.shared import loaded, processes
from xomp.shared.machine import processors

PASS, FAIL, TIMEOUT = "pass", "fail", "timeout"

_OUTPUT_LIMIT = 65536
# Settings of the caller's that would change what a test sees.
_FOREIGN = ("OMP_", "GOMP_", "XOMP_", "ACC_", "KMP_")


@dataclass(frozen=True)
class Runtime:
    """A library and its settings; ``library`` is None for the compiler's own runtime."""

    name: str
    library: Path | None = None
    settings: tuple[tuple[str, str], ...] = ()
    family: Family = GNU  # whose binaries it serves

    @property
    def is_reference(self) -> bool:
        return self.library is None

    def identity(self) -> str:
        """Changes when the library's bytes or the settings do: the key of recorded results."""
        digest = hashlib.sha256(repr(self.settings).encode())
        digest.update(self.path().read_bytes())
        return digest.hexdigest()[:16]

    def path(self) -> Path:
        return self.library or self.family.system_library()


@dataclass
class Result:
    """One test on one runtime; ``detail`` is empty for a pass."""

    outcome: str
    seconds: float
    detail: str = ""
    runs: int = 1
    output: str = ""


@dataclass
class _Ended:
    status: int | None  # None: it ran into the time limit
    output: str
    seconds: float = field(default=0.0)


def snapshot(library: Path, work: Path) -> Path:
    """A copy to run on, so that a rebuild in the middle of a run cannot mix two libraries."""
    digest = hashlib.sha256(library.read_bytes()).hexdigest()[:16]
    copy = work / "lib" / digest / library.name
    if not copy.is_file():
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, copy)
    return copy


def loaded_library(binary: Path, runtime: Runtime) -> Path | None:
    """Which runtime the dynamic linker gives a binary under this one's environment."""
    name = runtime.family.asked.partition(".")[0]
    return loaded.loaded_library(binary, _environment(runtime, {}), name)


def limit_this_process(gibibytes: int) -> None:
    """Tests inherit these: no core files, and a runaway one must not take the machine down."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if gibibytes == 0:
        return
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    ceiling = gibibytes << 30
    if hard != resource.RLIM_INFINITY:
        ceiling = min(ceiling, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (ceiling, hard))


def run(test: Test, binary: Path, runtime: Runtime, repeat: int = 1) -> Result:
    """Run up to ``repeat`` times; the first run that does not pass decides."""
    environment = _environment(runtime, test.environment)
    total = 0.0
    for count in range(1, repeat + 1):
        ended = _run_once(binary, environment, test.time_limit)
        total += ended.seconds
        outcome, detail = judge(test, ended.status, ended.output)
        if outcome != PASS:
            return Result(outcome, total, detail, count, ended.output[-2000:])
    return Result(PASS, total, "", repeat)


def judge(test: Test, status: int | None, output: str) -> tuple[str, str]:
    """The outcome of an exit status (negative: a signal; None: time limit) and an output."""
    if status is None:
        return TIMEOUT, f"longer than {test.time_limit:g} s"
    wanted_failure = test.should_fail or test.expected_failure
    if (status == 0) == wanted_failure:
        return FAIL, "exited 0, but must fail" if wanted_failure else _describe(status)
    if test.output and not re.search(test.output, output):
        return FAIL, "output differs from what dg-output expects"
    return PASS, ""


def _describe(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"


def _environment(runtime: Runtime, settings: dict[str, str]) -> dict[str, str]:
    dropped = ("LD_LIBRARY_PATH", "LD_PRELOAD")
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(_FOREIGN) and key not in dropped
    }
    environment.update(LC_ALL="C", LANG="C")
    # As libgomp's own test driver: large machines would only slow the suite down.
    if processors() > 8:
        environment["OMP_NUM_THREADS"] = "8"
    if runtime.library is not None:
        environment["LD_LIBRARY_PATH"] = str(runtime.library.parent)
    environment.update(runtime.settings)
    environment.update(settings)
    return environment


def _run_once(binary: Path, environment: dict[str, str], limit: float) -> _Ended:
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="conformance-") as folder,
        tempfile.TemporaryFile() as output,
    ):
        process = processes.start(
            [str(binary)],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            status: int | None = process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            processes.end(process)  # and what it forked
        seconds = time.monotonic() - began
        output.seek(0)
        text = output.read(_OUTPUT_LIMIT).decode(errors="replace")
    return _Ended(status, text, seconds)
