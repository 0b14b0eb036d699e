# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The settings in force, as the library shows them (`omp_display_env`, OpenMP 5.1, 3.15)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass

# A process of its own: the library reads the environment once and keeps its threads.
_ASK = "import ctypes, sys; ctypes.CDLL(sys.argv[1]).omp_display_env(1)"
# A routine that has to know the calling thread is enough for the library to look for a tool.
_START = "import ctypes, sys; ctypes.CDLL(sys.argv[1]).omp_get_max_threads()"
_THREADS = ("OMP_NUM_THREADS", "OMP_NUM_THREADS_ALL")
_REFUSED = re.compile(r'^xomp: (\w+)=".*; using the default$')
_LINE = re.compile(r"^\s*(?:\[\w+\]\s+)?(\w+)\s*=\s*'(.*)'$")


class SettingsError(Exception):
    """The library did not show its settings; the text says why."""


@dataclass(frozen=True)
class Display:
    """Variables with their values, and the warnings that reading the environment gave."""

    values: list[tuple[str, str]]
    warnings: list[str]

    @property
    def malformed(self) -> set[str]:
        """Variables whose value in the environment is not in force."""
        return {found[1] for each in self.warnings if (found := _REFUSED.match(each))}


def default_threads(library: str, **variables: str) -> str | None:
    """How many threads a region gets when nobody says it, with these variables set."""
    environment = {key: value for key, value in os.environ.items() if key not in _THREADS}
    try:
        shown = dict(read(library, {**environment, **variables}).values)
    except SettingsError:
        return None
    return shown.get("OMP_NUM_THREADS")


def tool_search(library: str) -> list[tuple[str, str]]:
    """Where `library` looks for a tool (OMPT), and what it finds."""
    with tempfile.NamedTemporaryFile("r", prefix="xomp-tool-") as log:
        environment = {**os.environ, "OMP_TOOL_VERBOSE_INIT": log.name}
        command = [sys.executable, "-IS", "-c", _START, library]
        try:
            subprocess.run(command, env=environment, capture_output=True, timeout=20, check=False)
        except subprocess.TimeoutExpired as error:
            raise SettingsError("the tool did not start within 20 s") from error
        lines = log.read().splitlines()
    found = [line.strip().partition(": ") for line in lines[1:]]
    return [(where, answer) for where, _, answer in found]


def read(library: str, environment: Mapping[str, str] | None = None) -> Display:
    """Asks `library` for its settings, in this process's environment or the one given."""
    command = [sys.executable, "-IS", "-c", _ASK, library]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=20, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise SettingsError("the library did not answer within 20 s") from error
    shown: dict[str, str] = {}
    warnings = []
    for line in done.stderr.splitlines():
        match = _LINE.match(line)
        if match:
            shown[match.group(1)] = match.group(2)
        elif line.strip() and "OPENMP DISPLAY ENVIRONMENT" not in line:
            warnings.append(line.strip())
    if done.returncode != 0 or not shown:
        raise SettingsError(warnings[-1] if warnings else f"exit status {done.returncode}")
    return Display(list(shown.items()), warnings)
