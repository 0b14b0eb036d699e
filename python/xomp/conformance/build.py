# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles tests with the stock compilers, each once: the result is kept under a content hash."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from xomp.conformance.compilers import Family
from xomp.conformance.plan import Test
from xomp.conformance.source import Suite
from xomp.shared import processes
from xomp.shared.pool import as_they_end

_TIME_LIMIT = 300.0
_LOG_LIMIT = 4000


@dataclass(frozen=True)
class Binary:
    """The outcome of a build: ``path`` is None where the compiler refused, ``log`` says why."""

    path: Path | None
    key: str
    log: str = ""
    seconds: float = 0.0
    cached: bool = False


class Builder:
    """Builds tests into ``work/bin/KEY/``; a finished build leaves ``build.json`` beside it."""

    def __init__(self, suite: Suite, work: Path, family: Family) -> None:
        self._suite = suite
        self._family = family
        self._bin = work / "bin"
        self._bin.mkdir(parents=True, exist_ok=True)
        self._stop = threading.Event()
        self.compilers = {lang: _version(family.driver(lang)) for lang in family.languages()}

    def build_all(self, tests: list[Test], jobs: int) -> Iterator[tuple[Test, Binary]]:
        """Build in parallel and yield each test as it becomes ready."""
        self._stop.clear()
        with ThreadPoolExecutor(max_workers=jobs) as pool:
            try:  # an interruption may come while they are being handed out
                futures = {pool.submit(self.build, test): test for test in tests}
                for future in as_they_end(futures):
                    yield futures[future], future.result()
            finally:
                self._stop.set()
                processes.end_all()  # there are some only after an interruption
                pool.shutdown(cancel_futures=True)

    def build(self, test: Test) -> Binary:
        key = self._key(test)
        folder = self._bin / key
        known = _recall(folder, key)
        if known is not None or self._stop.is_set():
            return known or Binary(None, key, "interrupted")
        scratch = self._bin / f"{key}.part"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        began = time.monotonic()
        log = _compile(self._command(test), scratch)
        seconds = time.monotonic() - began
        # The compiler was ended with us, perhaps before we noticed: that says nothing of the test.
        if self._stop.is_set() or log is _ENDED:
            return Binary(None, key, "interrupted")
        built = log is None
        _keep_only(scratch, {"test.exe"})
        record = {"name": test.name, "built": built, "log": log or "", "seconds": seconds}
        (scratch / "build.json").write_text(json.dumps(record), encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        scratch.rename(folder)
        return Binary(folder / "test.exe" if built else None, key, log or "", seconds)

    def _key(self, test: Test) -> str:
        """A hash over compiler, command and sources, and over the suite for what they include."""
        digest = hashlib.sha256()
        command = [word.replace(str(self._suite.root), "@") for word in self._command(test)]
        for part in (self.compilers[test.language], self._suite.digest, *command):
            digest.update(part.encode() + b"\0")
        for source in test.sources:
            digest.update(source.read_bytes())
        label = re.sub(r"[^A-Za-z0-9+.-]", "_", test.name)
        return f"{label}-{digest.hexdigest()[:12]}"

    def _command(self, test: Test) -> list[str]:
        # libgomp.c-c++-common holds .c files that the C++ run compiles as C++.
        as_cxx = ["-x", "c++"] if test.language == "c++" else []
        sources = [str(source) for source in test.sources]
        driver = Path(self._family.driver(test.language) or "").name
        return [driver, *test.flags, *as_cxx, *sources, *self._family.libraries, "-o", "test.exe"]


def _version(driver: str) -> str:
    told = subprocess.run([driver, "--version"], capture_output=True, text=True, check=True)
    return told.stdout.splitlines()[0]


_ENDED = "the compiler was ended by a signal"


def _compile(command: list[str], folder: Path) -> str | None:
    """None on success, else what the compiler said."""
    environment = {**os.environ, "LC_ALL": "C", "LANG": "C"}
    environment.pop("LD_LIBRARY_PATH", None)
    environment.pop("LD_PRELOAD", None)
    process = processes.start(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        output, _ = process.communicate(timeout=_TIME_LIMIT)
    except subprocess.TimeoutExpired:
        return f"the compiler took longer than {_TIME_LIMIT:.0f} s"
    finally:
        processes.end(process)
    if process.returncode == 0:
        return None
    if process.returncode < 0:
        return _ENDED
    return output.decode(errors="replace")[:_LOG_LIMIT]


def _keep_only(folder: Path, names: set[str]) -> None:
    """Drop dumps and module files; the binary is all that is needed later."""
    for entry in folder.iterdir():
        if entry.name not in names:
            if entry.is_dir():
                shutil.rmtree(entry)
            else:
                entry.unlink()


def _recall(folder: Path, key: str) -> Binary | None:
    try:
        record = json.loads((folder / "build.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    path = folder / "test.exe"
    if record["built"] and not path.is_file():
        return None
    return Binary(
        path if record["built"] else None, key, record["log"], record["seconds"], cached=True
    )
