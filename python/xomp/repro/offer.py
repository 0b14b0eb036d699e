# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the library offers, asked of the library itself: no list of schedulers stands here, so an
experiment is complete on the day on which the library knows what it needs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path

from xomp import elf, settings
from xomp.errors import BadInputError
from xomp.shared import apps, runtimes
from xomp.shared.errors import MissingRuntimeError

_COUNT = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
routines = "num_procs", "num_places", "num_locality_domains"
print(*(getattr(library, "omp_get_" + name)() for name in routines))
"""
_COUNTER = re.compile(r"\s([A-Z][A-Z0-9_]{3,})$")


class Offer:
    def __init__(self, library: Path) -> None:
        self.library = library
        self._answers: dict[tuple, bool] = {}

    @cached_property
    def settings(self) -> dict[str, str]:
        return self._settings({})

    def accepts(self, key: str, value: str, beside: Mapping[str, str] | None = None) -> bool:
        """Whether the setting is in force when it is asked for, for example na-rp as scheduler;
        `beside` others on which it depends, as a mode does on the scheduler."""
        if key not in self.settings:
            return False
        asked = {**(beside or {}), key: value}
        known = (key, *sorted(asked.items()))
        if known not in self._answers:
            shown = self._settings(asked).get(key, "")
            self._answers[known] = shown.lower() == value.lower()
        return self._answers[known]

    def machine(self, topology: str = "") -> tuple[int, int]:
        """The processors and locality domains that it sees; `topology` describes another machine
        than the real one (XOMP_TOPOLOGY)."""
        kept = {k: v for k, v in os.environ.items() if not runtimes.FOREIGN.match(k)}
        given = {"XOMP_TOPOLOGY": topology, "OMP_PLACES": "threads"} if topology else {}
        done = subprocess.run(
            [sys.executable, "-IS", "-c", _COUNT, str(self.library)],
            env={**kept, **given},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        if complaint := runtimes.refusal(done.stderr, given) or done.returncode:
            raise BadInputError(complaint)
        processors, places, domains = map(int, done.stdout.split())
        return (places if topology else processors), domains

    @cached_property
    def symbols(self) -> frozenset[str]:
        return frozenset(symbol.name for symbol in elf.read(self.library).exports)

    @cached_property
    def statistics(self) -> frozenset[str]:
        """The counters that a program's statistics name (XOMP_STATS)."""
        xomp = runtimes.find("xomp@XOMP_STATS=verbose")
        done = subprocess.run(
            [apps.build("hello")],
            env=xomp.environment(2),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        found = (_COUNTER.search(line) for line in done.stderr.splitlines())
        return frozenset(match[1] for match in found if match)

    def _settings(self, changes: dict[str, str]) -> dict[str, str]:
        # Not of this process's environment: what the user has set is not what an experiment runs.
        kept = {k: v for k, v in os.environ.items() if not runtimes.FOREIGN.match(k)}
        try:
            shown = settings.read(str(self.library), {**kept, **changes})
        except settings.SettingsError as error:
            raise BadInputError(f"{self.library} cannot be asked: {error}") from error
        return dict(shown.values)


@cache
def of_xomp() -> Offer | None:
    """The library under test, or None if it is not built."""
    try:
        return Offer(runtimes.locate("xomp"))
    except MissingRuntimeError:
        return None
